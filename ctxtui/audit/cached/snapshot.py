"""The snapshot of an audit in the cache, valid until a change of anything that the audit depends on.

The cache key covers the state of the scan, user files, scope, counter, settings and the program. Disk lookups outside
the scan are checked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace
from threading import Event
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ctxtui.agents import Agent, load_table
from ctxtui.audit.cached.disk_facts import DiskFacts
from ctxtui.audit.totals import Totals, totals
from ctxtui.audit.types import AuditResult, Settings
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.packed import pack, unpack
from ctxtui.core.text.secrets import find_secrets
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.opening.ancestors import is_in_repository
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited

UNREAD: Final = frozenset({"unreadable-file", "binary-file"})
"""The codes of notices about files that could not be read."""
_LEAST_SECRET: Final = 8
_KIND: Final = "audits"


class AuditSnapshot:
    """A cached audit result of one `kind`, such as `savings`, valid until something that it depends on changes."""

    def __init__(self, kind: str, workspace: Workspace, counter: TokenCounter, settings: Settings) -> None:
        self._workspace, self._settings = workspace, settings
        self._table = settings.table or load_table()
        # Whole starts can become known without any change of a file.
        is_told = counter.exact or counter.weights is None or not settings.start_limits
        self._is_possible = bool(workspace.scan_id) and settings.table == workspace.scope.table and is_told
        rules = replace(settings, off=frozenset())
        counted = (counter.name, counter.key, counter.exact)
        # How servers are reached is not in their words.
        servers = [astuple(each) for each in settings.servers]
        place = "\0".join(map(repr, (workspace.root, workspace.scope, counted, sorted(settings.off), rules, servers)))
        home, above = workspace.home, workspace.above
        user = (home.at, sorted(home.versions.items()))
        is_repository = is_in_repository(workspace.root)
        seen = (workspace.scan_id, workspace.notices, above.base, above.paths, user, is_repository)
        self._kind, self._name = kind, _bytes(place)
        self._depends = digest_of(_bytes(f"{place}\0{seen!r}"))
        self._shared = shared_rows(self._table)

    def read(self) -> Any:
        """The cached value, or None if there is none or if anything that it depends on has changed."""
        cache = self._workspace.reader.cache
        kept = cache.snapshot(self._kind, self._name, self._depends) if self._is_possible else None
        known = unpack(kept.data, self._shared) if kept else None
        if known is None:
            return None
        answers, found = known
        return found if DiskFacts(self._workspace, self._settings.table).still_hold(answers) else None

    def keep(self, found: object, audited: Audited) -> None:
        """Cache a result with all lookups of `audited` on disk.

        Does nothing if an unread file may be readable next time, or if the result has part of a secret.
        """
        unread = (notice.path or "" for notice in audited.notices if notice.code in UNREAD)
        if not self._is_possible or not all(_stays_unread(audited, path) for path in unread):
            return
        data = pack((audited.disk.answers, found), self._shared)
        if not any(_bytes(each) in data for each in _secrets(audited)):
            self._workspace.reader.cache.keep_snapshot(self._kind, self._name, data, self._depends)


def shared_rows(table: Sequence[Agent] | None) -> tuple[object, ...]:
    """The agents of a table and their rows. Cached findings refer to these, as rows are compared by identity."""
    agents = table or load_table()
    return *agents, *(row for agent in agents for row in agent.rows)


def _stays_unread(audited: Audited, path: str) -> bool:
    """Whether a file will stay unreadable until its version, or the link at its path, changes."""
    if audited.disk.broken_link_target(path) is not None:
        return True
    reference = audited.workspace.by_path.get(path)
    try:
        if reference is not None:
            audited.workspace.document(reference)
    except ContextError as error:
        # It is not text, or too large.
        return error.category == "invalid_request"
    return False


def _secrets(audited: Audited) -> set[str]:
    """The lines, of at least eight characters, of the credentials in the context files."""
    cache, found = audited.workspace.reader.cache, set[str]()
    for reference, facts in audited.facts():
        document = audited.document(reference) if facts.leaks else None
        text = document.text if document else ""
        for each in find_secrets(text, cache) if text else ():
            found.update(line for line in text[each.start : each.end].splitlines() if len(line) >= _LEAST_SECRET)
    cache.flush()
    return found


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class ResultAndTotals(NamedTuple):
    """The result of the rules, and the token sums of all context files."""

    result: AuditResult
    sums: Totals


def run_or_recall_rules(
    workspace: Workspace, counter: TokenCounter, settings: Settings, stop: Event | None = None
) -> ResultAndTotals:
    """Run the rules, or read their result from the cache. `stop` ends a run early. Raises as `audit` does."""
    snapshot = AuditSnapshot(_KIND, workspace, counter, settings)
    known: ResultAndTotals | None = snapshot.read()
    if known is not None:
        return known
    # A cached result needs no rules.
    from ctxtui.audit.apply_rules import apply_rules  # noqa: PLC0415
    from ctxtui.audit.context import Audited  # noqa: PLC0415

    audited = Audited(workspace, counter, settings, stop)
    result = apply_rules(audited)
    found = ResultAndTotals(result, totals(workspace, counter, result.agents))
    files = {each.path: each.id for each in audited.references}
    unread = {files[notice.path] for notice in audited.notices if notice.code in UNREAD and notice.path in files}
    # A cached audit is complete, and has counted every readable file.
    if result.is_complete and found.sums.files + len(unread) == len({*files.values()}):
        snapshot.keep(found, audited)
    return found


def recall_rules(workspace: Workspace, counter: TokenCounter, settings: Settings) -> ResultAndTotals | None:
    """The cached result, or None if `run_or_recall_rules` would run the rules."""
    known: ResultAndTotals | None = AuditSnapshot(_KIND, workspace, counter, settings).read()
    return known
