"""Audit one repository of a fleet. Never raises, and ignores the user's own files."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ctxtui.audit.reports.report import with_known_starts
from ctxtui.audit.run import NO_OPTIONS, drop_notice, run_audit
from ctxtui.core.base.cancel import Check, Stopped
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.cache import no_snapshots
from ctxtui.core.disk.git.git import open_repository
from ctxtui.core.disk.open_at import exists
from ctxtui.core.disk.remote.address import is_address, read_address
from ctxtui.core.disk.workers.child import NO_MEMORY, late
from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER
from ctxtui.fleet.outcome import failed, outcome_of
from ctxtui.fleet.types import Member, Outcome
from ctxtui.session.budget import Budget
from ctxtui.session.saved.config import configured_scope, load_config
from ctxtui.version import __version__
from ctxtui.workspace.workspace import Workspace

SECONDS = 300.0
"""The default time limit for one repository."""


class FleetOrder(NamedTuple):
    """Settings for all repositories of a run: tokenizer or model, seconds per repository, program version."""

    tokenizer: str = DEFAULT_TOKENIZER
    model: str | None = None
    seconds: float = SECONDS
    program: str = __version__

    @property
    def budget(self) -> Budget:
        """The counter and, with a model, its window. Raises ContextError for an unknown name."""
        budget = Budget().with_budget(tokenizer=self.tokenizer)
        return budget.with_budget(model=self.model) if self.model else budget

    @property
    def counts_as(self) -> str:
        """The tokenizer by which results are compared. For a model with an exact count, its encoding."""
        counter = self.budget.counter
        return counter.basis if counter.exact else counter.name


def examine(member: Member, order: FleetOrder) -> Outcome:
    """Audit a repository in one thread, or say why it failed. Remote repositories are fetched."""
    began = time.perf_counter()
    try:
        with (
            _deadline(order.seconds) as is_over,
            _checked_out(member, check := partial(_check, is_over)) as (place, commit),
            no_snapshots(),
        ):
            # Problems of files are findings, or would be single lines among thousands.
            config = load_config(place, {}, drop_notice, with_user=False)
            workspace = Workspace.open(place, scope=configured_scope(config), on_notice=drop_notice, hands=1)
            check()
            report = run_audit(workspace, order.budget, config, NO_OPTIONS, drop_notice, check, is_over)
            check()
            report = with_known_starts(report, workspace, check)
            outcome = outcome_of(member, workspace, report, commit, check)
            workspace.reader.cache.flush()
            return outcome._replace(seconds=time.perf_counter() - began)
    except Stopped:
        reason = late(order.seconds)
    except ContextError as error:
        reason = error.message
    except MemoryError:
        reason = NO_MEMORY
    except Exception as error:  # noqa: BLE001 - one repository must not end the audit of all others
        reason = f"a bug in ctxtui: {type(error).__name__}: {error}"
    return failed(member, reason, time.perf_counter() - began)


@contextmanager
def _deadline(seconds: float) -> Iterator[threading.Event]:
    """An event that is set when the time for a repository is over."""
    is_over = threading.Event()
    timer = threading.Timer(seconds, is_over.set)
    timer.daemon = True
    timer.start()
    try:
        yield is_over
    finally:
        timer.cancel()


def _check(is_over: threading.Event) -> None:
    if is_over.is_set():
        raise Stopped


@contextmanager
def _checked_out(member: Member, check: Check) -> Iterator[tuple[Path, str]]:
    """The folder of a repository and its commit. A remote repository is fetched, and removed at the end."""
    place = Path(member.place)
    if not is_address(member.place) or exists(place):
        # Read the commit first, so that a later commit is not reported as audited.
        yield place, _commit(place)
        return
    from ctxtui.core.disk.remote.fetch import fetched_for_now  # noqa: PLC0415 - only for remote ones

    address = read_address(member.place)
    with fetched_for_now(address, check=check) as copy:
        yield copy.root / address.folder, copy.commit


def _commit(place: Path) -> str:
    """The commit checked out, empty outside of git, without commits, and if git refuses."""
    try:
        return open_repository(place).resolve("HEAD")
    except ContextError:
        return ""
