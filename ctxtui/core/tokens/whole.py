"""The tokens of one whole text, known as well as is possible here."""

from __future__ import annotations

from dataclasses import dataclass

from ctxtui.core.tokens.counter import Label, TokenCounter
from ctxtui.core.tokens.encodings import count_tokens
from ctxtui.core.tokens.families import family_of
from ctxtui.core.tokens.ledger import Ledger, digest_of
from ctxtui.core.tokens.reconstructed import edition, is_installed, reconstructed_tokens


@dataclass(frozen=True, slots=True)
class Whole:
    """The `tokens` of a text, how they are known, and the exact tokens in the basis of an estimate.

    `band` is the band of an estimate in words, empty for any other label.
    """

    tokens: int
    label: Label
    basis_tokens: int
    band: str = ""


def count_whole(text: str, counter: TokenCounter, ledger: Ledger | None = None) -> Whole:
    """The tokens of a whole text: exact, else with a reconstructed vocabulary if there is one, else estimated.

    With a ledger, counts that take long are kept there.
    """
    if counter.exact:
        tokens = counter.count(text)
        return Whole(tokens, "exact", tokens)
    basis = len(text) if counter.weights is None else count_tokens(text, counter.basis)
    version = family_of(counter.name).reconstructed if counter.weights is not None else ""
    if version and is_installed():
        return Whole(_reconstructed(text, version, ledger), "reconstructed", basis)
    return Whole(counter.count(text), "estimated", basis, counter.band_of(text))


def is_reconstructible(counter: TokenCounter) -> bool:
    """Whether `count_whole` knows more about a text than the counter's estimate."""
    return counter.weights is not None and bool(family_of(counter.name).reconstructed) and is_installed()


def _reconstructed(text: str, version: str, ledger: Ledger | None) -> int:
    if ledger is None:
        return reconstructed_tokens(text, version)
    basis, digest = f"{edition()} {version}", digest_of(text.encode("utf-8", "surrogatepass"))
    known = ledger.find_contents(basis, {digest}).get(digest)
    if known is not None:
        return known.counts.units
    tokens = reconstructed_tokens(text, version)
    ledger.keep(basis, digest, tokens)
    return tokens
