"""The price data of the package, made of genai-prices: `python -m tests.price_data` before a release.

`prices.json` has a provider in each entry of `providers`, with the pattern of the names it serves, and a model in each
line. `prices` are rates in dollars for a million tokens by kind, each with the size of requests above which it
applies. Of several prices of a model the last one that applies counts: `since` a day, or between two `hours` in UTC.
"""

import json
import re
from datetime import UTC, date, datetime
from importlib.metadata import version

from genai_prices import types
from genai_prices.data import providers

from ctxtui.core.tokens.models import VENDORS
from tests.conftest import REPOSITORY

FILE = REPOSITORY / "ctxtui" / "core" / "tokens" / "data" / "prices.json"
_KINDS = {"input": "input_mtok", "cached": "cache_read_mtok", "written": "cache_write_mtok"}
# Their names are told by a prefix, which ctxtui takes off.
_BY_PREFIX = ("cloudflare", "fireworks")


def made(day: date) -> str:
    """The data file, with the prices that apply on a day or later."""
    heads = (
        f'{json.dumps(each.id)}: {{{_fields(match=_pattern(each.model_match))}, "models": [\n'
        + ",\n".join(_model(model, day) for model in each.models)
        + "\n]}"
        for each in providers
        if (each.model_match or each.id in VENDORS) and each.id not in _BY_PREFIX
    )
    source = f"genai-prices {version('genai-prices')}"
    return f'{{{_fields(source=source, date=str(day))}, "providers": {{\n' + ",\n".join(heads) + "\n}}\n"


def _fields(**values: object) -> str:
    return json.dumps(values)[1:-1]


def _model(model: types.ModelInfo, day: date) -> str:
    kept = model.prices if isinstance(model.prices, list) else [types.ConditionalPrice(prices=model.prices)]
    begun = [at for at, each in enumerate(kept) if (since := _since(each)) is not None and since <= str(day)]
    window = {"window": model.context_window} if model.context_window else {}
    prices = [_rates(each) for each in kept[begun[-1] :]]
    # Prices that have begun need no day.
    prices[0].pop("since", None)
    return json.dumps({"id": model.id, "match": _pattern(model.match), **window, "prices": prices})


def _since(price: types.ConditionalPrice) -> str | None:
    if price.constraint is None:
        return ""
    return str(price.constraint.start_date) if isinstance(price.constraint, types.StartDateConstraint) else None


def _rates(price: types.ConditionalPrice) -> dict[str, object]:
    rates: dict[str, object] = {}
    if isinstance(price.constraint, types.TimeOfDateConstraint):
        start, end = price.constraint.start_time, price.constraint.end_time
        assert start < end, "the hours reach over midnight, which the reader does not know"
        rates["hours"] = [f"{each:%H:%M}" for each in (start, end)]
    elif since := _since(price):
        rates["since"] = since
    for kind, key in _KINDS.items():
        rate = getattr(price.prices, key)
        if isinstance(rate, types.TieredPrices):
            rates[kind] = [[0, float(rate.base)], *([tier.start, float(tier.price)] for tier in rate.tiers)]
        elif rate is not None:
            rates[kind] = [[0, float(rate)]]
    return rates


def _pattern(clause: object) -> str:
    """The regular expression of a condition on names in lower case."""
    match clause:
        case types.ClauseStartsWith(text):
            return f"^{_escaped(text)}"
        case types.ClauseEndsWith(text):
            return f"{_escaped(text)}$"
        case types.ClauseContains(text):
            return _escaped(text)
        case types.ClauseEquals(text):
            return f"^{_escaped(text)}$"
        case types.ClauseRegex(pattern):
            return pattern if isinstance(pattern, str) else pattern.pattern
        case types.ClauseOr(clauses):
            return "|".join(f"(?:{_pattern(each)})" for each in clauses)
        case types.ClauseAnd(clauses):
            return "^" + "".join(f"(?=.*(?:{_pattern(each)}))" for each in clauses)
    return ""


def _escaped(text: str) -> str:
    return re.escape(text.lower()).replace("\\-", "-")


if __name__ == "__main__":
    FILE.write_text(made(datetime.now(tz=UTC).date()), "utf-8")
