"""`python -m ctxtui`: the same as the command `ctxtui`."""

import sys

from ctxtui.cli.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
