"""Prompts: passages of a project that answer one, found by its own index or by an MCP server of the user's."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final

from ctxtui.core.errors import ContextError
from ctxtui.core.files.text import Lines
from ctxtui.core.target import Target
from ctxtui.retrieval import ContextRetrievalRequest, ContextSnippet, FilesystemProvider
from ctxtui.workspace.listing import listing_of
from ctxtui.workspace.scope import EVERYTHING
from ctxtui.workspace.search import Hit
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.retrieval.client.provider import McpProvider

FILESYSTEM: Final = "filesystem"
_LINES = re.compile(r"#L(\d{1,9})-L(\d{1,9})$")
_MOST = 30
_LONGEST_END = 3.0
# While the user types, indexing continues step by step and the disk is not checked for each letter.
_PATIENCE, _MAX_AGE = 1.0, 3.0


class PromptSearch:
    """Answers prompts for one project; `configured` is the user's own `[mcp]`. Thread-safe."""

    def __init__(self, configured: Mapping[str, Any]) -> None:
        self._configured = configured
        self._filesystem: FilesystemProvider | None = None
        self._scope = EVERYTHING
        self._servers: dict[str, McpProvider] = {}

    @property
    def engines(self) -> tuple[str, ...]:
        """The project's own index, and the configured servers."""
        return (FILESYSTEM, *self._configured)

    def find(self, workspace: Workspace, engine: str, prompt: str, stop: Event) -> list[Hit]:
        """The best passages, best first; raises ContextError if the engine fails."""
        root = str(workspace.root)
        if engine != FILESYSTEM:
            request = ContextRetrievalRequest(prompt, "app", "app", root, "mcp", _MOST)
            return list(_hits(workspace, asyncio.run(self._server(engine).retrieve(request))))
        request = ContextRetrievalRequest(prompt, "app", "app", root, FILESYSTEM, _MOST)
        found = self._index(workspace).search(
            request, is_cancelled=stop.is_set, is_typing=True, max_age=_MAX_AGE, patience=_PATIENCE
        )
        return list(_hits(workspace, found.snippets, [hit.matched for hit in found.hits]))

    def _index(self, workspace: Workspace) -> FilesystemProvider:
        """The project's own index, a new one if the listing changes."""
        if self._filesystem is None or self._scope != workspace.scope:
            if self._filesystem is not None:
                self._filesystem.close()
            listing = listing_of(workspace.root, workspace.scope)
            self._filesystem = FilesystemProvider([workspace.root], on_notice=lambda _notice: None, listing=listing)
            self._scope = workspace.scope
        return self._filesystem

    def _server(self, name: str) -> McpProvider:
        if name not in self._servers:
            # The SDK takes a second to import; only requests to a server need it.
            from ctxtui.retrieval.client.provider import McpProvider  # noqa: PLC0415
            from ctxtui.retrieval.client.target import engine_target  # noqa: PLC0415

            target = engine_target(name, self._configured)
            self._servers[name] = McpProvider(target, on_notice=lambda _notice: None)
        return self._servers[name]

    def close(self) -> None:
        """End servers that were started, and close the index."""
        for server in self._servers.values():
            # In a thread: the caller may run in its own event loop.
            ending = Thread(target=lambda server=server: asyncio.run(server.aclose()))
            ending.start()
            ending.join(_LONGEST_END)
        if self._filesystem is not None:
            self._filesystem.close()


def _hits(
    workspace: Workspace, snippets: Sequence[ContextSnippet], matched: Sequence[tuple[str, ...]] | None = None
) -> Iterator[Hit]:
    """The snippets whose files are in the tree, by the section they begin in."""
    for place, snippet in enumerate(snippets):
        reference = workspace.by_path.get(snippet.path)
        if reference is None:
            continue
        found = _LINES.search(snippet.id)
        lines = (int(found[1]), int(found[2])) if found else None
        id_ = reference.id
        if lines is not None:
            id_ = _section(workspace, snippet.path, lines[0]) or id_
        terms = matched[place] if matched else ()
        line = lines[0] if lines else None
        yield Hit(id_, reference, snippet.score, (snippet.provider,), line, snippet.content, lines, terms)


def _section(workspace: Workspace, path: str, line: int) -> str | None:
    """The id of the innermost section that contains a line."""
    reference = workspace.by_path[path]
    try:
        document = workspace.document(reference)
    except ContextError:
        return None
    offset = Lines.of(document.text).start(line - 1)
    inside = [part for part in document.parts if part.start <= offset < part.end and part.level]
    return str(Target(reference.id, inside[-1].slug)) if inside else None
