"""`ctxtui FILE` on fleet results: the table, with visits to repositories."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ctxtui.cli.output.terminal import stdout_is_piped, terminal
from ctxtui.cli.project import Narrator, check_configured_keys
from ctxtui.cli.status import DONE
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.fleet.overview import read_overview
from ctxtui.fleet.results.read import find_run
from ctxtui.fleet.results.schema import reading
from ctxtui.session.saved.config import load_config


def run_table(arguments: argparse.Namespace, narrator: Narrator, visit: Callable[[Path], None]) -> int:
    """Show the table until the user quits. `visit` shows the audit of a folder until the user leaves."""
    file = Path(arguments.path)
    _refuse_project_options(arguments, file)
    # Unreadable results are a command error, before a screen opens.
    with reading(file) as connection:
        find_run(connection)
    config = load_config(file.parent, on_notice=narrator)
    narrator.flush()
    check_configured_keys(config)
    from ctxtui.tui.fleet_app import FleetApp  # noqa: PLC0415 - commands without a screen need no Textual
    from ctxtui.tui.screens.fleet import TableState  # noqa: PLC0415

    view, trouble = TableState(), ""
    while True:
        with terminal():
            make = partial(FleetApp, partial(read_overview, file), view, trouble, config.theme, config.keys)
            app = config.place("theme").within(make)
            choice = app.run()
        if app.failure is not None:
            raise app.failure
        if choice is None:
            return DONE
        view, trouble = choice.view, ""
        try:
            visit(choice.folder)
        except ContextError as error:
            trouble = f"{error.message}\n{error.hint}" if error.hint else error.message


def _refuse_project_options(arguments: argparse.Namespace, file: Path) -> None:
    """Raise ContextError (invalid_request) for options that need a project, and for piped standard output."""
    options = {"-C": arguments.directory, "-r": arguments.recipe, "--run": arguments.command}
    options |= {"--print": arguments.print_what, "--refresh": arguments.refresh}
    given = next((name for name, value in options.items() if value), None)
    hint = f"ctxtui {file} shows them, ctxtui fleet report {file} prints them"
    if given is not None:
        raise invalid(f"{given} needs a project; {file} holds results of a fleet", hint=hint)
    if stdout_is_piped():
        raise invalid(f"{file} holds results of a fleet, and no payload for a pipe", hint=hint)
