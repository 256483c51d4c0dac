"""Credentials by name: values after `password:`, `api_key =`, `--token`, "the PIN is" and the like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import AnyStr, Final

from ctxtui.core.text.secrets.names import FOREIGN, NAMES, end_of_name, is_other, kind_of, words_of
from ctxtui.core.text.secrets.plausible import Strength, strength
from ctxtui.core.text.secrets.secret import Secret

_VALUE: Final = re.compile(
    r"""\\{0,2}(?:"(?P<double>[^"\r\n]{4,400}+)"|'(?P<single>[^'\r\n]{4,400}+)'|`(?P<tick>[^`\r\n]{4,400}+)`)
    |(?P<bare>[^\s"'`<>|;&,]{4,400}+)""",
    re.VERBOSE,
)
_ELEMENT: Final = re.compile(r"(?P<bare>[^<>\s]{4,400}+)(?=</)")
# The text that may follow a value at the end of its line, cell or statement.
_LAST: Final = re.compile(
    r"""[.!?]?[)\]}]{0,3}["'`]?[ \t]{0,20}(?:[\r\n|,;&}\])<#]|//|--|\\|\(|\Z)|[.!?][ \t]|["'`]"""
)
_CLOSERS: Final = {")": "(", "]": "[", "}": "{"}

_SIGN: Final = r"(?::[=-]|=>|->|→|=(?!=)|[:：])"
_IS: Final = r"(?:is|was|are|ist|lautet|est|es|remains)"
_STRINGS: Final = r"""(?:[\w.]{1,40},[ ]|"[^"\n]{0,80}",[ ]?|'[^'\n]{0,80}',[ ]?)"""
_WORD: Final = r"""[^\s:=|"'`;.<>()\[\]{}]"""
SUFFIX: Final = re.compile(r"""([A-Z0-9_-][A-Za-z0-9_-]{0,24}|s\b)?(?:\\?["'`]|[*_\]]){0,4}""")
# From a name to its value: right after it, or after other words.
_NEAR: Final = re.compile(
    rf"""(?P<args>=?\({_STRINGS}{{0,3}}(?=["']))
      |(?P<block>:[ \t]{{1,3}}[>|][+-]?[ \t]{{0,3}}\r?\n[ \t]{{1,40}})
      |[ \t]{{0,9}}{_SIGN}(?!=)[ \t]{{0,9}}[*_]{{0,3}}[ \t]{{0,9}}
        (?:[A-Za-z][\w.]{{0,30}}(?:\[[\w., |]{{1,30}}\])?\??[ \t]{{0,3}}=[ \t]{{0,3}}(?=["'`])
          |(?P<call>(?:await[ ]|new[ ])?[A-Za-z][\w.:]{{0,40}}\((?=["'`]))|)
      |(?P<element>>)
      |(?P<pair>[ \t]{{0,3}},[ \t]{{0,9}}(?=["'])|[ \t]{{1,3}}value[ \t]{{0,3}}=[ \t]{{0,3}}(?=["']))
      |(?P<cell>[ \t]{{0,9}}\|[ \t]{{0,9}}[*`]{{0,3}})""",
    re.VERBOSE,
)
_FAR: Final = re.compile(
    rf"""(?P<gap>[ \t]\(?{_WORD}{{0,20}}(?:[ \t]{_WORD}{{1,20}}){{0,5}}\)?)?
        (?:[ \t]{{0,2}}(?P<sign>{_SIGN})|[ \t]{{1,2}}{_IS}(?:[ \t](?:now|still|set[ \t]to|currently)){{0,2}}:?)
        [ \t]{{1,9}}[*_]{{0,3}}(?=\S)
      |(?P<space>[ \t]{{1,9}}(?:<<<[ \t]?)?(?:[057][ \t])?(?=\S))""",
    re.VERBOSE,
)
_MNEMONIC: Final = re.compile(r"[^:=\n]{0,30}[:=][ \t]*[\"'`]?((?:[a-z]{3,8}[ \t,]{1,2}){11,23}[a-z]{3,8})(?![a-z])")
_PIN: Final = re.compile(
    rf"""[ \t]{{0,3}}(?:code|number)?(?:\([^()\n]{{0,30}}\))?[*_`"']{{0,3}}(?:[ \t]{{0,3}}{_SIGN}|[ \t]{_IS})
    [ \t]{{1,3}}[*_`"']{{0,3}}([0-9]{{4,10}})(?![\w.:/-])""",
    re.IGNORECASE | re.VERBOSE,
)
_SCHEME: Final = re.compile(
    r"[\"']?[ \t]{0,9}[:=,][ \t]{0,9}[\"'`]?(?:bearer|basic|token|apikey|digest|bot)[ \t]{1,3}", re.IGNORECASE
)
# The public part of a thing that a name stands for: `Token address: …`.
_PUBLIC: Final = re.compile(r"(?:[ \t](?:address(?:es)?|contract|hash|mint))+", re.IGNORECASE)
# The requirements on a value after words.
_LIKELY: Final = re.compile(r"[0-9]|[A-Za-z][!?*+%&$#@^~][A-Za-z]")
_KEY_CHARACTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
_MARK: Final = "[redacted: "
_LOOK_BACK: Final = 64


@dataclass(frozen=True, slots=True)
class Value:
    """A value: its offsets and text, and whether its statement ends after it."""

    start: int
    end: int
    text: str
    is_last: bool


def value_at(text: str, start: int, in_element: bool = False) -> Value | None:
    """The value of 4 to 400 characters from `start` on, bare, in quotes or `in_element` of XML, None without one."""
    match = (_ELEMENT if in_element else _VALUE).match(text, start)
    if match is None:
        return None
    group = match.lastgroup or "bare"
    first, end = match.span(group)
    if group != "bare":
        return Value(first, end, text[first:end].rstrip("\\"), True)
    while end > first and (text[end - 1] in ".:" or (text[end - 1] in _CLOSERS and _is_loose(text, first, end))):
        end -= 1
    if text.startswith(("...", "…"), end):
        return None
    return Value(first, end, text[first:end], in_element or bool(_LAST.match(text, end)))


def _is_loose(text: str, first: int, end: int) -> bool:
    """Whether a closing bracket at the end of a value has no opening bracket in the value."""
    return text.count(_CLOSERS[text[end - 1]], first, end) < text.count(text[end - 1], first, end)


def find_named(text: str, lowered: bytes, names: Iterable[bytes]) -> Iterator[Secret]:
    """Credentials after `names` (of `NAMES`), as in `--token …`. `lowered` has a byte in lower case per character."""
    for name in names:
        special = _SPECIAL.get(name)
        behind = partial(special, text) if special else partial(_after_key, text, name)
        yield from _find_after(lowered, name, NAMES[name], behind)


def find_foreign(text: str) -> Iterator[Secret]:
    """Values after non-ASCII words for password."""
    for name in FOREIGN if not text.isascii() else ():
        yield from _find_after(
            text, name, "password", lambda end: _value_of(text, end, "password", "", is_verb=False)
        )


def _find_after(
    whole: AnyStr, name: AnyStr, rule: str, behind: Callable[[int], tuple[int, int] | None]
) -> Iterator[Secret]:
    """The credentials after each occurrence of a name, by a function of its end."""
    start = whole.find(name)
    while start >= 0:
        end = start + len(name)
        if span := behind(end):
            yield Secret(rule, *span)
            end = span[1]
        start = whole.find(name, end)


def _matched(pattern: re.Pattern[str], text: str, end: int) -> tuple[int, int] | None:
    match = pattern.match(text, end)
    return match.span(1) if match else None


def _random_value(text: str, end: int) -> tuple[int, int] | None:
    value = value_at(text, end)
    return (value.start, value.end) if value and strength(value.text) == Strength.RANDOM else None


def _after_key(text: str, name: bytes, end: int) -> tuple[int, int] | None:
    """The offsets of the credential after the key whose `name` ends at `end`, None without one."""
    start, stop = end - len(name), end_of_name(text, end, name)
    if stop is None:
        return None
    before = text[max(0, start - _LOOK_BACK) : start]
    prefix = before[len(before.rstrip(_KEY_CHARACTERS)) :]
    if before[: len(before) - len(prefix)].endswith(_MARK):
        return None
    kind = kind_of(name, prefix, text[start:stop])
    is_verb = not prefix and stop - start == len("pass")
    return _value_of(text, stop, kind, prefix, is_verb) if kind else None


_SPECIAL: Final[Mapping[bytes, Callable[[str, int], tuple[int, int] | None]]] = {
    b" pin": partial(_matched, _PIN),
    **dict.fromkeys((b"mnemonic", b"phrase"), partial(_matched, _MNEMONIC)),
    **dict.fromkeys((b"sig=", b"sid="), _random_value),
}


def _value_of(text: str, end: int, kind: str, prefix: str, is_verb: bool) -> tuple[int, int] | None:
    """The offsets of the credential after a name that ends at `end`, or None. `prefix` is the key before it."""
    suffix = SUFFIX.match(text, end)
    end = suffix.end() if suffix else end
    words = words_of(suffix[1] or "") if suffix else []
    if is_other(words):
        return None
    scheme, near = _SCHEME.match(text, end), _NEAR.match(text, end)
    may_be_far = text.startswith((" ", "\t"), end) and _LIKELY.search(text, end, end + 200)
    match = near or (_FAR.match(text, end) if may_be_far else None)
    if match is None or (not near and kind == "token" and _PUBLIC.fullmatch(match["gap"] or "")):
        return None
    value = value_at(text, (scheme or match).end(), in_element=bool(near and near["element"]))
    if value is None:
        return None
    need = _needed_near(match, kind, prefix, value) if near else _needed_far(match, kind, prefix, value, is_verb)
    if words and kind != "password":
        need = Strength.RANDOM if words == ["s"] else max(need, Strength.PASSWORD)
    if scheme:
        need = Strength.PASSWORD
    return (value.start, value.end) if strength(value.text) >= need else None


def _needed_near(match: re.Match[str], kind: str, prefix: str, value: Value) -> int:
    """The strength that a value needs directly after its key. `prefix` is the part of the key before the name."""
    if kind == "session":
        return Strength.RANDOM + (len(value.text) < 20 or "-" in value.text)
    if kind == "other" or match["call"]:
        return Strength.RANDOM
    if match["block"]:
        # A longer text begins with a word, not with a password.
        return Strength.PASSWORD if value.is_last else Strength.RANDOM + 1
    if match["cell"] or match["args"]:
        return Strength.PASSWORD if value.is_last else Strength.RANDOM
    if value.is_last:
        return Strength.PHRASE if kind == "password" else Strength.PASSWORD
    is_word = match[0] == "=" or prefix.startswith("-")
    return Strength.PASSWORD if is_word or kind == "password" else Strength.RANDOM


def _needed_far(match: re.Match[str], kind: str, prefix: str, value: Value, is_verb: bool) -> int:
    """The strength that a value needs after its key and words or only a space. `is_verb`: the key is `pass` alone."""
    if kind in ("other", "session"):
        return Strength.RANDOM + 1
    if match["space"]:
        is_option = prefix.startswith("-") or match["space"].strip().isdigit()
        text = value.text
        is_mixed = len(text) >= 10 and text.lower() != text != text.upper() and text[0] not in "(["
        is_plain = is_option or (kind == "password" and not is_verb and (value.is_last or is_mixed))
    else:
        is_plain = value.is_last and (kind == "password" or not (match["gap"] or not match["sign"]))
    return Strength.PASSWORD if is_plain else Strength.RANDOM
