"""Numbers of tokens as people write them."""

from __future__ import annotations

import re

from ctxtui.core.base.errors import ContextError

_SIZE = re.compile(r"([0-9][0-9_,]{0,17}(?:\.[0-9]{1,6})?)\s*([kKmM]?)")
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}


def parse_tokens(text: str) -> int:
    """A number of tokens such as `12000`, `12,000`, `12k` or `1.5m`.

    Raises ContextError (invalid_request) for anything else.
    """
    from decimal import Decimal  # noqa: PLC0415 - most commands are given no such number

    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ContextError("invalid_request", f"not a number of tokens: {text!r}", hint="write 12000 or 12k")
    number = Decimal(match[1].replace(",", "").replace("_", ""))
    return round(number * _FACTORS[match[2].lower()])
