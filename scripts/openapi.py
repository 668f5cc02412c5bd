"""Write the OpenAPI document of the server to console/openapi.json.

    python scripts/openapi.py            write it
    python scripts/openapi.py --check    fail when the file is not what the code says

The console's typed client is generated from it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from starforge.server.app import create_app
from starforge.server.core import open_core
from starforge.server.home import prepare_home
from starforge.server.settings import Settings

TARGET = Path(__file__).resolve().parent.parent / "console" / "openapi.json"


def document() -> str:
    """Return the document as it is kept."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder))
        prepare_home(settings)
        core = open_core(settings)
        try:
            described = create_app(core).openapi()
        finally:
            core.db.close()
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> None:
    """Write or compare."""
    wanted = document()
    if arguments == ["--check"]:
        if not TARGET.is_file() or TARGET.read_text("utf-8") != wanted:
            sys.exit(f"error: {TARGET.name} is out of date; run `python scripts/openapi.py`")
    elif arguments:
        sys.exit(__doc__)
    else:
        TARGET.write_text(wanted, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
