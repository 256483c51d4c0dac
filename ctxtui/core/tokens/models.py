"""Context window and price of models by name."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near
from ctxtui.core.tokens.families import family_of, plain_name, window_of

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider


@dataclass(frozen=True, slots=True)
class Model:
    """A model in the price data: its window in tokens and the price of a million input tokens."""

    name: str
    provider: str
    window: int | None
    dollars_per_million: Decimal | None

    def dollars(self, tokens: int) -> Decimal | None:
        """The price of `tokens` uncached input tokens in US dollars."""
        rate = self.dollars_per_million
        return None if rate is None else rate * tokens / 1_000_000


def unknown_model(name: str) -> str | None:
    """The warning for a model of an unknown family, None for a known family."""
    family = family_of(name)
    if family.is_known:
        return None
    band = family.counter(name).band
    told = f"the tokenizer of {plain_line(name)} is not public; its tokens are estimated from o200k_base ({band})"
    close = None if price_data(name) else near_model(name)
    return f"{told}; {close}" if close else told


def near_model(name: str) -> str | None:
    """The hint with the closest known model name, None if no name is close."""
    return near(plain_name(name), [model.name for model in models()])


@cache
def models() -> tuple[Model, ...]:
    """The text models of the vendors in the price data, by vendor and name."""
    from genai_prices.data import providers  # noqa: PLC0415 - 0.25 s: only when models or money are shown

    found: dict[str, Model] = {}
    for provider in providers:
        if provider.id in _VENDORS:
            for info in provider.models:
                if not _OTHER.search(info.id.lower()):
                    found.setdefault(info.id, _model(info, provider.id))
    return tuple(sorted(found.values(), key=lambda model: (_VENDORS.index(model.provider), model.name)))


_VENDORS = (
    "anthropic",
    "openai",
    "google",
    "x-ai",
    "deepseek",
    "mistral",
    "moonshotai",
    "zai",
    "minimax",
    "meta",
    "cohere",
)
# Models that take no text prompt, and models out of use for years.
_OTHER = re.compile(
    r"image|audio|voice|speech|tts|whisper|transcribe|translate|realtime|live|embed|moderation|ocr|vision|robotics|omni"
    r"|banana|voxtral|computer-use|^(text-|ft:)|^(ada|babbage|curie|davinci)|^(sora|veo|imagen|grok-imagine)"
)


def find_model(name: str) -> Model:
    """The model of a name, with any provider prefix. Window and price are None if unknown."""
    found = price_data(name)
    if found is None:
        return Model(name, "", window_of(name), None)
    provider, info = found
    model = _model(info, provider.id)
    return Model(name, model.provider, model.window or window_of(name), model.dollars_per_million)


def price_data(name: str) -> tuple[Provider, ModelInfo] | None:
    """The vendor and the model in the packaged price data, None if the name is unknown."""
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - as in `models`

    wanted = plain_name(name)
    for spelled in dict.fromkeys((wanted, wanted.replace(".", "-"))):
        with suppress(LookupError):
            return get_snapshot().find_provider_model(spelled, None, None, None)
    return None


def _model(info: ModelInfo, provider: str) -> Model:
    return Model(str(getattr(info, "id", "")), provider, getattr(info, "context_window", None), _input_price(info))


def _input_price(info: object) -> Decimal | None:
    get_prices = getattr(info, "get_prices", None)
    rate = getattr(get_prices(datetime.now(tz=UTC)), "input_mtok", None) if get_prices else None
    base = getattr(rate, "base", rate)
    return Decimal(base) if isinstance(base, Decimal | int | float | str) else None
