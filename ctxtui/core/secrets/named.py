"""Credentials known by their names: values behind `password:`, `api_key =`, `--token` and the like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ctxtui.core.secrets.shapes import Secret

_SCHEMES: Final = (b"bearer ", b"basic ")
# What a key ends with, or stands before a credential in a header, and the kind that is marked.
_NAMES: Final = {
    **dict.fromkeys((b"password", b"passwd", b"passwort", b"passphrase", b"pwd"), "password"),
    **dict.fromkeys((b"secret", b"credential", b"credentials"), "secret"),
    b"token": "token",
    b"key": "key",
    **dict.fromkeys(_SCHEMES, "token"),
}
_KEYS: Final = tuple(
    kind + joint
    for kind in (b"api", b"access", b"secret", b"private", b"auth", b"account", b"signing", b"encryption", b"master")
    for joint in (b"", b"_", b"-")
)
_VALUE: Final = re.compile(
    r"""["'`*_]{0,3}[ \t]{0,9}
    (?P<sign>:=|=>|[:=])(?P<space>[ \t]{0,9})[*_]{0,3}[ \t]{0,9}
    (?:(?P<quote>["'`])(?P<quoted>[^\s"'`]{4,999}+)(?P=quote)
      |(?P<bare>[^\s"'`,;<>(){}\[\]|&*!@$%\\][^\s"'`,;<>(){}\[\]]{3,999}+)(?=[ \t]{0,99}(?:[\r\n,;}\#]|//|\Z)))
    |>(?P<element>[^<>\s$]{4,999}+)</""",
    re.VERBOSE,
)
_OPTION: Final = re.compile(
    r"[ \t]{1,9}(?:(?P<quote>[\"'])(?P<quoted>[^\s\"']{4,999}+)(?P=quote)|(?P<bare>[^\s\"'$<-]\S{3,999}))"
)
_SCHEME: Final = re.compile(r"[\w.~+/=-]{16,}")
# Before a key whose value may lack quotes: nothing on its line but marks, a keyword, and the key's own start.
_LINE_START: Final = re.compile(r"[\s>*+|#-]*(?:(?:export|set|env|ARG|ENV|-e)[ \t]+)?[\w.\"'`*-]*\Z")
_OPTION_START: Final = re.compile(r"(?:^|\s)--?[\w-]*\Z")
_REFERENCE: Final = re.compile(r"[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+\Z")
_NO_SECRETS: Final = frozenset(
    "string strings text str int integer number float bool boolean bytes object array list dict any unknown none null"
    " nil undefined void true false required optional default empty missing invalid expired secret secretstr password"
    " token value varchar type header bearer basic cookie query path body field input env environment username user"
    " disabled enabled redacted hidden placeholder".split()
)
_PLACEHOLDER: Final = re.compile(
    r"[<\[{$%*.x-]+|.*(?:\$\{|\{\{|<[a-z]|://).*|your[-_ ].*|.*[-_]here\Z", re.IGNORECASE
)
_LOOK_BACK: Final = 120


def find_named(text: str) -> Iterator[Secret]:
    """Values behind telling names: `password: hunter2`, `api_key = "…"`, `DB_PASSWORD=…`, `--token …`."""
    # A byte for each character, so that offsets stay and a name is found at the speed of memory.
    lowered = text.encode("ascii", "replace").lower()
    for name, rule in _NAMES.items():
        start = lowered.find(name)
        while start >= 0:
            end = start + len(name)
            if rule != "key" or lowered.endswith(_KEYS, 0, start):
                span = _scheme(text, end) if name in _SCHEMES else _value(text, start, end)
                if span:
                    yield Secret(rule, *span)
                    end = span[1]
            start = lowered.find(name, end)


def _scheme(text: str, end: int) -> tuple[int, int] | None:
    match = _SCHEME.match(text, end)
    return match.span() if match else None


def _value(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The span of the value behind a key that ends there, if it is one to hide."""
    before = text[max(0, start - _LOOK_BACK) : start]
    match = _VALUE.match(text, end)
    if match is None:
        match = _OPTION.match(text, end) if _OPTION_START.search(before) else None
        return match.span("quoted" if match["quoted"] else "bare") if match and not _is_harmless(match[0]) else None
    group = next(name for name in ("quoted", "bare", "element") if match[name])
    if _is_harmless(match[group]) or (group == "bare" and not _is_bare_value(text[start:end], before, match)):
        return None
    return match.span(group)


def _is_harmless(value: str) -> bool:
    bare = value.strip().strip("\"'")
    return bare.casefold() in _NO_SECRETS or bool(_PLACEHOLDER.fullmatch(bare))


def _is_bare_value(key: str, before: str, match: re.Match[str]) -> bool:
    """Whether a value without quotes is one, and no name of a type, a variable or an attribute."""
    line = before[max(before.rfind("\n"), before.rfind("\r")) + 1 :]
    if not _LINE_START.match(line):
        return False
    value = match["bare"]
    if key.isupper():
        return True
    if value.isascii() and value.replace("_", "").isalpha():
        return value.islower() and value.isalpha() and (match["sign"] == ":" or not match["space"])
    return not _REFERENCE.match(value)
