"""Names of files in a text: all that looks like a path, a base name with an ending, or a dotted module."""

from __future__ import annotations

import json
import re
from typing import Final

from ctxtui.core.secrets import find_secrets

_NAMED: Final = re.compile(r"[\w@.+$~/-]++")
_FILE: Final = re.compile(r"(?:[^/]*/)*[^/]+\.[A-Za-z_]\w{0,60}")
_LONGEST: Final = 300
_MOST: Final = 20_000


def names_in(text: str) -> tuple[str, ...]:
    """What in a text looks like the name or path of a file or a module, each once."""
    found = (match[0].rstrip(".").removeprefix("./") for match in _NAMED.finditer(text))
    usual = (name for name in found if "." in name and len(name) <= _LONGEST and _FILE.fullmatch(name))
    return tuple(dict.fromkeys(usual))[:_MOST]


def to_keep(names: tuple[str, ...]) -> bytes | None:
    """The names as they may be kept on disk; None if a secret is among them."""
    return None if find_secrets("\n".join(names)) else json.dumps(names).encode()
