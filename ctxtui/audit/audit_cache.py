"""The cache of audit results.

The cache key covers the state of the scan, user files, scope, counter, settings and the program. Disk lookups outside
the scan are checked again.
"""

from __future__ import annotations

import json
from dataclasses import astuple, replace
from sys import intern
from typing import TYPE_CHECKING, Final, TypeVar

from ctxtui.agents import load_table
from ctxtui.agents.types import Agent, Row
from ctxtui.audit.disk_facts import DiskFacts
from ctxtui.audit.types import Settings
from ctxtui.core.data.typed_rows import Rows
from ctxtui.core.errors import ContextError
from ctxtui.core.files.kept import kept_file, read_kept, write_kept
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.above import is_in_repository
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited

Value = TypeVar("Value")

UNREAD: Final = "unreadable-file"
"""The notice code for unreadable files."""
_LEAST_SECRET: Final = 8


class AuditCache:
    """The cached result of one audit. `kind` is part of the cache key."""

    def __init__(self, kind: str, workspace: Workspace, counter: TokenCounter, settings: Settings) -> None:
        self._workspace, self._settings = workspace, settings
        self._table = settings.table or load_table()
        # A start can be counted whole later, without any change of a file.
        is_told = counter.exact or counter.weights is None or not settings.start_limits
        self._is_possible = bool(workspace.state) and settings.table == workspace.scope.table and is_told
        rules = replace(settings, off=frozenset())
        counted = (counter.name, counter.key, counter.exact)
        # The text form of a server leaves out its transport.
        servers = [astuple(each) for each in settings.servers]
        place = "\0".join(map(repr, (workspace.root, workspace.scope, counted, sorted(settings.off), rules, servers)))
        home, above = workspace.home, workspace.above
        user = (home.at, sorted(home.versions.items()))
        is_repository = is_in_repository(workspace.root)
        seen = (workspace.state, workspace.notices, above.base, above.paths, user, is_repository)
        self._file = kept_file(kind, _bytes(place))
        self._state = _bytes(f"{place}\0{seen!r}")

    def read(self, kind: type[Value]) -> Value | None:
        """Read the result, or None if it is not cached for exactly this state."""
        kept = read_kept(self._file, self._state) if self._is_possible else None
        if kept is None:
            return None
        try:
            answers, texts, rows, *parts = kept.lines
            # Results of large projects use much memory.
            del kept
            if not DiskFacts(self._workspace, self._settings.table).are_still(json.loads(answers)):
                return None
            return self._rows(list(map(intern, json.loads(texts))), parts).read(kind, json.loads(rows))
        except (ValueError, TypeError, IndexError, KeyError, AttributeError, RecursionError):
            return None

    def keep(self, kind: type[Value], found: Value, audited: Audited) -> None:
        """Cache a result, unless it contains part of a secret or a file may become readable without a new version."""
        unread = (notice.path or "" for notice in audited.notices if notice.code == UNREAD)
        if not self._is_possible or not all(_stays_unread(audited, path) for path in unread):
            return
        try:
            texts, parts = list[str](), list[bytes]()
            rows = self._rows(texts, parts).write(kind, found)
            lines = (audited.beyond.answers, texts, rows)
            written = (json.dumps(each, separators=(",", ":"), allow_nan=False).encode() for each in lines)
            body = b"\n".join((*written, *parts))
        except ValueError:
            return
        if not any(json.dumps(each)[1:-1].encode() in body for each in _secrets(audited)):
            write_kept(self._file, body, self._state)

    def _rows(self, texts: list[str], parts: list[bytes]) -> Rows:
        known = {Agent: self._table, Row: [row for agent in self._table for row in agent.rows]}
        return Rows(known, texts, parts)


def _stays_unread(audited: Audited, path: str) -> bool:
    """Whether a file stays unreadable while its version, or its link, is the same."""
    if audited.beyond.leads_to(path) is not None:
        return True
    reference = audited.workspace.by_path.get(path)
    try:
        if reference is not None:
            audited.workspace.document(reference)
    except ContextError as error:
        # The file is not text or is too large.
        return error.category == "invalid_request"
    return False


def _secrets(audited: Audited) -> set[str]:
    """The lines of credentials in the context files."""
    from ctxtui.core.secrets import find_secrets  # noqa: PLC0415 - what is known is not searched

    passes, found = audited.workspace.reader.passes, set[str]()
    for reference, facts in audited.facts():
        document = audited.document(reference) if facts.leaks else None
        text = document.text if document else ""
        for each in find_secrets(text, passes) if text else ():
            found.update(line for line in text[each.start : each.end].splitlines() if len(line) >= _LEAST_SECRET)
    passes.flush()
    return found


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
