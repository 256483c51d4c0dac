"""The `.context` loader: a directory of context files as one summary within a budget.

Nothing is awaited.

>>> from ctxtui.loader import LoaderOptions, load_context
>>> loaded = load_context(LoaderOptions(root_dir="sample_context", token_budget=2000))
>>> loaded.token_count <= 2000, loaded.truncated, loaded.files[0].name
(True, True, 'CONSTITUTION')
"""

# ruff: noqa: I001 - each name is passed on as itself, those of a module together

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.loader.api import (
        ContextCache as ContextCache,
        LoaderOptions as LoaderOptions,
        load_context as load_context,
        load_context_file as load_context_file,
    )
    from ctxtui.loader.discovery import ContextNotFound as ContextNotFound, has_context as has_context
    from ctxtui.loader.types import (
        DEFAULT_PRIORITY as DEFAULT_PRIORITY,
        ContextFile as ContextFile,
        Item as Item,
        LoadedContext as LoadedContext,
        ParsedContent as ParsedContent,
        Section as Section,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__)
