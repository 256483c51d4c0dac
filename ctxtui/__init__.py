"""Browse, curate and audit the context files that feed language models, with exact token counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxtui.core.errors import ContextError
    from ctxtui.core.notices import Notice
    from ctxtui.core.payload import Block, Payload
    from ctxtui.session.session import Session
    from ctxtui.workspace.workspace import Workspace

__version__ = "0.1.0"

_HOMES = {
    "Block": "ctxtui.core.payload",
    "ContextError": "ctxtui.core.errors",
    "Notice": "ctxtui.core.notices",
    "Payload": "ctxtui.core.payload",
    "Session": "ctxtui.session.session",
    "Workspace": "ctxtui.workspace.workspace",
}

__all__ = ["Block", "ContextError", "Notice", "Payload", "Session", "Workspace", "__version__"]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `ctxtui --version` stays instant."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - lazily, as the docstring says

    return getattr(import_module(_HOMES[name]), name)
