"""The server, made to believe that its machine has many CPUs: fifty idle jobs shall run at once."""

from __future__ import annotations

import sys

from starforge.engines.local import devices
from starforge.server.__main__ import main

devices.count_cpus = lambda: 4096

if __name__ == "__main__":
    sys.exit(main())
