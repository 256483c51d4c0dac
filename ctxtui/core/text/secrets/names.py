"""The kind of value behind a key: a password, a token, an access key, or no secret."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from ctxtui.core.text.data.toml import packaged_toml


@cache
def table(name: str) -> dict[str, Any]:
    """The TOML file of that name beside this module."""
    return packaged_toml(__package__, f"{name}.toml")


# The beginning of a name, in lower case, and its kind.
NAMES: Final = {
    **dict.fromkeys((b"pass", b"pw", b"psk"), "password"),
    **dict.fromkeys((b"kennwort", b"senha", b"wachtwoord", b"contrase", b"parola", b"clave"), "password"),
    **dict.fromkeys((b"secret", b"cred"), "secret"),
    **dict.fromkeys((b"token", b"auth", b"sess", b"sig=", b"sid="), "token"),
    b"key": "key",
    b" pin": "pin",
    **dict.fromkeys((b"mnemonic", b"phrase"), "mnemonic"),
}
# The kinds whose value may be plain words.
PHRASED: Final = (b"pass", b"pw", b"mnemonic", b"phrase")
FOREIGN: Final = (
    "пароль", "Пароль", "密码", "密碼", "口令", "パスワード", "비밀번호", "lösenord", "Lösenord", "şifre", "Şifre",
    "hasło", "Hasło", "jelszó", "Jelszó",
)  # fmt: skip
ENDS: Final = {
    b"pass": re.compile(r"(?:w(?:or[dt]|d)|phrase|code|ord|e)?", re.IGNORECASE),
    b"pw": re.compile(r"d?", re.IGNORECASE),
    b"cred": re.compile(r"(?:ential)?s?", re.IGNORECASE),
    b"auth": re.compile(r"(?:orization|entication)?", re.IGNORECASE),
    b"sess": re.compile(r"(?:ion)?[_-]?(?:id|key|token)?", re.IGNORECASE),
    b"contrase": re.compile(r"(?:ña|na)", re.IGNORECASE),
}
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
# Prefixes written together with a name that otherwise begins a word: `apikey`, `dbpw`, `masterauth`.
_JOINED: Final = {
    b"key": frozenset("api access secret private auth account signing encryption master shared license".split()),
    b"pw": frozenset(("db", "root", "admin", "user")),
    b"auth": frozenset(("master",)),
    b"cred": frozenset[str](),
    b"psk": frozenset[str](),
}


def end_of_name(text: str, end: int, name: bytes) -> int | None:
    """The end of a name found up to `end`, with its ending. None if it is part of a word, such as `passing`."""
    rest = ENDS[name].match(text, end) if name in ENDS else None
    end = rest.end() if rest else end
    following = text[end : end + 1]
    is_inside = following.islower() or (following.isupper() and text[end - 1].isupper())
    return None if is_inside and following not in ("s", "S") else end


def words_of(key: str) -> list[str]:
    """The words of a key such as `DB_PASSWORD` or `nextPageToken`, in lower case."""
    return [word.lower() for word in _WORDS.findall(key)]


def is_other(words: list[str]) -> bool:
    """Whether a word of a key rules out a secret: `public`, `page`, `hash`, `length`."""
    return not _keys()["other"].isdisjoint(words)


def kind_of(name: bytes, prefix: str, word: str) -> str:
    """The kind of a key: `password`, `token`, `session`, `key` (of access), `other` (any key), or "" for none.

    `prefix` is the part of the key before the name, `word` the name as written.
    """
    words = words_of(prefix)
    if is_other(words):
        return ""
    is_joined = prefix[-1:].isalpha() and not (word[0].isupper() and prefix[-1].islower())
    if is_joined and name in _JOINED and not prefix.lower().endswith(tuple(_JOINED[name])):
        return ""
    if name == b"sess":
        return "session" if word.lower().endswith("id") else ""
    if name == b"key":
        return "key" if is_joined or not _keys()["access"].isdisjoint(words) else "other"
    return "password" if NAMES[name] == "password" else "token"


@cache
def _keys() -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in table("words")["keys"].items()}
