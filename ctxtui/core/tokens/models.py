"""Models by name: their tokenizer or measured estimate, their window and their price."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from importlib.resources import files

from ctxtui.core.data.toml import load_toml
from ctxtui.core.errors import ContextError
from ctxtui.core.tokens.counter import HEURISTIC, TokenCounter
from ctxtui.core.tokens.encodings import VOCABULARIES
from ctxtui.core.wording import near

# The open-weight models' encoding differs from o200k_base in special tokens only.
_SAME_RANKS = {"o200k_harmony": "o200k_base"}


@dataclass(frozen=True, slots=True)
class Estimate:
    """One row of the estimates: tokens per o200k_base token for a family of models, and its source."""

    patterns: tuple[str, ...]
    ratio: float
    low: float
    high: float
    source: str


@dataclass(frozen=True, slots=True)
class Model:
    """The price data of a model: its window in tokens and the price of a million input tokens."""

    name: str
    provider: str
    window: int | None
    dollars_per_million: Decimal | None

    def dollars(self, tokens: int) -> Decimal | None:
        """The price of `tokens` input tokens, uncached, in US dollars."""
        rate = self.dollars_per_million
        return None if rate is None else rate * tokens / 1_000_000


def model_counter(name: str) -> TokenCounter:
    """The counter for a model's name, by tiktoken's own mapping or by the measured estimates.

    Raises ContextError (invalid_request) for a model unknown to both.
    """
    basis = _published_encoding(name)
    if basis in VOCABULARIES:
        return TokenCounter(name, basis)
    for row in estimates():
        if any(re.search(pattern, name, re.IGNORECASE) for pattern in row.patterns):
            return TokenCounter(name, "o200k_base", row.ratio, row.low, row.high, row.high, exact=False)
    if basis:
        raise ContextError(
            "invalid_request",
            f"{name} uses the encoding {basis}, which is not shipped",
            hint=_known_hint(name),
        )
    raise ContextError("invalid_request", f"unknown tokenizer or model: {name}", hint=_known_hint(name))


def estimate_for(name: str) -> Estimate | None:
    """The estimate behind a model's number; None if the count is exact."""
    if _published_encoding(name) in VOCABULARIES:
        return None
    matches = (row for row in estimates() if any(re.search(p, name, re.IGNORECASE) for p in row.patterns))
    return next(matches, None)


def _published_encoding(name: str) -> str:
    import tiktoken.model  # noqa: PLC0415 - only when a model is named

    try:
        basis = tiktoken.model.encoding_name_for_model(name)
    except KeyError:
        return ""
    return _SAME_RANKS.get(basis, basis)


@cache
def estimates() -> tuple[Estimate, ...]:
    """The rows of `estimates.toml`, in order."""
    data = load_toml((files(__package__) / "data" / "estimates.toml").read_text("utf-8"))
    return tuple(Estimate(**row | {"patterns": tuple(row["patterns"])}) for row in data["estimate"])


def _known_hint(name: str) -> str:
    known = [*VOCABULARIES, HEURISTIC.name, *(model.name for model in models())]
    return near(name, known) or f"known tokenizers: {', '.join(VOCABULARIES)}, {HEURISTIC.name}"


@cache
def models() -> tuple[Model, ...]:
    """The current text models of the vendors with known numbers, from the price data, by name."""
    from genai_prices.data import providers  # noqa: PLC0415 - 0.25 s: only when models or money are shown

    found: dict[str, Model] = {}
    for provider in providers:
        if provider.id in _VENDORS:
            for info in provider.models:
                found.setdefault(info.id, _model(info, provider.id))
    return tuple(sorted(found.values(), key=lambda model: (_VENDORS.index(model.provider), model.name)))


_VENDORS = ("openai", "anthropic", "google", "deepseek", "mistral")


def find_model(name: str) -> Model:
    """The model of that name in the price data; window and price are None if unknown."""
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - as in `models`

    try:
        provider, info = get_snapshot().find_provider_model(name, None, None, None)
    except LookupError:
        return Model(name, "", None, None)
    model = _model(info, provider.id)
    return Model(name, model.provider, model.window, model.dollars_per_million)


def _model(info: object, provider: str) -> Model:
    return Model(str(getattr(info, "id", "")), provider, getattr(info, "context_window", None), _input_price(info))


def _input_price(info: object) -> Decimal | None:
    get_prices = getattr(info, "get_prices", None)
    rate = getattr(get_prices(datetime.now(tz=UTC)), "input_mtok", None) if get_prices else None
    base = getattr(rate, "base", rate)
    return Decimal(base) if isinstance(base, Decimal | int | float | str) else None
