"""Run a fleet: audit all repositories and append each result to a file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.own_folders import private_folder
from ctxtui.core.disk.state_folder import state_folder
from ctxtui.core.disk.workers.process import Lost
from ctxtui.core.documents.records.lock import alone_in
from ctxtui.fleet.cores import on_cores
from ctxtui.fleet.examine import FleetOrder, examine
from ctxtui.fleet.members import Fleet
from ctxtui.fleet.outcome import failed
from ctxtui.fleet.results.read import KeptRepository, column_names, find_run, insert_statement
from ctxtui.fleet.results.schema import leave_one_file, open_to_write
from ctxtui.fleet.since import check_comparable, since_run
from ctxtui.fleet.types import AgentStart, ContextFile, Fault, Member, Outcome, Where
from ctxtui.version import __version__


class Run(NamedTuple):
    """A run: its number in the file, from 1, and the names of finished repositories."""

    id: int
    done: frozenset[str]


def begin_run(
    connection: sqlite3.Connection, program: str, tokenizer: str, members: bytes, size: int, fresh: bool = False
) -> Run:
    """Continue the last run if it is unfinished and has the same program, tokenizer and members, else begin one.

    `fresh` always begins one. `members` is a digest, and `size` counts repositories.
    """
    kept = connection.execute(
        "SELECT id, ended, program, tokenizer, members FROM runs ORDER BY id DESC LIMIT 1"
    ).fetchone()
    if kept is not None and not fresh and kept[1:] == (None, program, tokenizer, members):
        names = connection.execute("SELECT name FROM repositories WHERE run = ?", (kept[0],))
        return Run(kept[0], frozenset(name for (name,) in names))
    made = connection.execute(
        "INSERT INTO runs (began, program, tokenizer, members, size) VALUES (?, ?, ?, ?, ?)",
        (_now(), program, tokenizer, members, size),
    )
    return Run(made.lastrowid or 0, frozenset())


def end_run(connection: sqlite3.Connection, run: int) -> None:
    """Mark a run as ended now. Only an ended run is the default of reports."""
    connection.execute("UPDATE runs SET ended = ? WHERE id = ?", (_now(), run))


def append_outcomes(connection: sqlite3.Connection, run: int, tokenizer: str, outcomes: Iterable[Outcome]) -> None:
    """Write outcomes, each in one transaction. Repositories that the run already has are skipped."""
    for outcome in outcomes:
        with transaction(connection):
            _append_outcome(connection, run, tokenizer, outcome)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction that is rolled back on an exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _append_outcome(connection: sqlite3.Connection, run: int, tokenizer: str, outcome: Outcome) -> None:
    known = outcome.member._asdict() | outcome._asdict()
    values = (None, run, *(known[name] for name in column_names(KeptRepository)))
    made = connection.execute(insert_statement("INSERT OR IGNORE INTO repositories", len(values)), values)
    if not made.rowcount:
        return
    id_ = made.lastrowid
    for into, kind, rows in (
        ("INSERT INTO agents", AgentStart, outcome.agents),
        ("INSERT INTO findings", Fault, outcome.faults),
    ):
        connection.executemany(insert_statement(into, 1 + len(column_names(kind))), ((id_, *each) for each in rows))
    for file in outcome.context:
        content = _content_id(connection, tokenizer, file)
        connection.execute(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?)", (id_, file.path, file.kind, content, file.start)
        )


def _content_id(connection: sqlite3.Connection, tokenizer: str, file: ContextFile) -> int:
    """The id of a file's content. Its blocks are written on first sight."""
    key = (tokenizer, file.digest)
    known = connection.execute("SELECT id FROM contents WHERE tokenizer = ? AND digest = ?", key).fetchone()
    if known is not None:
        return int(known[0])
    made = connection.execute(
        "INSERT INTO contents (tokenizer, digest, tokens) VALUES (?, ?, ?)", (*key, file.tokens)
    )
    content = made.lastrowid or 0
    connection.executemany(
        "INSERT OR IGNORE INTO texts (tokenizer, digest, head) VALUES (?, ?, ?)",
        ((tokenizer, block.digest, block.head) for block in file.blocks),
    )
    connection.executemany(
        "INSERT INTO blocks SELECT ?, ?, id, ?, ? FROM texts WHERE tokenizer = ? AND digest = ?",
        (
            (content, position, block.line, block.tokens, tokenizer, block.digest)
            for position, block in enumerate(file.blocks)
        ),
    )
    return content


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """A write connection for a file, created if missing, for one run of this user at a time.

    Raises ContextError: unavailable if another run writes to the file or it is not writable, invalid_request if it
    does not contain results.
    """
    with _alone_with(path), closing(open_to_write(path)) as connection:
        try:
            yield connection
        except sqlite3.Error as error:
            hint = "what was found before is kept; make room, and run the same command again to go on"
            raise ContextError("unavailable", f"cannot write {path}: {error}", hint=hint) from error
        finally:
            leave_one_file(connection)


@contextmanager
def _alone_with(path: Path) -> Iterator[None]:
    """Lock a file against other runs of this user. Raises ContextError (unavailable) at once if it is locked."""
    # Not a lock on the file itself: SQLite loses its own lock if this process closes the file.
    folder = state_folder("fleet", Path(os.path.realpath(path)))
    with suppress(OSError):
        private_folder(folder)
    with ExitStack() as stack:
        try:
            stack.enter_context(alone_in(folder, seconds=0))
        except ContextError as error:
            hint = "wait until it has ended, or name another file with -o"
            raise ContextError("unavailable", f"another run writes to {path}", True, hint) from error
        yield


class Reached(NamedTuple):
    """The progress of a run: repositories done, done by an earlier start, failed since this start, and in total.

    Wrong lines of lists count as done and as failed from the beginning.
    """

    done: int
    before: int
    errors: int
    size: int


OnReached = Callable[[Reached], None]


def run_fleet(
    path: Path, fleet: Fleet, order: FleetOrder, where: Where, tell: OnReached, fresh: bool = False, since: str = ""
) -> int:
    """Audit a fleet into a file, or continue its last unfinished run. Returns the number of the run.

    `tell` is called before the first repository and after each. The run `since` for comparison is checked before the
    audit. Raises ContextError: as `writing` and `connected` do, unavailable if all workers or the scheduler are gone
    (results so far stay), invalid_request for an unknown tokenizer or model, and as `since_run` and
    `check_comparable` do.
    """
    tokenizer = order.counts_as
    with writing(path) as connection:
        with transaction(connection):
            run = begin_run(connection, __version__, tokenizer, fleet.digest, fleet.size, fresh)
            if since:
                kept = find_run(connection, run.id)
                check_comparable(since_run(connection, kept, since), kept)
        append_outcomes(connection, run.id, tokenizer, fleet.wrong)
        left = [member for member in fleet.members if member.name not in run.done]
        reached = Reached(fleet.size - len(left), len(run.done), len(fleet.wrong), fleet.size)
        tell(reached)
        if left:
            with closing(_examined(left, order, where)) as outcomes:
                for outcome in outcomes:
                    append_outcomes(connection, run.id, tokenizer, [outcome])
                    reached = reached._replace(done=reached.done + 1, errors=reached.errors + bool(outcome.error))
                    tell(reached)
        end_run(connection, run.id)
    return run.id


def _examined(members: Sequence[Member], order: FleetOrder, where: Where) -> Generator[Outcome, None, None]:
    """The results of repositories as they arrive, from a cluster or from processes of this machine."""
    if where.scheduler:
        from ctxtui.fleet.on_cluster import connected, on_cluster  # noqa: PLC0415 - an extra

        with connected(where) as client:
            yield from on_cluster(client, members, order)
        return
    for member, found in on_cores(partial(examine, order=order), members, order.seconds, where.workers):
        yield failed(member, found.reason) if isinstance(found, Lost) else found
