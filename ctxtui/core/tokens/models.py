"""Context window and prices of models by name, from data made of genai-prices at each release."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near
from ctxtui.core.tokens.families import family_of, plain_name, window_of

Steps = tuple[tuple[int, Decimal], ...]
"""Pairs of tokens and dollars per million tokens: the rate of larger requests. The first rate is for all others."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model in the price data: its window in tokens, and the rates of input tokens that apply now.

    `cached` is the rate of tokens read from the provider's cache, `written` of those written to it. A rate is None if
    unknown.
    """

    name: str
    provider: str = ""
    window: int | None = None
    input: Steps | None = None
    cached: Steps | None = None
    written: Steps | None = None

    def dollars(self, tokens: int) -> Decimal | None:
        """The price of `tokens` uncached input tokens in US dollars, None if unknown."""
        return None if self.input is None else price(tokens, self.input)


def price(tokens: int, rates: Steps) -> Decimal:
    """The price in US dollars of a request with this number of `tokens`, all charged by the same `rates`."""
    rate = next((rate for above, rate in reversed(rates) if tokens > above), rates[0][1])
    return rate * tokens / 1_000_000


def price_edition() -> str:
    """The source of the price data with its version."""
    return str(_price_data()["source"])


def unknown_model(name: str) -> str | None:
    """The warning for a model of an unknown family, None for a known family."""
    family = family_of(name)
    if family.is_known:
        return None
    band = family.counter(name).band
    told = f"the tokenizer of {plain_line(name)} is not public; its tokens are estimated from o200k_base ({band})"
    close = None if find_model(name).provider else near_model(name)
    return f"{told}; {close}" if close else told


def near_model(name: str) -> str | None:
    """The hint with the closest known model name, None if no name is close."""
    return near(plain_name(name), [model.name for model in models()])


@cache
def models() -> tuple[Model, ...]:
    """The text models of VENDORS in the price data, by vendor and name."""
    found: dict[str, Model] = {}
    for vendor in VENDORS:
        rows = [row for row in _price_data()["providers"][vendor]["models"] if not _OTHER.search(row["id"].lower())]
        for row in sorted(rows, key=lambda row: str(row["id"])):
            found.setdefault(row["id"], _model(vendor, row))
    return tuple(found.values())


VENDORS = tuple("anthropic openai google x-ai deepseek mistral moonshotai zai minimax meta cohere".split())
# Models that take no text prompt, and models out of use for years.
_OTHER = re.compile(
    r"image|audio|voice|speech|tts|whisper|transcribe|translate|realtime|live|embed|moderation|ocr|vision|robotics|omni"
    r"|banana|voxtral|computer-use|^(text-|ft:)|^(ada|babbage|curie|davinci)|^(sora|veo|imagen|grok-imagine)"
)
_COMPACT_DATE = re.compile(r"-(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)")


def find_model(name: str) -> Model:
    """The model of a name, with any provider prefix. Window and rates are None, the provider empty, if unknown."""
    plain = plain_name(name)
    # Vendors write hyphens for dots in the version, and inside the date.
    dotless = dict.fromkeys((plain, plain.replace(".", "-")))
    for spelled in (each for one in dotless for each in (one, _COMPACT_DATE.sub(r"-\1-\2-\3", one))):
        for provider, row in _rows_for(spelled):
            if re.search(row["match"], spelled):
                found = _model(provider, row)
                return replace(found, name=name, window=found.window or window_of(name))
    return Model(name, window=window_of(name))


def _rows_for(name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each model of the first provider whose pattern matches a name, after the name of the provider."""
    for provider, data in _price_data()["providers"].items():
        if data["match"] and re.search(data["match"], name):
            yield from ((provider, row) for row in data["models"])
            return


@cache
def _price_data() -> Mapping[str, Any]:
    """`prices.json`, which `tests/price_data.py` makes and describes."""
    return json.loads((files(__package__) / "data" / "prices.json").read_text("utf-8"), parse_float=Decimal)  # type: ignore[no-any-return]


def _model(provider: str, row: Mapping[str, Any]) -> Model:
    now = datetime.now(tz=UTC)
    rates = next(each for each in reversed(row["prices"]) if _applies_at(each, now))
    steps = {
        key: tuple((above, Decimal(rate)) for above, rate in rates[key])
        for key in ("input", "cached", "written")
        if key in rates
    }
    return Model(row["id"], provider, row.get("window"), **steps)


def _applies_at(rates: Mapping[str, Any], now: datetime) -> bool:
    """Whether prices apply now: `since` a day, or between two `hours`, in UTC."""
    if "hours" in rates:
        start, end = rates["hours"]
        return bool(start <= f"{now:%H:%M}" < end)
    return bool(rates.get("since", "") <= f"{now:%Y-%m-%d}")
