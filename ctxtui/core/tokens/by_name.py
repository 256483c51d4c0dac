"""Counters by name: of a tokenizer, or of a model."""

from __future__ import annotations

from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER, HEURISTIC, TokenCounter
from ctxtui.core.tokens.encodings import VOCABULARIES

_EXACT = {name: TokenCounter(name, name) for name in VOCABULARIES}


def get_counter(name: str = DEFAULT_TOKENIZER) -> TokenCounter:
    """The counter for a tokenizer (`o200k_base`, `cl100k_base`, `heuristic`) or for a model's name.

    Raises ContextError (invalid_request) for a name that is neither; the hint names the closest.
    """
    if name in _EXACT:
        return _EXACT[name]
    if name == HEURISTIC.name:
        return HEURISTIC
    from ctxtui.core.tokens.models import model_counter  # noqa: PLC0415 - models are looked up when named

    return model_counter(name)
