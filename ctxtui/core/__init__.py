"""Shared by every system: reading, Markdown, exact token counts, budgets and export formats.

Nothing is awaited.

>>> from ctxtui.core import get_counter
>>> counter = get_counter("o200k_base")
>>> counter.count("Refunds are possible for 30 days."), counter.exact
(9, True)
"""

# ruff: noqa: I001 - each name is passed on as itself, those of a module together

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.core.base.errors import ContextError as ContextError, NotFound as NotFound, OverBudget as OverBudget
    from ctxtui.core.base.notices import Notice as Notice, OnNotice as OnNotice
    from ctxtui.core.tokens.by_name import get_counter as get_counter
    from ctxtui.core.tokens.counter import TokenCounter as TokenCounter
else:
    __getattr__, __dir__ = lazy_names(__name__)
