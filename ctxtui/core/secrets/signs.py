"""Signs of credentials: what a text must have somewhere if a finder is to find anything in it.

Most texts have none, which takes a fraction of the time of the finders to learn. A sign never asks for more than its
finder does: it is made of the finder's own patterns, loosened, and of what a strong value always has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from ctxtui.core.secrets.data import table
from ctxtui.core.secrets.loose import exactly, loosened
from ctxtui.core.secrets.named import FAR, MNEMONIC, NEAR, PIN, SCHEME, SPECIAL, SUFFIX
from ctxtui.core.secrets.names import ENDS, FOREIGN, NAMES
from ctxtui.core.secrets.tables import HEADING, TELLING

# The bytes of a letter and of a digit; if it is not ASCII, its first byte is enough.
_LETTER: Final = r"[A-Za-z\x80-\xff]"
DIGIT: Final = (
    r"(?:[0-9]|\xc2[\xb2\xb3\xb9]|[\xd9\xdb\xdf\xe0\xe1\xea\xf0]|\xe2[\x81\x82\x91\x92\x93\x9d\x9e]|\xef\xbc)"
)
_HUMP: Final = r"[a-z\x80-\xff][A-Z\x80-\xff]"
_BARE: Final = r"""[^\s"'`<>|;&,]"""
_QUOTED: Final = r"""[^"\r\n]""", r"""[^'\r\n]""", r"""[^`\r\n]"""
_IN_ELEMENT: Final = r"[^<>\s]"
_PHRASE: Final = r"""\\*["'`]?(?:[A-Za-z]{3,}[-_. +][A-Za-z]{3}|[a-z]{20})"""
_PLACED: Final = r"""[^"\r\n]""", r"""[^'\r\n]""", r"""[^\s"'`|<>;]"""
_PRIVATE_KEY: Final = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY|Private-Lines: "
_MANIFEST: Final = r"(?:\A|\n)kind:[ \t]*[\"']?Secret"
_RULE: Final = r"[ \t>|:-]*(?:--\||-- \||-:\|)"
_MAX_MEMORY: Final = 16 * 1024 * 1024
# In place of the value in a row of `places.toml`.
_VALUE: Final = "\ue000"


class Signs(NamedTuple):
    """Which finders may find something: those of shapes, tables and foreign names, of names, and of places."""

    shape: bool
    name: bool
    place: bool


def signs_in(text: str) -> Signs:
    """The signs in a text."""
    encoded = text.encode("utf-8", "surrogatepass")
    shape, name, place = _searches()
    return Signs(shape(encoded) is not None, name(encoded) is not None, place(encoded) is not None)


@cache
def _searches() -> tuple[Callable[[bytes], object], ...]:
    # One automaton for all signs would have too many states.
    return (
        _search([*_shapes(), _table(), _csv(), _MANIFEST, *map(exactly, FOREIGN)]),
        _search(_names()),
        _search(_places()),
    )


def _search(signs: list[str]) -> Callable[[bytes], object]:
    import re2  # noqa: PLC0415 - built once, as the rules are

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.log_errors = False
    # With half of it, states are forgotten and made again in each large text.
    options.max_mem = _MAX_MEMORY
    search: Callable[[bytes], object] = re2.compile("|".join(signs).encode("ascii"), options).search
    return search


def _shapes() -> Iterator[str]:
    yield _PRIVATE_KEY
    for row in table("shapes")["secret"]:
        before = loosened(row["before"]) if "before" in row else r"\b"
        yield f"{before}(?:{'|'.join(map(exactly, row['anchors']))}){loosened(row['body'])}"


def _table() -> str:
    return rf"{loosened(TELLING)}\|[^\n]*\n{_RULE}"


def _csv() -> str:
    return rf"(?:\A|[\n,;\t]){loosened(HEADING)}[,;\t\r\n]"


def _names() -> list[str]:
    double, single, tick, bare = map(strong, (*_QUOTED, _BARE))
    value = rf"(?:\\*(?:\"{double}|'{single}|`{tick})|{bare})"
    near = loosened(NEAR)
    after = f"{loosened(SUFFIX)}(?:(?:{near}|{loosened(FAR)}|{loosened(SCHEME)}){value}|>{strong(_IN_ELEMENT)})"
    passwords = [_name(name) for name, kind in NAMES.items() if kind == "password"]
    others = [
        _name(name) for name, kind in NAMES.items() if kind in ("secret", "token", "key") and name not in SPECIAL
    ]
    return [
        f"(?:{'|'.join(passwords + others)}){after}",
        f"(?:{'|'.join(passwords)}){loosened(SUFFIX)}{near}{_PHRASE}",
        f"{_name(b' pin')}{loosened(PIN)}",
        f"(?:{_name(b'mnemonic')}|{_name(b'phrase')}){loosened(MNEMONIC)}",
        f"(?:{_name(b'sig=')}|{_name(b'sid=')}){value}",
    ]


def _name(name: bytes) -> str:
    return f"(?i:{name.decode()})" + (f"{loosened(ENDS[name])}?" if name in ENDS else "")


def _places() -> list[str]:
    return [_place(row) for row in table("places")["place"]]


def _place(row: dict[str, Any]) -> str:
    def part(key: str) -> str:
        return loosened(row[key].replace("(?:{value})", _VALUE)).replace(exactly(_VALUE), value) if key in row else ""

    double, single, bare = map(noticeable, _PLACED)
    value = f"(?:\"{double}\"|'{single}'|{bare})"
    anchors = f"(?i:{'|'.join(map(re.escape, row['anchors']))})" if "before" in row else ""
    line = part("line") + r"[^\n]*" if "line" in row else ""
    return part("before") + anchors + part("above") + line + part("pattern")


def noticeable(character: str) -> str:
    """A value at a place: one without capitals and digits is long, or has percent escapes or base64."""
    return rf"{character}*(?:[0-9A-Z%=\x80-\xff]|[a-z+/-]{{12}}){character}*"


def strong(character: str) -> str:
    """A value that may be as strong as a password, of such characters."""
    solid = character.replace("[^", "[^ ")
    return (
        # A letter and a digit, an escape, a sign between letters;
        rf"(?:{character}*(?:{_LETTER}{character}*{DIGIT}|{DIGIT}{character}*{_LETTER}|%[0-9A-F]"
        r"|[A-Za-z][!?*+%&$#@^~][A-Za-z])"
        # base64 of readable text, whose every third byte is ASCII;
        r"|[I-Za-f](?:[A-Za-z0-9+/]{3}[I-Za-f]){2}|[I-Za-f][A-Za-z0-9+/]{6,}="
        # or 20 random letters, among them a small one before a capital, or only those of a hexadecimal number.
        rf"|{solid}{{9,}}{_HUMP}|{solid}*{_HUMP}{solid}{{9}}|[a-fA-F-]{{12}})"
    )
