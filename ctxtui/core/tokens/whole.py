"""The tokens of a whole text: exact, measured, reconstructed or estimated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

from ctxtui.core.base.digest import text_digest
from ctxtui.core.tokens.counter import Label, TokenCounter
from ctxtui.core.tokens.encodings import count_tokens
from ctxtui.core.tokens.ledger import Ledger


@cache
def has_ctok() -> bool:
    return find_spec("ctok") is not None


@cache
def ctok_edition() -> str:
    """The name and installed version of `ctok`, part of the cache key. It must be installed."""
    from importlib.metadata import version  # noqa: PLC0415 - slow to load, and optional

    return f"ctok {version('ctok')}"


def reconstructed_tokens(text: str, tables: str) -> int:
    """The tokens of a text by the vocabulary `tables` of `ctok`, without a request around it, at about 0.3 MB/s."""
    import ctok  # noqa: PLC0415 - optional, and slow to load

    return int(ctok.token_count(text, tables)) - _request_overhead(tables) if text else 0


@cache
def _request_overhead(tables: str) -> int:
    """The tokens that a request adds to its text, measured with a text of one token."""
    import ctok  # noqa: PLC0415 - optional, and slow to load

    return int(ctok.token_count("a", tables)) - 1


@dataclass(frozen=True, slots=True)
class Whole:
    """The `tokens` of a text, how they were found, the exact tokens in the basis encoding, an estimate's `band`."""

    tokens: int
    label: Label
    basis_tokens: int
    band: str = ""


def count_whole(text: str, counter: TokenCounter, ledger: Ledger | None = None) -> Whole:
    """The tokens of a whole text: exact, else measured, else reconstructed, else estimated.

    A reconstructed count is slow, so it is kept in the ledger.
    """
    if counter.exact:
        exact = counter.count(text)
        return Whole(exact, "exact", exact)
    basis = len(text) if counter.weights is None else count_tokens(text, counter.basis)
    measured = _kept_count(ledger, _measured_key(counter.name), text) if counter.weights is not None else None
    if measured is not None:
        return Whole(measured, "measured", basis)
    version = _vocabulary_name(counter)
    if version and has_ctok():
        key = f"{ctok_edition()} {version}"
        tokens = _kept_count(ledger, key, text)
        if tokens is None:
            tokens = reconstructed_tokens(text, version)
            if ledger is not None:
                ledger.keep_count(key, text_digest(text), tokens)
        return Whole(tokens, "reconstructed", basis)
    return Whole(counter.count(text), "estimated", basis, counter.band_of(text))


def is_reconstructible(counter: TokenCounter) -> bool:
    """Whether `count_whole` can beat the estimate by a reconstructed vocabulary."""
    return bool(_vocabulary_name(counter)) and has_ctok()


def _vocabulary_name(counter: TokenCounter) -> str:
    """The name of the reconstructed vocabulary for a counter's model, empty if there is none."""
    if counter.weights is None:
        return ""
    from ctxtui.core.tokens.families import family_of  # noqa: PLC0415 - only for estimates

    return family_of(counter.name).reconstructed


def keep_measured(ledger: Ledger, model: str, text: str, tokens: int) -> None:
    """Keep the tokens that a vendor's endpoint counted, for `count_whole`."""
    ledger.keep_count(_measured_key(model), text_digest(text), tokens)


def _kept_count(ledger: Ledger | None, basis: str, text: str) -> int | None:
    return None if ledger is None else ledger.kept_count(basis, text_digest(text))


def _measured_key(model: str) -> str:
    from ctxtui.core.tokens.families import plain_name  # noqa: PLC0415 - only for estimates

    return f"measured {plain_name(model)}"
