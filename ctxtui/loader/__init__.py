"""The `.context` loader: a directory of context files as one summary within a budget.

Nothing is awaited.

>>> from ctxtui.loader import LoaderOptions, load_context
>>> loaded = load_context(LoaderOptions(root_dir="sample_context", token_budget=2000))
>>> loaded.token_count <= 2000, loaded.truncated, loaded.files[0].name
(True, True, 'CONSTITUTION')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.loader.api import ContextCache, LoaderOptions, load_context, load_context_file
    from ctxtui.loader.discovery import ContextNotFound, has_context
    from ctxtui.loader.types import DEFAULT_PRIORITY, ContextFile, Item, LoadedContext, ParsedContent, Section
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "discovery": "ContextNotFound has_context",
            "api": "ContextCache LoaderOptions load_context load_context_file",
            "types": "DEFAULT_PRIORITY ContextFile Item LoadedContext ParsedContent Section",
        },
    )

__all__ = [
    "DEFAULT_PRIORITY",
    "ContextCache",
    "ContextFile",
    "ContextNotFound",
    "Item",
    "LoadedContext",
    "LoaderOptions",
    "ParsedContent",
    "Section",
    "has_context",
    "load_context",
    "load_context_file",
]
