"""How threads take turns."""

from __future__ import annotations

import sys
from typing import Final

# Python's own are ten times as long. A key wakes the thread that reads it, the one that decides and the one that
# writes to the terminal: each waits for its turn while another counts, searches or audits.
_SECONDS: Final = 0.0005


def take_short_turns() -> None:
    """Let threads that wait for Python go on soon, in the whole process: for programs that answer keys."""
    sys.setswitchinterval(_SECONDS)
