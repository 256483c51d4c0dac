"""Boards of published artifacts, and the view of one agent (slices specification 5)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol

from ctxtui.core.base.errors import ContextError
from ctxtui.slices.artifact import Artifact, Clock, an_artifact, utc_now
from ctxtui.slices.filters import FilterConfig, a_filter
from ctxtui.slices.visibility import Identity, Viewer

QueryResult = tuple[list[Artifact], int]
"""The matching artifacts up to the limit, and the number of all matches."""


class Board(Protocol):
    """Keeps artifacts and answers queries. It returns copies only (slices specification 5)."""

    async def publish(self, artifact: Artifact) -> None:
        """Store an artifact, replacing an artifact with the same id."""

    async def get(self, id: str) -> Artifact | None:  # noqa: A002 - the word for it everywhere
        """The artifact with an id, or None."""

    async def query_artifacts(self, filters: FilterConfig | None = None, embed_meta: bool = False) -> QueryResult:
        """The matching artifacts, with their `meta` if `embed_meta`, up to the limit, and the total without it."""


def answer_query(artifacts: Iterable[Artifact], filters: FilterConfig | None, embed_meta: bool) -> QueryResult:
    """Copies of the artifacts that answer a query, and the number of all matches before the limit.

    The criteria come first, then the order, then the limit.
    """
    filters = a_filter(filters)
    matching = filters.sort(each for each in artifacts if filters.matches(each))
    return [each.copy(with_meta=embed_meta) for each in matching[: filters.limit]], len(matching)


class InMemoryBoard:
    """A board for tests and short runs. Its owner sees everything, agents get a bound view."""

    def __init__(self) -> None:
        self._artifacts: dict[str, Artifact] = {}

    async def publish(self, artifact: Artifact) -> None:
        """Store a copy, replacing an artifact with the same id."""
        self._artifacts[artifact.id] = an_artifact(artifact).copy()

    async def get(self, id: str) -> Artifact | None:  # noqa: A002 - as in the protocol
        """A copy of the artifact with an id, or None."""
        artifact = self._artifacts.get(id)
        return artifact and artifact.copy()

    async def query_artifacts(self, filters: FilterConfig | None = None, embed_meta: bool = False) -> QueryResult:
        """Copies of the matching artifacts in order, up to the limit, and the total without the limit."""
        return answer_query(self._artifacts.values(), filters, embed_meta)


@dataclass(frozen=True, slots=True, eq=False)
class BoundBoard:
    """A read-only board as one identity sees it. Hidden artifacts are neither returned nor counted.

    It holds two functions instead of a board, so that callers cannot reach the board behind it.
    """

    identity: Identity
    _get: Callable[[str], Awaitable[Artifact | None]] = field(repr=False)
    _query: Callable[[FilterConfig, bool], Awaitable[QueryResult]] = field(repr=False)

    async def publish(self, artifact: Artifact) -> None:
        """Raise ContextError (unauthorized)."""
        hint = "agents publish what their engines return"
        raise ContextError("unauthorized", f"{artifact.id}: context is read, never published", hint=hint)

    async def get(self, id: str) -> Artifact | None:  # noqa: A002 - as in the protocol
        """The artifact with an id. None for an unknown or hidden artifact."""
        return await self._get(id)

    async def query_artifacts(self, filters: FilterConfig | None = None, embed_meta: bool = False) -> QueryResult:
        """The visible artifacts in order, up to the limit. The total counts visible artifacts."""
        return await self._query(a_filter(filters), embed_meta)


def bind(board: Board, viewer: Viewer, clock: Clock = utc_now) -> BoundBoard:
    """A board as a viewer sees it. A second binding can only hide more."""
    identity = Identity(viewer.name, viewer.labels, viewer.tenant)
    if isinstance(board, BoundBoard) and board.identity == identity:
        return board

    async def get(id: str) -> Artifact | None:  # noqa: A002 - as in the protocol
        artifact = await board.get(id)
        return artifact if artifact and artifact.shows_to(identity, clock()) else None

    async def query(filters: FilterConfig, embed_meta: bool) -> QueryResult:
        now = clock()
        matching, _ = await board.query_artifacts(replace(filters, limit=None), embed_meta)
        visible = [artifact for artifact in matching if artifact.shows_to(identity, now)]
        return visible[: filters.limit], len(visible)

    return BoundBoard(identity, get, query)
