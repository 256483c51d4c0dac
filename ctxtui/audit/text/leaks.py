"""Credentials that look real: the export guard's finds without examples and mere names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2

from ctxtui.core.text.decode import Lines
from ctxtui.core.text.secrets import Secret
from ctxtui.core.text.secrets.names import NAMES

# Kinds recognized by the name or place of a value, not by its shape.
_IN_URL = "url-password"
_VAGUE = frozenset({*NAMES.values(), _IN_URL, "webhook"})
# The host after a password in a URL: a database or queue that somebody has at one of these services.
_HOSTED = re.compile(
    r"@[\w.-]{1,200}\.(?:mongodb\.net|amazonaws\.com|azure\.com|neon\.tech|supabase\.com?|upstash\.io|rlwy\.net"
    r"|render\.com|aivencloud\.com|psdb\.cloud|redis-cloud\.com|cockroachlabs\.cloud|ondigitalocean\.com|cloudamqp\.com)\b"
)
_TOKEN = re.compile(r"[A-Za-z0-9+/=_.:-]+")
# Words that mark examples, near the value or in it.
_EXAMPLE = re.compile(
    r"example|sample|dummy|fake|placeholder|changeme|your[-_ ]|xxx|redact|mock|stub|\btest|❌|\bbad\b|wrong|insecure"
    r"|vulnerab|hard-?coded|\bnever\b|\bdon't\b|do not|e\.g\.|such as|format|pattern|regex|detect|leak"
    # The tokens of RFC 6749, which texts about OAuth copy.
    r"|2YotnFZFEjr1zCsicMWpAA|tGzv3JOkF0XG5Qx2TlKWIA|SplxlOBeZQQYbYS6WxSbIA|7Fjfp0ZBr1KtDRbnfVdmIw",
    re.IGNORECASE,
)
_RISING = ("abcdefghijklmnopqrstuvwxyz", "01234567890123456789")
_NEAR = 10
# The most characters of the word before a token, with its spaces.
_BEARER = len("Bearer   ")
_LONG_RUN = 5
_LEAST_BITS = 3.2
_LEAST_LENGTH = 16
_LEAST_NAMED = 20
_LEAST_KEY = 200
_LEAST_PASSWORD = 8


@dataclass(frozen=True, slots=True)
class Leak:
    """A credential's kind and line, from 1, but never its value.

    It is `sure` if the value itself shows its kind, and not only the name before it.
    """

    kind: str
    line: int
    sure: bool = True


def find_leaks(text: str, found: Sequence[Secret]) -> tuple[Leak, ...]:
    """The found secrets that look real: random enough, and not near words for examples."""
    return tuple(_leaks(text, found, Lines.of(text))) if found else ()


def _leaks(text: str, found: Sequence[Secret], lines: Lines) -> Iterator[Leak]:
    for secret in found:
        line = lines.at(secret.start)
        around = text[lines.start(max(line - _NEAR, 0)) : lines.start(line + 2)]
        value = text[secret.start : secret.end]
        # What follows this word is no checksum.
        is_borne = text[max(0, secret.start - _BEARER) : secret.start].rstrip().lower().endswith("bearer")
        is_real = _is_real(secret.rule, value, is_borne) or (
            secret.rule == _IN_URL and _is_password(value) and _HOSTED.match(text, secret.end) is not None
        )
        if is_real and not _EXAMPLE.search(around[-2_000:]):
            yield Leak(secret.rule, line + 1, secret.rule not in _VAGUE)


def _is_real(kind: str, value: str, is_borne: bool) -> bool:
    if kind == "private-key":
        return len(value) >= _LEAST_KEY and "..." not in value
    # A name proves little, so the value must look like a credential and nothing else.
    is_mixed = len(value) >= _LEAST_NAMED and value.isalnum() and not (value.islower() or value.isupper())
    return _is_random(value) and (kind not in _VAGUE or is_borne or is_mixed)


def _is_password(value: str) -> bool:
    """Whether the password of `user:password` is one that somebody chose, and no placeholder."""
    password = value.rpartition(":")[2]
    is_kept = len(password) >= _LEAST_PASSWORD and not _EXAMPLE.search(value) and "password" not in password.lower()
    return is_kept and any(map(str.isdigit, password)) and any(map(str.isalpha, password))


def _is_random(value: str) -> bool:
    """Whether a value has unordered letters and digits, and no words."""
    if len(value) < _LEAST_LENGTH or not _TOKEN.fullmatch(value) or _EXAMPLE.search(value):
        return False
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    counts = Counter(value)
    bits = -sum(count / len(value) * log2(count / len(value)) for count in counts.values())
    parts = [part for part in re.split(r"[-_./:]", value) if part]
    # Words with hyphens, as in addresses and names.
    is_worded = len(parts) >= 4 and sum(part.isalpha() or part.isdigit() for part in parts) > len(parts) / 2
    return bits >= _LEAST_BITS and not _is_counted(value) and not is_worded


def _is_counted(value: str) -> bool:
    """Whether the letters or the digits are in rising order, as in the examples `abcdef` and `123456`."""
    for is_kind, order in ((str.isalpha, _RISING[0]), (str.isdigit, _RISING[1])):
        kept = "".join(filter(is_kind, value.lower()))
        if any(kept[place : place + _LONG_RUN] in order for place in range(len(kept) - _LONG_RUN + 1)):
            return True
    return False
