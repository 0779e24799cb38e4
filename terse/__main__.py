"""`python -m terse`."""

import sys

from terse.cli.entry import main

sys.exit(main())
