"""`python -m mlvet`."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # `-m` puts the working folder first; modules of the analysed project must not shadow others

from mlvet.cli import main

sys.exit(main())
