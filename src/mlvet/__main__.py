"""`python -m mlvet`."""

import sys

from mlvet.cli import main

sys.exit(main())
