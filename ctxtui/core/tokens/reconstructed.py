"""Counts with a reconstructed vocabulary: of Claude's tokenizer, by `ctok`, if it is installed."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec


@cache
def is_installed() -> bool:
    """Whether `ctok` can be imported."""
    return find_spec("ctok") is not None


@cache
def edition() -> str:
    """The installed `ctok` and its version; counts of another version are counted again."""
    from importlib.metadata import version  # noqa: PLC0415 - slow to load, and optional

    return f"ctok {version('ctok')}"


def reconstructed_tokens(text: str, tables: str) -> int:
    """The tokens of a text alone, without what a request wraps around it; about 0.3 MB a second."""
    import ctok  # noqa: PLC0415 - optional, and slow to load

    return int(ctok.token_count(text, tables)) - _wrapping(tables) if text else 0


@cache
def _wrapping(tables: str) -> int:
    """The tokens that a request adds to its text, as a text of one token shows."""
    import ctok  # noqa: PLC0415 - as above

    return int(ctok.token_count("a", tables)) - 1
