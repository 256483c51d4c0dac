"""Shared by every system: reading, Markdown, exact token counts, budgets and export formats.

Nothing is awaited.

>>> from ctxtui.core import get_counter
>>> counter = get_counter("o200k_base")
>>> counter.count("Refunds are possible for 30 days."), counter.exact
(9, True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.core.base.errors import ContextError, NotFound, OverBudget
    from ctxtui.core.base.notices import Notice, OnNotice
    from ctxtui.core.tokens.by_name import get_counter
    from ctxtui.core.tokens.counter import TokenCounter
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "base.errors": "ContextError NotFound OverBudget",
            "base.notices": "Notice OnNotice",
            "tokens.by_name": "get_counter",
            "tokens.counter": "TokenCounter",
        },
    )

__all__ = ["ContextError", "NotFound", "Notice", "OnNotice", "OverBudget", "TokenCounter", "get_counter"]
