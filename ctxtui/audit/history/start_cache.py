"""What agents cost at the start in old states, by keys, so that a history is computed once."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import NamedTuple

_DIGEST = 32


def file_number(path: str, content: str) -> int:
    """A number for one file of a state; the numbers of all files add up to the number of the state, in any order."""
    return int.from_bytes(blake2b(f"{path}\0{content}".encode(), digest_size=_DIGEST).digest())


def state_key(number: int, basis: bytes) -> bytes:
    """The key of a state: its number, and as `basis` all else that the costs depend on."""
    state = (number % (1 << 8 * _DIGEST)).to_bytes(_DIGEST)
    return blake2b(basis + state, digest_size=_DIGEST).digest()


class Start(NamedTuple):
    """What agents loaded in one state: tokens at the start by agent, and files that only other files name."""

    tokens: Mapping[str, int]
    others: frozenset[str]
