"""Exit statuses, the same for every command."""

from typing import Final

DONE: Final = 0
PASSED_LIMIT: Final = 1
WRONG_USAGE: Final = 2
NOT_FOUND: Final = 3
FAILED: Final = 4
BUG: Final = 70
INTERRUPTED: Final = 130
