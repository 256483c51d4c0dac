"""The contract of entries specification 2."""

from __future__ import annotations

from typing import Protocol

from ctxtui.entries.types import ContextEntry, ContextQuery


class ContextProvider(Protocol):
    """Where entries are kept; a call is cancelled as any asyncio task is, what is being written then is."""

    async def query(self, query: ContextQuery) -> list[ContextEntry]:
        """The entries that meet all filters, newest first, then by id (entries specification 2.1).

        Raises ContextError: invalid_request for a negative `max_results`, others where entries are out of reach.
        """
        ...

    async def store(self, entry: ContextEntry) -> None:
        """Keep an entry, in place of one with the same id (entries specification 2.2).

        Raises ContextError: invalid_request for an entry that cannot be kept as it is, others where writing fails.
        """
        ...
