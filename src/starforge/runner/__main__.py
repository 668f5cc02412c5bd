"""``python -m starforge.runner ATTEMPT_DIR``."""

import sys

from starforge.runner.main import main

sys.exit(main(sys.argv[1:]))
