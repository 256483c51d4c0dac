"""Browse, curate and audit the context files that feed language models, with exact token counts.

Nothing is awaited except `Workspace.resolve`, which computes the queries of a selection.

>>> from ctxtui import Workspace
>>> session = Workspace.open("sample_context").session(budget="2k").pick("AGENTS.md")
>>> payload = session.payload(format="xml")
>>> payload.tokens, [block.id for block in payload.blocks]
(611, ['AGENTS.md'])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names
from ctxtui.version import __version__

if TYPE_CHECKING:
    from ctxtui import agents, audit, catalog, core, entries, loader, mcp, retrieval, slices
    from ctxtui.core.base.errors import ContextError
    from ctxtui.core.base.notices import Notice
    from ctxtui.core.payload.types import Block, Payload
    from ctxtui.session.session import Session
    from ctxtui.workspace.workspace import Workspace
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "core.base.errors": "ContextError",
            "core.base.notices": "Notice",
            "core.payload.types": "Block Payload",
            "session.session": "Session",
            "workspace.workspace": "Workspace",
        },
        packages="agents audit catalog core entries loader mcp retrieval slices",
    )

__all__ = [
    "Block",
    "ContextError",
    "Notice",
    "Payload",
    "Session",
    "Workspace",
    "__version__",
    "agents",
    "audit",
    "catalog",
    "core",
    "entries",
    "loader",
    "mcp",
    "retrieval",
    "slices",
]
