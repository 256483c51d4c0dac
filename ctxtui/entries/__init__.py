"""Business entries: query and store what people know besides the code.

Providers are awaited, and so is `business_context`.

>>> import asyncio
>>> from ctxtui.entries import ContextQuery, FileContextProvider
>>> notes = FileContextProvider("sample_context/notes")
>>> found = asyncio.run(notes.query(ContextQuery(tags=("refunds",), max_results=1)))
>>> found[0].entry_id, found[0].category.value
('refund-window-30-days', 'Decision')
"""

# ruff: noqa: I001 - each name is passed on as itself, those of a module together

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.entries.as_record import to_json as to_json
    from ctxtui.entries.business import business_context as business_context
    from ctxtui.entries.providers import (
        FileContextProvider as FileContextProvider,
        InMemoryContextProvider as InMemoryContextProvider,
    )
    from ctxtui.entries.types import (
        ContextCategory as ContextCategory,
        ContextEntry as ContextEntry,
        ContextProvider as ContextProvider,
        ContextQuery as ContextQuery,
        ReferenceCode as ReferenceCode,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__)
