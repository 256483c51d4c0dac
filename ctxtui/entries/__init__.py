"""The business entries of seed 001: query and store what people know beside the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxtui.entries.as_json import to_json
    from ctxtui.entries.business import business_context
    from ctxtui.entries.contract import ContextProvider
    from ctxtui.entries.file import FileContextProvider
    from ctxtui.entries.memory import InMemoryContextProvider
    from ctxtui.entries.values import ContextCategory, ContextEntry, ContextQuery, ReferenceCode

_HOMES = {
    "ContextCategory": "values",
    "ContextEntry": "values",
    "ContextProvider": "contract",
    "ContextQuery": "values",
    "FileContextProvider": "file",
    "InMemoryContextProvider": "memory",
    "ReferenceCode": "values",
    "business_context": "business",
    "to_json": "as_json",
}

__all__ = [
    "ContextCategory",
    "ContextEntry",
    "ContextProvider",
    "ContextQuery",
    "FileContextProvider",
    "InMemoryContextProvider",
    "ReferenceCode",
    "business_context",
    "to_json",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: the workspace needs only the source from here."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - lazily, as the docstring says

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
