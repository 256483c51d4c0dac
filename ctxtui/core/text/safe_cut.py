"""Safe cuts: the places in a text where a cut never changes a token count."""

from __future__ import annotations

import re
from typing import Final

# No piece of either split pattern spans a line break and the text after it, unless that text is a slash at the margin
# (a piece of signs runs on over line breaks and slashes) or white space up to another line break.
_START: Final = r"[^\s/]|[ \t]+\S"
SAFE_START: Final = re.compile(_START)
"""The text after a line break that is a safe cut."""

SAFE_CUT: Final = re.compile(rf"(?<=\n)(?={_START})")
"""A safe cut, as an empty match."""
