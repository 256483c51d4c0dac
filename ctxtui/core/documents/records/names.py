"""Names of record files: one per id, valid on every file system, always inside the folder."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

from ctxtui.core.base.errors import ContextError

SUFFIX: Final = ".md"
_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,119}")
_KEPT = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")
_MOST_BYTES = 200
_HASH = 32


def file_name(id_: str) -> str:
    """The file name of a record's id.

    A plain id is unchanged. Any other id is percent-encoded, including capitals, because many file systems ignore
    case. Names longer than 200 bytes are cut and end in a hash. Raises ContextError (invalid_request) for an id that
    is blank or contains NUL or a lone surrogate.
    """
    encoded = _encode(id_)
    return f"{encoded}{SUFFIX}" if len(encoded) <= _MOST_BYTES else spare_name(id_)


def spare_name(id_: str) -> str:
    """An alternative name that ends in a hash, for an id whose first name is taken."""
    encoded = _encode(id_)[: _MOST_BYTES - _HASH - 1]
    whole = re.sub(r"%.?$", "", encoded)
    return f"{whole}+{sha256(id_.encode()).hexdigest()[:_HASH]}{SUFFIX}"


def _encode(id_: str) -> str:
    if not id_.strip() or "\0" in id_:
        raise ContextError("invalid_request", f"not an id for an entry: {id_[:80]!r}", hint="use letters and digits")
    try:
        data = id_.encode()
    except UnicodeEncodeError as error:
        raise ContextError("invalid_request", f"the id {id_[:80]!r} is not valid Unicode") from error
    if _PLAIN.fullmatch(id_) and not id_.endswith(".") and not _RESERVED.fullmatch(id_):
        return id_
    text = "".join(chr(byte) if chr(byte) in _KEPT else f"%{byte:02X}" for byte in data)
    text = text if text[0].isalnum() and not _RESERVED.fullmatch(id_) else _escaped(text[0]) + text[1:]
    return text if not text.endswith(".") else text[:-1] + _escaped(".")


def _escaped(sign: str) -> str:
    return sign if sign == "%" else f"%{ord(sign):02X}"
