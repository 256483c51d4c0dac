"""`ctxtui [PATH]`: runs the app, then delivers the payload."""

from __future__ import annotations

import argparse
import os
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from ctxtui.cli.deliver import print_payload, run_command
from ctxtui.cli.project import Narrator, narrated, open_project_path, override_budget, scope_of, start_session
from ctxtui.cli.recipes import looking_for
from ctxtui.cli.status import DONE, INTERRUPTED
from ctxtui.cli.streams import write_stdout
from ctxtui.cli.terminal import stdout_is_piped, terminal
from ctxtui.core.errors import ContextError
from ctxtui.session.config import Config, load_config
from ctxtui.session.export import check_export
from ctxtui.session.picks import GlobPick
from ctxtui.session.restore import Restored, from_last, from_recipe
from ctxtui.session.session import Session
from ctxtui.workspace.workspace import Workspace


@narrated
def run_app(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Open the app on a project; with a pipe, `--print` or `--run`, deliver the accepted payload."""
    place = open_project_path(arguments)
    config = load_config(place, on_notice=narrator)
    narrator.flush()
    scope = scope_of(arguments, config, bool(config.user))
    is_piped = stdout_is_piped() or arguments.print_what is not None

    def first_session(workspace: Workspace) -> Restored:
        empty = start_session(workspace, config, arguments).with_output(format=arguments.format)
        restored = Restored(empty)
        if arguments.recipe:
            name = arguments.recipe
            restored = looking_for(name, workspace.root, lambda: from_recipe(empty, name))
        elif not arguments.fresh:
            restored = from_last(empty)
        return _with_options(restored, arguments)

    if config.keys:
        from ctxtui.tui.keymap import check_keys  # noqa: PLC0415 - commands without a screen need no Textual

        check_keys(config.keys, config.place("keys"))
    with terminal(), ThreadPoolExecutor(1, "open") as pool:
        # The project is read while the app is still being imported.
        opening: Future[Workspace] = pool.submit(Workspace.open, place, scope=scope, on_notice=lambda _notice: None)
        from ctxtui.tui.app import CtxtuiApp  # noqa: PLC0415 - commands without a screen need no Textual
        from ctxtui.tui.launch import Launch, Outcome  # noqa: PLC0415

        launch = Launch(
            first_session,
            is_piped or arguments.command is not None,
            arguments.command,
            _editor(config),
            config.theme,
            dict(config.keys) or None,
            config.mcp,
        )
        app = CtxtuiApp(opening, launch)
        outcome = app.run()
    if isinstance(outcome, ContextError):
        raise outcome
    if app.failure is not None:
        raise app.failure
    if not isinstance(outcome, Outcome) or outcome.session is None or outcome.kind == "quit":
        return INTERRUPTED if is_piped or arguments.command else DONE
    return _deliver(outcome.session, outcome.command or arguments.command, arguments, narrator)


def _with_options(restored: Restored, arguments: argparse.Namespace) -> Restored:
    """Options of the command line win over the restored session."""
    session = override_budget(restored.session, arguments).with_output(format=arguments.format)
    return Restored(session, restored.recipe, restored.recipe_selection, restored.message, restored.changed)


def _editor(config: Config) -> str | None:
    return config.editor or os.environ.get("VISUAL") or os.environ.get("EDITOR")


def _deliver(session: Session, command: str | None, arguments: argparse.Namespace, narrator: Narrator) -> int:
    payload = session.payload()
    narrator.tell(payload.notices)
    narrator.flush()
    # Files may have changed since the app accepted the payload.
    check_export(session, payload)
    if command:
        return run_command(command, payload.text.encode())
    if arguments.print_what == "ids":
        ids = (pick.id for pick in session.picks if not isinstance(pick, GlobPick))
        write_stdout("".join(f"{id_}\n" for id_ in ids).encode())
    elif arguments.print_what == "paths":
        by_id = session.workspace.by_id
        root = Path(os.path.relpath(session.workspace.root))
        paths = [root / by_id[pick.id].path for pick in session.picks if pick.id in by_id]
        write_stdout(b"".join(os.fsencode(path) + b"\n" for path in paths))
    else:
        print_payload(payload, session.selection.format)
    return DONE
