"""The shipped price data answer as the library they are made of."""

from datetime import UTC, date, datetime
from decimal import Decimal
from importlib.metadata import version

import pytest
from genai_prices import Usage
from genai_prices.data import providers
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelInfo, Provider

from ctxtui.audit.prices import money
from ctxtui.core.tokens.families import plain_name, window_of
from ctxtui.core.tokens.models import find_model, models, price_edition
from tests import price_data

_NAMES = sorted({plain_name(model.id) for provider in providers for model in provider.models})


@pytest.fixture(autouse=True)
def same_edition() -> None:
    if price_edition() != f"genai-prices {version('genai-prices')}":
        pytest.skip("another edition of the prices is installed")


def test_the_file_is_what_the_script_makes() -> None:
    text = price_data.FILE.read_text("utf-8")
    assert text == price_data.made(date.fromisoformat(text.partition('"date": "')[2][:10]))


def test_models_and_prices_are_those_of_the_library() -> None:
    """Of 100 and 300,000 tokens, on either side of the steps for long requests."""
    known = 0
    for name in _NAMES:
        found, published = find_model(name), _published(name) or _published(name.replace(".", "-"))
        if published is None:
            assert not found.provider, name
            continue
        known += 1
        provider, model = published
        assert (found.provider, found.window) == (provider.id, model.context_window or window_of(name)), name
        prices = model.get_prices(datetime.now(tz=UTC))
        for tokens in (100, 300_000):
            first, cached = (
                prices.calc_price(Usage(input_tokens=tokens, **{f"cache_{kind}_tokens": tokens}))["input_price"]
                for kind in ("write", "read")
            )
            expense = money(name, [("start", tokens)]).expenses[0]
            assert (expense.first or 0, expense.cached or first) == (first, cached or first), name
    assert known > 400


def _published(name: str) -> tuple[Provider, ModelInfo] | None:
    try:
        return get_snapshot().find_provider_model(name, None, None, None)
    except LookupError:
        return None


def test_the_list_has_the_newest_models_of_all_vendors() -> None:
    found = models()
    assert {"anthropic", "openai", "google", "zai"} <= {model.provider for model in found}
    assert all(model.name for model in found)
    assert sum(model.window is not None for model in found) > len(found) / 2
    # Prices have no rounding.
    assert (find_model("claude-haiku-4-5").cached or ())[0] == (0, Decimal("0.1"))
