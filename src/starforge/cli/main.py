"""Entry point of the command ``sf``."""

from __future__ import annotations

from typing import NoReturn

from starforge.cli.root import root


def main() -> NoReturn:
    """Run ``sf`` with the arguments of this process."""
    root.main()


if __name__ == "__main__":
    main()
