"""What every system shares: reading, Markdown, exact token counts, budgets and export formats."""

from __future__ import annotations

from ctxtui.core.errors import ContextError, NotFound, OverBudget
from ctxtui.core.notices import Notice, OnNotice
from ctxtui.core.tokens.counter import TokenCounter, get_counter

__all__ = ["ContextError", "NotFound", "Notice", "OnNotice", "OverBudget", "TokenCounter", "get_counter"]
