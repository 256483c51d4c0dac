"""The plausibility of a credential: recognizes placeholders, defaults, names and hashes."""

from __future__ import annotations

import re
from base64 import b64decode
from enum import IntEnum
from functools import cache, lru_cache
from typing import Final
from urllib.parse import unquote

from ctxtui.core.text.secrets.names import table


class Strength(IntEnum):
    """How much a value looks like a credential."""

    NONE = 0
    PHRASE = 1  # several plain words, or a short password
    PASSWORD = 2  # letters and digits or signs, eight characters or more
    RANDOM = 3  # not what a person would write


_MASK: Final = re.compile(r"(?<![A-Za-z0-9])[xX]{3,}(?![A-Za-z0-9])|\*{3}|\.{3}|…|[•●·]{2}|#{4}|\?{3}")
_LINE: Final = re.compile(r"_{4}|-{4}")
_XS: Final = re.compile(r"[xX]{4,}")
_SEQUENCE: Final = re.compile(
    r"0?1234567?8?9?0?|9876543?2?1?0?|abcdefg?h?i?j?k?l?m?n?o?p?q?r?s?t?u?v?w?x?y?z?|([^A])\1{7,}", re.IGNORECASE
)
# Random letters contain four `x` in a row now and then: a value is filled up if a fourth of it or more is filler.
_FILLERS: Final = (_XS, re.compile(r"_{4,}|-{4,}"), _SEQUENCE)
_FILLED: Final = 1 / 4
_TEMPLATE: Final = re.compile(
    r"[$<\[{].*|%[A-Za-z_({].*|@[A-Za-z]\w*[.:({].*|![a-z_]+.*|&[a-z_.]+|\#[{ ].*|:[a-z_]+"
    r"|.*(?:\$\{|\$\(|\{\{|\#\{|<[A-Za-z/]|\{[A-Za-z_][\w.]*\}|%[sdv]\b|%[A-Za-z_]\w*%|://).*",
    re.DOTALL,
)
_ASKED: Final = re.compile(
    r"(?:my|insert|enter|replace|paste|change|put|add|fill|example|dummy|fake|some|the)[-_ A-Z].*"
    r"|your.*|.*[-_ ]here\W*",
    re.DOTALL,
)
_CONSTANT: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_REFERENCE: Final = re.compile(
    r"[A-Za-z_]\w*(?:(?:\??\.|::|->)[A-Za-z_]\w*)+(?:[(\[{].*)?|[A-Za-z_][\w.:]*[(\[{].*", re.DOTALL
)
_IDENTIFIER: Final = re.compile(
    r"_*[a-z]+(?:[A-Z][a-z]+)+(?:_[a-z]+)*[0-9]?|_*[a-z]+(?:_[a-z]+)+[0-9]?|[a-z]{1,19}|(?:[A-Z][a-z]+)+[0-9]?"
)
_PATH: Final = re.compile(r"(?:[.~]{0,2}|[A-Za-z]:|[\w.@-]+)[/\\](?:[\w.@:*#-]+[/\\])*[\w.@:*#-]*")
_FILE: Final = re.compile(r"[\w.-]+\.[a-z]{2,4}[0-9]?|[\w.-]+\.(?:properties|example|local)")
_HASHED: Final = re.compile(
    r"\$(?:[0-9a-z]{1,10})\$.*|(?:sha|md|SHA|MD)[0-9]{1,3}[-:=].*|\{?(?:SSHA|SHA|bcrypt|argon)\w*\}?.*|pbkdf2.*|(?:ENC|enc)\[.*|\{cipher\}.*"
    r"|vault:v[0-9].*|Ag[A-D][A-Za-z0-9+/]{60,}={0,2}|gAAAAA[\w-]{60,}={0,2}",
    re.DOTALL,
)
_NUMBER: Final = re.compile(
    r"[0-9][0-9.,:_/xX+-]*(?:[a-zA-Z%]{1,3}|seconds?|minutes?|hours?|days?|bytes|chars|characters|tokens|bits?)?"
)
_TERM: Final = re.compile(
    r"(?:base|sha|md|utf|oauth|aes|rsa|ed|rs|hs|es|ps|argon|bcrypt|pbkdf|http|https|ipv|x|web|s|ec|k|v|tls|ssl|i|p|cl|o|gpt|claude|python|node|sm)[0-9]{1,5}[a-z]{0,4}",
    re.IGNORECASE,
)
_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DEFAULT: Final = re.compile(r"p[a@4]ssw[o0]rd\W{0,2}[0-9]{0,4}\W{0,2}", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_COUNTING: Final = re.compile(
    r"0*1?2?3?4?5?6?7?8?9?0?|[0-9]{1,2}|(?:19|20)[0-9]{2}|([0-9])\1*|321|4321|54321|000[0-9]?|100"
)
_COUNTED: Final = re.compile(r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?(?:0*1|123|1234|12345|0+|789|456)")
_HEX: Final = re.compile(r"(?:0x)?(?:[0-9a-f]{32,}|[0-9A-F]{32,})")
# An account or contract of a blockchain, which is public. Its key has 64 digits.
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PHRASE: Final = re.compile(r"[A-Za-z]{3,12}(?:[-_. +][A-Za-z]{3,12}){2,7}")
_ENOUGH: Final = 80
_ESCAPE: Final = re.compile(r"%[0-9A-F]{2}")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]{7,}={1,2}|[A-Za-z0-9+/]{12,}")
_ORDINARY: Final = frozenset("_-./\\:")
_SIGNED: Final = re.compile(r"[A-Za-z][!?*+%&$#@^~][A-Za-z]")
_REGEX: Final = re.compile(r"\\[swdbSWDB][*+{]?|\[\^?[A-Za-z0-9]-[A-Za-z0-9]|\.[*+]\??[$)]|\(\?")


@cache
def _vocabulary() -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in table("words")["words"].items()}


@cache
def _words() -> frozenset[str]:
    return frozenset().union(*_vocabulary().values()) - _vocabulary()["published"]


def is_sample(value: str) -> bool:
    """Whether a value of a known shape is a documented example or a mask."""
    return (
        "example" in value.lower()
        or value in _vocabulary()["published"]
        or bool(_MASK.search(value))
        or _is_filled(value, _FILLERS)
        or len(set(value)) < 6
        or (not any(char.isdigit() for char in value) and _spells(value[-20:]))
    )


def _is_filled(value: str, fillers: tuple[re.Pattern[str], ...]) -> bool:
    filler = sum(len(match[0]) for each in fillers for match in each.finditer(value))
    return filler >= _FILLED * len(value)


def _spells(value: str) -> bool:
    """Whether a value contains placeholder words. If it has only letters, they must be a fourth of it."""
    spelled = sum(len(word) for word in _telling_words() if word in value)
    return spelled >= _FILLED * len(value) if value.isalpha() else spelled > 0


@cache
def _telling_words() -> tuple[str, ...]:
    words = [word for word in _vocabulary()["fields"] | _vocabulary()["placeholders"] if len(word) > 3]
    return tuple(form for word in words for form in (word, word.capitalize(), word.upper()))


def strength(value: str) -> Strength:
    """How much a value looks like a credential, by its first 80 characters."""
    return Strength.NONE if value in _vocabulary()["published"] else _strength(value[:_ENOUGH])


# Cached, because text can repeat one piece endlessly.
@lru_cache(maxsize=512)
def _strength(value: str) -> Strength:
    value = _decoded(value)
    if len(value) < 6 or _is_no_credential(value):
        return Strength.NONE
    if _is_random(value):
        return Strength.RANDOM
    has_letter = any(char.isalpha() for char in value)
    has_digit = any(char.isdigit() for char in value)
    if has_letter and has_digit:
        return Strength.PASSWORD if len(value) >= 8 and not _COUNTED.fullmatch(value) else Strength.PHRASE
    if has_letter and len(value) >= 8 and value.isascii() and value.lower() != value and _SIGNED.search(value):
        return Strength.PASSWORD
    return Strength.PHRASE if _is_phrase(value) else Strength.NONE


def _is_phrase(value: str) -> bool:
    """Whether a value consists of plain words. None of them names a field, and at most one is a common word."""
    words = [word.lower() for word in _WORD.findall(value)]
    if not (_PHRASE.fullmatch(value) and len(value) >= 14) and not (
        len(value) >= 20 and value.isascii() and value.isalpha() and value.islower()
    ):
        return False
    return sum(word in _words() for word in words) < 2 and not any(word in _vocabulary()["fields"] for word in words)


def _decoded(value: str) -> str:
    """The password in readable base64 such as `dXNlcjpwYXNz`. For other values, the value without percent escapes."""
    if "%" in value and _ESCAPE.search(value):
        value = unquote(value)
    if not _BASE64.fullmatch(value) or len(value) % 4:
        return value
    text = b64decode(value).decode("utf-8", "replace")
    return text.rpartition(":")[2] if text.isascii() and text.isprintable() else value


def _is_random(value: str) -> bool:
    """Whether a value looks random: digits, small letters and capitals alternate more than in words and numbers."""
    if len(value) < 16 or len(set(value)) < 8 or " " in value:
        return False
    if _HEX.fullmatch(value) or _UUID.fullmatch(value):
        return True
    letters = [char for char in value if char.isalnum()]
    if not letters:
        return False
    mixed = sum(map(_differ, value, value[1:]))
    if not any(char.isdigit() for char in value):
        capitals = sum(char.isupper() for char in letters)
        return len(value) >= 20 and mixed * 6 >= len(letters) and 0.25 < capitals / len(letters) < 0.75
    return mixed * 5 >= len(letters)


def _differ(left: str, right: str) -> bool:
    """Whether one of two characters is a digit and one a letter, or the left is small and the right a capital."""
    if not (left.isalnum() and right.isalnum()):
        return False
    return left.isdigit() != right.isdigit() or (left.islower() and right.isupper())


def _is_no_credential(value: str) -> bool:
    """Whether a value is a placeholder, template, name, path, number, hash or only common words."""
    if _REGEX.search(value):
        return True
    if _is_noise(value):
        return False
    if (
        len(set(value)) < 4
        or "example" in value.lower()
        or _MASK.search(value)
        or _LINE.search(value)
        or _is_filled(value, (_XS,))
        or any(rule.fullmatch(value) for rule in _NEVER)
    ):
        return True
    is_named = _PATH.fullmatch(value) or _REFERENCE.fullmatch(value)
    return bool(is_named and not _is_random(value)) or _is_common(value)


def _is_noise(value: str) -> bool:
    """Whether a value is long and full of punctuation, like keys that frameworks generate."""
    if len(value) < 32 or value.isalnum():
        return False
    signs = {char for char in set(value) if not char.isalnum()} - _ORDINARY
    return len(signs) >= 6 and " " not in value and "://" not in value and _is_random(value)


def _is_common(value: str) -> bool:
    """Whether a value consists only of common words and counting numbers."""
    bare = _SEQUENCE.sub("", value)
    left = [word for word in set(_WORD.findall(bare)) if not _is_common_word(word.lower())]
    return sum(map(len, left)) < 3 and len(left) < 3


def _is_common_word(word: str) -> bool:
    if word.isdigit():
        return bool(_COUNTING.fullmatch(word))
    if word in _words():
        return True
    # Words written together: `mysecretkey`.
    reached = {0}
    for end in range(2, min(len(word), 32) + 1):
        if any(start in reached and word[start:end] in _words() for start in range(max(0, end - 14), end - 1)):
            reached.add(end)
    return len(word) in reached


_NEVER: Final = (
    _TEMPLATE, _ASKED, _CONSTANT, _IDENTIFIER, _FILE, _HASHED, _NUMBER, _TERM, _EMAIL, _DEFAULT, _ADDRESS,
)  # fmt: skip
