"""The `.context` loader of seed 002."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxtui.loader.cache import ContextCache
    from ctxtui.loader.discovery import ContextNotFound, has_context
    from ctxtui.loader.load import LoaderOptions, load_context, load_context_file
    from ctxtui.loader.priority import DEFAULT_PRIORITY
    from ctxtui.loader.values import ContextFile, Item, LoadedContext, ParsedContent, Section

_HOMES = {
    "ContextCache": "cache",
    "ContextFile": "values",
    "ContextNotFound": "discovery",
    "DEFAULT_PRIORITY": "priority",
    "Item": "values",
    "LoadedContext": "values",
    "LoaderOptions": "load",
    "ParsedContent": "values",
    "Section": "values",
    "has_context": "discovery",
    "load_context": "load",
    "load_context_file": "load",
}

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


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: the workspace needs only the source from here."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - lazily, as the docstring says

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
