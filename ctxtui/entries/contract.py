"""The contract of entries specification 2."""

from __future__ import annotations

from typing import Protocol

from ctxtui.entries.types import ContextEntry, ContextQuery


class ContextProvider(Protocol):
    """A store of entries. Calls can be cancelled like any asyncio task, but a write in progress completes."""

    async def query(self, query: ContextQuery) -> list[ContextEntry]:
        """The entries that meet all filters, newest first, then by id (entries specification 2.1).

        Raises ContextError: invalid_request for a negative `max_results`, others if the entries cannot be reached.
        """
        ...

    async def store(self, entry: ContextEntry) -> None:
        """Store an entry, replacing an entry with the same id (entries specification 2.2).

        Raises ContextError: invalid_request for an entry that cannot be stored unchanged, others if writing fails.
        """
        ...
