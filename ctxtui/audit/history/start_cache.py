"""Agent starts in old states, by cache key."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import NamedTuple

_DIGEST = 32


def file_number(path: str, content: str) -> int:
    """A number for one file of a state. The sum over all files identifies the state."""
    return int.from_bytes(blake2b(f"{path}\0{content}".encode(), digest_size=_DIGEST).digest())


def state_key(number: int, basis: bytes) -> bytes:
    """The cache key of a state. `basis` covers all other inputs of the costs."""
    state = (number % (1 << 8 * _DIGEST)).to_bytes(_DIGEST)
    return blake2b(basis + state, digest_size=_DIGEST).digest()


class Start(NamedTuple):
    """The starts in one state: tokens by agent, and files that only other files name."""

    tokens: Mapping[str, int]
    others: frozenset[str]
