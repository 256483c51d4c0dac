"""Model families: the dated table of tokenizers by model name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from ctxtui.core.text.data.toml import packaged_toml
from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER, TokenCounter, Weights

# Provider prefixes: `openrouter/anthropic/`, `us.anthropic.`, `@cf/meta/`.
_SERVED_BY = re.compile(r"^(?:[\w@.-]+/)*(?:(?:us|eu|apac|au|jp|global|regional)\.)?(?:[a-z0-9-]+\.(?=[a-z]))?")
_UNKNOWN = "another model"


@dataclass(frozen=True, slots=True)
class Family:
    """Models that share a tokenizer: a shipped encoding, or the weights and bands of an estimate.

    `ratio` is the number of tokens per token of `o200k_base`. 90 % of measured files lie within `band`, or `cjk`, in
    thousandths of the estimate. `reconstructed` is the version of the tokenizer in `ctok`. `checked` is a date,
    `source` the evidence.
    """

    name: str
    patterns: tuple[str, ...]
    checked: str
    source: str
    tokenizer: str = ""
    weights: Weights | None = None
    ratio: float = 1.0
    band: tuple[int, int] = (1000, 1000)
    cjk: tuple[int, int] = (1000, 1000)
    reconstructed: str = ""

    @property
    def is_known(self) -> bool:
        return self.name != _UNKNOWN

    def counter(self, model: str) -> TokenCounter:
        if self.tokenizer:
            return TokenCounter(model, self.tokenizer)
        low, high = self.band
        return TokenCounter(
            model, DEFAULT_TOKENIZER, self.weights, low, high, high, self.ratio, exact=False, cjk=self.cjk
        )


@cache
def families() -> tuple[Family, ...]:
    """The families of `models.toml` in order. The last one matches every name."""
    found = []
    for row in _table()["family"]:
        values = {field.name: row[field.name] for field in fields(Family) if field.name in row}
        values |= {key: tuple(values[key]) for key in ("patterns", "band", "cjk") if key in values}
        if "weights" in values:
            values["weights"] = Weights(*values["weights"])
        found.append(Family(**values | {"checked": str(values["checked"])}))
    return tuple(found)


def window_of(model: str) -> int | None:
    """The window in tokens of a model whose window the price data lack, None if unknown."""
    window = _table()["windows"].get(plain_name(model))
    return window if isinstance(window, int) else None


@cache
def _table() -> Mapping[str, Any]:
    return packaged_toml(__package__, "data/models.toml")


@cache
def family_of(model: str) -> Family:
    """The family of a model, the last one for an unknown model. Provider prefixes are ignored."""
    name = plain_name(model)
    return next(each for each in families() if any(re.search(pattern, name) for pattern in each.patterns))


def plain_name(model: str) -> str:
    """The lower-case name of a model without its provider prefix."""
    lower = model.strip().lower()
    return _SERVED_BY.sub("", lower) or lower
