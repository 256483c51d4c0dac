"""Find passages for a prompt with the project's own index or an MCP server of the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.target import Target
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.retrieval import ContextRetrievalRequest, ContextSnippet, FilesystemProvider, SearchResult
from ctxtui.retrieval.index.index import OnReached, Reached
from ctxtui.retrieval.index.weigh import Weighed
from ctxtui.workspace.listing import listing_of
from ctxtui.workspace.scope import EVERYTHING
from ctxtui.workspace.search import Hit, is_all
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.retrieval.client.provider import McpProvider

FILESYSTEM: Final = "filesystem"
_LINES = re.compile(r"#L(\d{1,9})-L(\d{1,9})$")
_MOST = 30
_LONGEST_END = 3.0
# While the user types, indexing continues step by step and skips disk checks between letters.
_PATIENCE, _MAX_AGE = 1.0, 3.0


@dataclass(frozen=True, slots=True)
class Passages:
    """Passages, best first, and notices. `reached` is the indexed part, None for everything.

    `tokens` are those of the payload with all passages, 0 if nobody asked for them.
    """

    hits: Sequence[Hit]
    notices: Sequence[Notice] = ()
    reached: Reached | None = None
    tokens: int = 0


class PromptSearch:
    """Searches one project. `configured` is the user's own `[mcp]`. Thread-safe."""

    def __init__(self, configured: Mapping[str, Any]) -> None:
        self._configured = configured
        self._filesystem: FilesystemProvider | None = None
        self._scope = EVERYTHING
        self._servers: dict[str, McpProvider] = {}
        # Notices of the servers beside their answers.
        self._server_notices: list[Notice] = []

    @property
    def engines(self) -> tuple[str, ...]:
        """The names of the project's index and of the user's servers."""
        return (FILESYSTEM, *self._configured)

    def find(self, workspace: Workspace, engine: str, prompt: str, stop: Event) -> Passages:
        """The best passages for a prompt that is being typed, from the project's index or a configured server.

        The index, if `engine` is `filesystem`, answers after a moment with what it holds then. Raises ContextError if
        the engine fails, and if `stop` is set while the index is searched.
        """
        request = _request(workspace, "app", prompt, "filesystem" if engine == FILESYSTEM else "mcp")
        if engine != FILESYSTEM:
            self._server_notices.clear()
            import asyncio  # noqa: PLC0415 - only for servers

            snippets = asyncio.run(self._server(engine).retrieve(request))
            return Passages(list(_hits(workspace, snippets)), tuple(self._server_notices))
        result = self._index(workspace).search(
            request, is_cancelled=stop.is_set, is_typing=True, max_age=_MAX_AGE, patience=_PATIENCE
        )
        return _passages(workspace, result)

    def find_in_all(self, workspace: Workspace, prompt: str, on_reached: OnReached | None = None) -> Passages:
        """The best passages of the whole project, which is indexed first. `on_reached` receives the progress.

        Raises RetrievalError.
        """
        request = _request(workspace, "cli", prompt, "filesystem")
        return _passages(workspace, self._index(workspace).search(request, on_reached=on_reached))

    def paths_headed(self, workspace: Workspace, query: str) -> list[str]:
        """The paths of files with the query as a phrase in a heading or symbol. Its last word may be incomplete.

        Raises RetrievalError.
        """
        return self._index(workspace).headed(str(workspace.root), query)

    def weigh(
        self, workspace: Workspace, words: Mapping[str, float], on_reached: OnReached | None = None
    ) -> tuple[Weighed, list[Notice]]:
        """Every file weighed by a task's words, given with factors, and notices. `on_reached` gets the progress."""
        return self._index(workspace).weigh(str(workspace.root), words, on_reached=on_reached)

    def _index(self, workspace: Workspace) -> FilesystemProvider:
        """The project's own index, new if the listing changed."""
        if self._filesystem is None or self._scope != workspace.scope:
            if self._filesystem is not None:
                self._filesystem.close()
            listing = listing_of(workspace.root, workspace.scope)
            # The notices are in each answer.
            self._filesystem = FilesystemProvider(
                [workspace.root], on_notice=lambda _notice: None, listing=listing, reader=workspace.reader
            )
            self._scope = workspace.scope
        return self._filesystem

    def _server(self, name: str) -> McpProvider:
        """The client of a configured server, made on first use."""
        if name not in self._servers:
            # The SDK takes a second to import. Only requests to a server need it.
            from ctxtui.retrieval.client.provider import McpProvider  # noqa: PLC0415
            from ctxtui.retrieval.client.target import engine_target  # noqa: PLC0415

            target = engine_target(name, self._configured)
            self._servers[name] = McpProvider(target, on_notice=self._server_notices.append)
        return self._servers[name]

    def close(self) -> None:
        """End the servers, each within three seconds, and close the index."""
        for server in self._servers.values():
            import asyncio  # noqa: PLC0415 - as in `find`

            # In a thread, since the caller may run in its own event loop.
            ending = Thread(target=lambda server=server: asyncio.run(server.aclose()))
            ending.start()
            ending.join(_LONGEST_END)
        if self._filesystem is not None:
            self._filesystem.close()


def _passages(workspace: Workspace, result: SearchResult) -> Passages:
    hits = _hits(workspace, result.snippets, [(hit.line, hit.matched) for hit in result.hits])
    return Passages(list(hits), result.notices, result.reached)


def _request(workspace: Workspace, who: str, prompt: str, provider: Any) -> ContextRetrievalRequest:
    return ContextRetrievalRequest(prompt, who, who, str(workspace.root), provider, _MOST)


def _hits(
    workspace: Workspace, snippets: Sequence[ContextSnippet], matched: Sequence[tuple[int, tuple[str, ...]]] = ()
) -> Iterator[Hit]:
    """A hit for each snippet whose file is in the tree.

    `matched` has each snippet's first line with a word of the prompt, and these words, if the engine reports them.
    """
    for place, snippet in enumerate(snippets):
        reference = workspace.by_path.get(snippet.path)
        if reference is None:
            continue
        found = _LINES.search(snippet.id)
        lines = (int(found[1]), int(found[2])) if found else None
        line, terms = matched[place] if matched else (lines[0] if lines else None, ())
        id_, name = reference.id, "" if snippet.source == snippet.path else snippet.source
        if lines is not None and line is not None:
            id_, name = _id_and_name(workspace, reference, lines, line) or (id_, name)
        about = (snippet.provider,)
        yield Hit(id_, reference, snippet.score, about, line, snippet.content, lines, terms, name)


def _id_and_name(
    workspace: Workspace, reference: Reference, lines: tuple[int, int], line: int
) -> tuple[str, str] | None:
    """The id to pick for a passage, and the names of its section and ancestors. None if the file is unreadable.

    `lines` are the first and last line of the passage, `line` its matching line, from 1. The id is that of the
    section around `line`, or of the `lines` if that section contains others or the file has none, because these would
    bring much that was not found. A file that lies wholly in the passage is picked whole.
    """
    try:
        document = workspace.document(reference)
    except ContextError:
        return None
    text, starts = document.text, document.lines
    offset = starts.start(line - 1)
    inside = [part for part in document.parts if part.start <= offset < part.end]
    part = inside[-1] if inside else None
    name = " / ".join(each.name for each in document.lineage(part) if each.level) if part is not None else ""
    if part is not None and not part.children and not is_all(document, part):
        return str(Target(reference.id, part.slug)), name
    before, after = text[document.body_start : starts.start(lines[0] - 1)], text[starts.start(lines[1]) :]
    is_whole = not before.strip() and not after.strip()
    return reference.id if is_whole else str(Target.of_lines(reference.id, *lines)), name
