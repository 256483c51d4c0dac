"""`ctxtui [PATH]`: run the app on a project, then deliver the payload."""

from __future__ import annotations

import argparse
import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ctxtui.cli.output.streams import write_stdout
from ctxtui.cli.output.terminal import stdin_is_piped, stdout_is_piped, terminal
from ctxtui.cli.payloads.deliver import can_talk, check_command, print_payload, run_with
from ctxtui.cli.payloads.picked import load_with_hint
from ctxtui.cli.project import (
    Narrator,
    check_configured_keys,
    narrated,
    open_project_path,
    override_budget,
    scope_of,
    start_session,
)
from ctxtui.cli.status import DONE, INTERRUPTED
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import OUTLINE, Target
from ctxtui.core.base.tuning import give_memory_back, take_short_turns
from ctxtui.core.disk.open_at import exists, is_folder
from ctxtui.session.delivery.export import check_export
from ctxtui.session.picks import AnyPick, GlobPick, Pick, SnippetPick
from ctxtui.session.saved.autosave import Restored, from_last, from_recipe
from ctxtui.session.saved.config import load_config
from ctxtui.session.session import Session
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.tui.launch import Outcome


@narrated
def run_app(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Run the app on a project and deliver the accepted payload, or on a fleet's results. Returns the exit status."""
    give_memory_back()
    take_short_turns()
    if arguments.path and _is_results_file(arguments.path):
        from ctxtui.cli.audits.fleet_table import run_table  # noqa: PLC0415 - few files are results

        return run_table(arguments, narrator, lambda folder: _visit(folder, arguments, narrator))
    place = open_project_path(arguments, narrator)
    is_piped = stdout_is_piped() or arguments.print_what is not None
    if arguments.command is not None:
        check_command(arguments.command, place)
    outcome = _show_app(place, arguments, narrator, is_piped)
    if outcome is None or outcome.session is None or outcome.kind == "quit":
        return INTERRUPTED if is_piped or arguments.command else DONE
    return _deliver(outcome.session, outcome.command or arguments.command, arguments, narrator)


def _is_results_file(path: str) -> bool:
    if not exists(path) or is_folder(path):
        return False
    from ctxtui.fleet.results.schema import is_results  # noqa: PLC0415 - projects are folders

    return is_results(Path(path))


def _visit(place: Path, arguments: argparse.Namespace, narrator: Narrator) -> None:
    """Show the audit of a project, and deliver a payload accepted there."""
    outcome = _show_app(place, arguments, narrator, False, is_audit=True)
    if outcome is not None and outcome.session is not None and outcome.kind != "quit":
        _deliver(outcome.session, outcome.command, arguments, narrator)


def _show_app(
    place: Path, arguments: argparse.Namespace, narrator: Narrator, is_piped: bool, is_audit: bool = False
) -> Outcome | None:
    """Run the app on a project, with `is_audit` first its audit. Returns None if it ends without an outcome.

    Raises the error that ended the app. Options of the command line override a restored session and a recipe.
    """
    config = load_config(place, on_notice=narrator)
    narrator.flush()
    scope = scope_of(arguments, config, bool(config.user))
    talks, is_fed = can_talk(), stdin_is_piped()

    def first_session(workspace: Workspace) -> Restored:
        empty = start_session(workspace, config, arguments).with_output(format=arguments.format)
        restored = Restored(empty)
        if arguments.recipe:
            name = arguments.recipe
            restored = load_with_hint(name, workspace.root, lambda: from_recipe(empty, name))
        elif not arguments.fresh:
            restored = from_last(empty)
        if is_fed:
            messages = (restored.message, "stdin is not read · ctxtui build --pick - takes ids from it")
            restored = replace(restored, message=" · ".join(filter(None, messages)))
        session = override_budget(restored.session, arguments).with_output(format=arguments.format)
        return replace(restored, session=session)

    check_configured_keys(config)
    with terminal(), ThreadPoolExecutor(1, "open") as pool:
        # The project is read while the app is still being imported.
        opening: Future[Workspace] = pool.submit(Workspace.open, place, scope=scope, on_notice=lambda _notice: None)
        # Without this, the thread's memory is not reused before the end of the app.
        pool.shutdown(wait=False)
        from ctxtui.tui.app import CtxtuiApp  # noqa: PLC0415 - commands without a screen need no Textual
        from ctxtui.tui.launch import Launch  # noqa: PLC0415

        launch = Launch(
            first_session,
            is_piped or arguments.command is not None,
            arguments.command,
            config.editor or os.environ.get("VISUAL") or os.environ.get("EDITOR"),
            config.theme,
            dict(config.keys) or None,
            config.mcp,
            talks,
            is_audit,
        )
        app = config.place("theme").within(lambda: CtxtuiApp(opening, launch))
        outcome = app.run()
    if isinstance(outcome, ContextError):
        raise outcome
    if app.failure is not None:
        raise app.failure
    return outcome


def _deliver(session: Session, command: str | None, arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Hand the payload to a command, else print it, its ids or its paths. Returns the status of the command or 0."""
    payload = session.payload()
    narrator.tell(payload.notices)
    narrator.flush()
    # Files may have changed after the app accepted the payload.
    check_export(session, payload)
    if command:
        return run_with(command, payload.text, session.workspace.root, can_talk(), narrator.say)
    if arguments.print_what == "ids":
        write_stdout("".join(f"{id_}\n" for pick in session.picks for id_ in _ids(pick)).encode())
    elif arguments.print_what == "paths":
        by_id = session.workspace.by_id
        root = Path(os.path.relpath(session.workspace.root))
        owners = (pick.document if isinstance(pick, SnippetPick) else pick.id for pick in session.picks)
        paths = [root / by_id[id_].path for id_ in dict.fromkeys(owners) if id_ in by_id]
        write_stdout(b"".join(os.fsencode(path) + b"\n" for path in paths))
    else:
        print_payload(payload, session.selection.output)
    return DONE


def _ids(pick: AnyPick) -> list[str]:
    """The ids of a pick, as `ctxtui build --pick` takes them. A query of files by a glob has none."""
    if isinstance(pick, SnippetPick):
        return [str(Target.of_lines(pick.document, pick.first, pick.last))]
    if not isinstance(pick, Pick):
        return [] if isinstance(pick, GlobPick) else [pick.id]
    own = [pick.id] if pick.whole else [str(Target(pick.id, OUTLINE))] * pick.outline
    return [*own, *(str(Target(pick.id, slug)) for slug, is_taken in pick.marks if is_taken)]
