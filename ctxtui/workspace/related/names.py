"""Names of files in a text: all that looks like a path, a base name with an ending, or a dotted module."""

from __future__ import annotations

import re
from typing import Final

from ctxtui.core.secrets import blank, find_secrets

_NAMED: Final = re.compile(r"[\w@.+$~/-]++")
_FILE: Final = re.compile(r"(?:[^/]*/)*[^/]+\.[A-Za-z_]\w{0,60}")
_LONGEST: Final = 300
_MOST: Final = 20_000


def names_in(text: str) -> tuple[str, ...]:
    """What in a text looks like the name or path of a file or a module, each once; nothing of a secret."""
    shown = blank(text, find_secrets(text))
    found = (match[0].rstrip(".").removeprefix("./") for match in _NAMED.finditer(shown))
    usual = (name for name in found if "." in name and len(name) <= _LONGEST and _FILE.fullmatch(name))
    return tuple(dict.fromkeys(usual))[:_MOST]
