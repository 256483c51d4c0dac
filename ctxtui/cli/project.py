"""Shared by the commands: open the project and start a session with the configured budget."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from ctxtui.cli.output.streams import Progress, complain
from ctxtui.core.base.errors import NotFound, invalid
from ctxtui.core.base.notices import Notice, by_kind
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near
from ctxtui.core.disk.open_at import exists
from ctxtui.core.disk.remote.address import is_address, local_path, read_address
from ctxtui.core.documents.reader import MOST_WORKERS
from ctxtui.session.budget import Budget
from ctxtui.session.saved.config import Config, configured_scope, load_config
from ctxtui.workspace.opening.scan import require_folder
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.session.session import Session


MOST: Final = 10

Budgeted = TypeVar("Budgeted", "Session", Budget)


def grouped(notices: Sequence[Notice]) -> list[str]:
    """At most ten lines: the notices, or the number of each kind and how to read all."""
    if len(notices) <= MOST:
        return [f"{_word(notice)}: {notice}" for notice in notices]
    kinds = by_kind(notices)
    shown = kinds if len(kinds) < MOST else kinds[: MOST - 2]
    lines = []
    for kind in shown:
        count = f"{len(kind):,} × " if len(kind) > 1 else ""
        lines.append(f"{_word(kind[0])}: {count}{kind[0].code}{', such as' if count else ':'} {kind[0]}")
    rest = kinds[len(shown) :]
    if rest:
        lines.append(f"{_word(rest[0][0])}: {', '.join(f'{len(kind):,} × {kind[0].code}' for kind in rest)}")
    return [*lines, f"{len(notices):,} in all: --json lists each of them, and so does P in the app"]


def _word(notice: Notice) -> str:
    return "problem" if notice.is_problem else "note"


class Narrator:
    """Collects notices for JSON and shows them on stderr unless quiet, grouped if they are many."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.notices: dict[Notice, None] = {}
        self._untold: list[Notice] = []

    def __call__(self, notice: Notice) -> None:
        """Keep a notice. It is printed with the others before the next line."""
        if notice not in self.notices:
            self.notices[notice] = None
            self._untold.append(notice)

    def tell(self, notices: Iterable[Notice]) -> None:
        for notice in notices:
            self(notice)

    def tell_now(self, notice: Notice) -> None:
        """Keep a notice and print it at once, while the command continues."""
        self(notice)
        self.flush()

    def leave_out(self, is_unwanted: Callable[[Notice], bool]) -> None:
        """Do not print the pending notices that are unwanted. JSON keeps them."""
        self._untold = [notice for notice in self._untold if not is_unwanted(notice)]

    def flush(self) -> None:
        untold, self._untold = self._untold, []
        for line in grouped(untold):
            self._write(line)

    def say(self, text: str, is_ours: bool = False) -> None:
        """Print one line after the pending notices. `is_ours` if it contains no text of the project."""
        self.flush()
        self._write(text, is_ours)

    def _write(self, text: str, is_ours: bool = False) -> None:
        if not self.quiet:
            complain(plain_line(text), is_ours)


def narrated(run: Callable[[argparse.Namespace, Narrator], int]) -> Callable[[argparse.Namespace], int]:
    """A command with a narrator whose notices are all printed at the end, even if the command fails."""

    @wraps(run)
    def command(arguments: argparse.Namespace) -> int:
        narrator = Narrator(getattr(arguments, "quiet", False))
        try:
            return run(arguments, narrator)
        finally:
            narrator.flush()

    return command


def open_project_path(arguments: argparse.Namespace, narrator: Narrator) -> Path:
    """The folder that the arguments name, or a fetched remote project. Raises ContextError if it is not a folder."""
    path = getattr(arguments, "path", None)
    if path and arguments.directory:
        raise invalid("name the project once: PATH or -C DIR")
    named = local_path(path or arguments.directory or ".")
    place = Path(named)
    refresh: bool = getattr(arguments, "refresh", False)
    if not exists(place) and is_address(named):
        from ctxtui.core.disk.remote.fetch import fetched  # noqa: PLC0415 - only for remote projects

        address = read_address(named)
        with Progress(f"fetching {address.shown}", narrator.quiet) as progress:
            copy = fetched(address, refresh, progress.say)
        narrator.say(f"{copy.described}; --refresh fetches it again")
        narrator.tell(Notice("not-fetched", f"not in the copy: {line}") for line in copy.left_out)
        return copy.root / address.folder
    if refresh:
        hint = "R reads a folder again in the app; commands always do"
        raise invalid(f"--refresh is for remote projects; {place} is here", hint=hint)
    return require_folder(place)


def scope_of(arguments: argparse.Namespace, config: Config, home: bool = False) -> Scope:
    """The files to list, by arguments or configuration. `home` adds the files in the user's home folder."""
    with_ignored = bool(getattr(arguments, "ignored", False))
    wanted = getattr(arguments, "agent", None) or ()
    return configured_scope(config, arguments.include or (), arguments.exclude or (), with_ignored, home, wanted)


def open_project(arguments: argparse.Namespace, narrator: Narrator) -> tuple[Workspace, Config]:
    """The workspace that the arguments name, and its configuration."""
    place, config = configured(arguments, narrator)
    return open_configured(place, config, arguments, narrator), config


def configured(arguments: argparse.Namespace, narrator: Narrator) -> tuple[Path, Config]:
    """The folder that the arguments name, and its configuration."""
    place = open_project_path(arguments, narrator)
    config = load_config(place, on_notice=narrator)
    # Commands without such options have none.
    model, tokenizer = getattr(arguments, "model", None), getattr(arguments, "tokenizer", None)
    tell_unknown(model or (None if tokenizer else config.model), narrator)
    return place, config


def open_configured(
    place: Path, config: Config, arguments: argparse.Namespace, narrator: Narrator, hands: int = MOST_WORKERS
) -> Workspace:
    """The workspace of a folder with its configuration. `hands` is the maximum number of counting threads."""
    # Only commands about starts have the option.
    asked: bool | None = getattr(arguments, "user", None)
    home = asked is not None and (asked or bool(config.user))
    scope = scope_of(arguments, config, home)
    return Workspace.open(place, scope=scope, on_notice=narrator, hands=hands)


def start_session(workspace: Workspace, config: Config, arguments: argparse.Namespace) -> Session:
    """An empty session with the budget of the configuration, overridden by the arguments."""
    session = workspace.session().with_output(config.format, None, config.secrets)
    return override_budget(override_budget(session, config), arguments)


def budget_of(config: Config, arguments: argparse.Namespace) -> Budget:
    """The budget of `start_session`, for commands that need no session."""
    return override_budget(override_budget(Budget(), config), arguments)


def override_budget(on: Budgeted, given: Config | argparse.Namespace) -> Budgeted:
    """The session or budget with the values that are given. A model and a tokenizer together are an error."""
    # Some commands have no limit.
    limits = {"limit": getattr(given, "budget", None), "reserve": getattr(given, "reserve", None)}
    values = {**limits, "model": given.model, "tokenizer": given.tokenizer}
    return on.with_budget(**{name: value for name, value in values.items() if value})


def check_own_keys(config: Config) -> None:
    """Reject `[keys]` that would not work. Raises as `check_keys` does."""
    if config.keys:
        from ctxtui.tui.keys.keymap import check_keys  # noqa: PLC0415 - commands without a screen need no Textual

        check_keys(config.keys, config.place("keys"))


def tell_unknown(model: str | None, narrator: Narrator) -> None:
    if model:
        from ctxtui.core.tokens.models import unknown_model  # noqa: PLC0415 - only if a model is named

        reason = unknown_model(model)
        if reason:
            narrator(Notice("unknown-model", reason))


def require_domain(domain: str, known: Sequence[str], place: str = "") -> None:
    """Raise NotFound with the nearest names for an unknown domain. `place` ends the message, such as ` in DIR`."""
    if domain not in known:
        hint = near(domain, known) or f"known domains: {', '.join(known) or 'none'}"
        raise NotFound(f"there is no domain {domain!r}{place}", hint=hint)


def columns(rows: Sequence[Sequence[str]], right: frozenset[int]) -> list[str]:
    """Rows as aligned lines for people. The columns in `right` are right-aligned."""
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(len(rows[0]) if rows else 0)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
