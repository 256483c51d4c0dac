"""Browse, curate and audit the context files that feed language models, with exact token counts.

Nothing is awaited except `Workspace.resolve`, which computes the queries of a selection.

>>> from ctxtui import Workspace
>>> session = Workspace.open("sample_context").session(budget="2k").pick("AGENTS.md")
>>> payload = session.payload(format="xml")
>>> payload.tokens, [block.id for block in payload.blocks]
(611, ['AGENTS.md'])
"""

# ruff: noqa: I001 - each name is passed on as itself, those of a module together

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names
from ctxtui.version import __version__ as __version__

if TYPE_CHECKING:
    from ctxtui import (
        agents as agents,
        audit as audit,
        catalog as catalog,
        core as core,
        entries as entries,
        loader as loader,
        mcp as mcp,
        retrieval as retrieval,
        slices as slices,
    )
    from ctxtui.core.base.errors import ContextError as ContextError
    from ctxtui.core.base.notices import Notice as Notice
    from ctxtui.core.payload.types import Block as Block, Payload as Payload
    from ctxtui.session.session import Session as Session
    from ctxtui.workspace.workspace import Workspace as Workspace
else:
    __getattr__, __dir__ = lazy_names(__name__)
