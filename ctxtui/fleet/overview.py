"""The overview of a run: one row per repository, with changes since the previous run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ctxtui.audit.types import Severity
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.open_at import is_folder
from ctxtui.core.disk.remote.address import is_address
from ctxtui.fleet.results.read import (
    KeptRepository,
    KeptRun,
    agents_of,
    find_run,
    has_field_types,
    largest_starts,
    repositories,
    run_before,
    runs,
    severities_of,
)
from ctxtui.fleet.results.schema import reading
from ctxtui.fleet.since import since_run
from ctxtui.fleet.types import AgentStart


class RepositoryRow(NamedTuple):
    """A repository with its agents, largest start first, and its findings by severity.

    `change` is that of the largest start in tokens, None unless both runs audited the repository.
    """

    kept: KeptRepository
    agents: tuple[AgentStart, ...]
    findings: Mapping[Severity, int]
    change: int | None

    @property
    def start(self) -> int:
        """The largest start in tokens, or 0 without agents."""
        return self.agents[0].start if self.agents else 0


class Overview(NamedTuple):
    """A run of a results file, the run for comparison, the repositories by name, and all runs."""

    file: Path
    run: KeptRun
    before: KeptRun | None
    rows: tuple[RepositoryRow, ...]
    runs: tuple[int, ...]


def read_overview(file: Path, number: int | None = None, since: str = "") -> Overview:
    """The overview of a run, by default the last finished run, compared with the run that `since` names.

    The default for `since` is the previous run, if any. Raises as `reading`, `find_run` and `since_run` do.
    """
    with reading(file) as connection:
        run = find_run(connection, number)
        before = since_run(connection, run, since) if since else run_before(connection, run)
        for each in filter(None, (run, before)):
            check_kept(file, each)
        agents, findings = agents_of(connection, run.id), severities_of(connection, run.id)
        starts = largest_starts(connection, before.id) if before is not None else {}
        rows = []
        for kept in repositories(connection, run.id):
            own = agents.get(kept.id, ())
            check_kept(file, kept, *own)
            was = None if kept.error else starts.get(kept.name)
            change = None if was is None else (own[0].start if own else 0) - was
            rows.append(RepositoryRow(kept, own, findings.get(kept.id, {}), change))
        return Overview(file, run, before, tuple(rows), tuple(each.id for each in runs(connection)))


def check_kept(file: Path, *rows: tuple[Any, ...]) -> None:
    """Raise ContextError (invalid_request), with the name of `file`, if a row has types that ctxtui never writes."""
    if not all(map(has_field_types, rows)):
        raise invalid(f"{file} has values that ctxtui did not write", hint="audit the fleet into a new file")


def local_folder(kept: KeptRepository) -> Path:
    """The local folder of a repository. Raises ContextError with the reason if it is not here."""
    place = kept.place
    if is_address(place):
        hint = f"ctxtui {place} fetches it and opens it"
        raise ContextError("unavailable", f"{kept.name} was audited from its address, not from a folder", hint=hint)
    folder = Path(place)
    if not is_folder(folder):
        hint = "open the results on the machine that audited it, or clone it there"
        raise ContextError("unavailable", f"{place} does not exist on this machine", hint=hint)
    return folder


def run_words(overview: Overview) -> str:
    """A run in words: number, day, whether it ended, and the run for comparison."""
    run, before = overview.run, overview.before
    told = f"run {run.id} of {run.began[:10]}"
    if run.ended is None:
        told += f", {len(overview.rows):,} of {plural(run.size, 'repository')} so far"
    return told + (f", since run {before.id} of {before.began[:10]}" if before is not None else "")
