"""Counters by the name of a tokenizer or a model."""

from __future__ import annotations

from ctxtui.core.base.errors import invalid
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near
from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER, HEURISTIC, TokenCounter
from ctxtui.core.tokens.encodings import VOCABULARIES

_TOKENIZERS = {name: TokenCounter(name, name) for name in VOCABULARIES} | {HEURISTIC.name: HEURISTIC}


def get_counter(name: str = DEFAULT_TOKENIZER) -> TokenCounter:
    """The counter for a tokenizer (`o200k_base`, `cl100k_base`, `heuristic`) or a model of a known family.

    Raises ContextError (invalid_request) for any other name, with the closest name as hint.
    """
    if name in _TOKENIZERS:
        return _TOKENIZERS[name]
    from ctxtui.core.tokens.families import family_of  # noqa: PLC0415 - only when a model is named

    family = family_of(name)
    if family.is_known:
        return family.counter(name)
    from ctxtui.core.tokens.models import near_model  # noqa: PLC0415 - as above

    hint = near(name, _TOKENIZERS) or near_model(name) or f"known tokenizers: {', '.join(_TOKENIZERS)}"
    raise invalid(f"unknown tokenizer or model: {plain_line(name)}", hint=hint)


def model_counter(model: str) -> TokenCounter:
    """The counter for a model, exact or an estimate with a band. Raises ContextError for a blank name."""
    from ctxtui.core.tokens.families import family_of  # noqa: PLC0415 - as above

    if not model.strip():
        raise invalid("the name of the model is blank", hint="such as gpt-6 or claude-opus-5")
    return family_of(model).counter(model)


def counter_of(name: str) -> TokenCounter:
    """The counter for a tokenizer or for any model, as results name it. Raises ContextError for a blank name."""
    return _TOKENIZERS.get(name) or model_counter(name)
