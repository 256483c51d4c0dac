"""The MCP server: the project's context for agents, over stdio or HTTP.

Nothing is awaited: `serve` runs until standard input ends or a signal arrives, and needs the extra `mcp`.

>>> from pathlib import Path
>>> from ctxtui.mcp import Options, serve
>>> serve(Path("sample_context"), Options())  # with nothing on standard input
0
"""

# ruff: noqa: I001 - each name is passed on as itself, those of a module together

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.mcp.run import Options as Options, serve as serve
else:
    __getattr__, __dir__ = lazy_names(__name__)
