"""The session of `ctxtui build`: picks, prompt and format from the arguments."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import TypeVar

from ctxtui.cli.project import Narrator, override_budget, start_session
from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.disk.open_at import exists
from ctxtui.core.disk.root import read_file
from ctxtui.core.payload.formats import format_for
from ctxtui.session.assembly.templates import TemplateName
from ctxtui.session.pick_words import named_whole, outline_words, pick_words
from ctxtui.session.picks import Pick
from ctxtui.session.queries.notebook_picks import outputs_words
from ctxtui.session.saved.config import Config
from ctxtui.session.saved.recipe import FOLDER, load_recipe, recipe_path, staleness
from ctxtui.session.session import Session
from ctxtui.workspace.choose import Choice
from ctxtui.workspace.workspace import Workspace

Found = TypeVar("Found")


def looking_for(name: str, root: Path, load: Callable[[], Found]) -> Found:
    """The result of `load`. Its NotFound says where a recipe was looked for, and how to name one of an ancestor."""
    try:
        return load()
    except NotFound as error:
        try:
            file = recipe_path(name)
        except ContextError:
            # The user named a path.
            raise error from None
        above = next((folder for folder in root.parents if exists(folder / file)), None)
        hint = error.hint if above is None else f"{above} has it: name the project with -C {shlex.quote(str(above))}"
        raise NotFound(f"{error.message} in {root / FOLDER}", hint=hint) from error


def picked_session(
    workspace: Workspace, config: Config, arguments: argparse.Namespace, names: Sequence[str], narrator: Narrator
) -> Session:
    """A session with the picks of a recipe, of the arguments, and of the names from a pipe."""
    session = start_session(workspace, config, arguments).with_output(over=config.over or "fail")  # type: ignore[arg-type]
    if arguments.recipe:
        name = arguments.recipe
        recipe = looking_for(name, workspace.root, lambda: load_recipe(workspace, name))
        narrator.tell(each for each in staleness(recipe, workspace).notices if each.code == "stale")
        session = override_budget(session.with_selection(recipe.selection), arguments)
    of_recipe = session
    session, choices = pick_words(session, names, narrator)
    if arguments.tasks:
        session = _narrowed(session, choices, arguments.tasks)
    if asks_git(arguments):
        from ctxtui.session.queries.git_picks import with_git  # noqa: PLC0415 - few payloads ask git

        session = with_git(session, vars(arguments))
    # Later picks are cut first: outlines come with the changes.
    session = outline_words(session, arguments.outline or (), named_whole(of_recipe, choices), narrator)
    if arguments.outputs:
        session = outputs_words(session, arguments.outputs, narrator)
    if arguments.related is not None:
        from ctxtui.session.queries.related_picks import with_related  # noqa: PLC0415 - few payloads ask for them

        session = with_related(session, arguments.related, narrator)
    if arguments.prompt is not None:
        session = session.with_prompt(_prompt(arguments.prompt), arguments.prompt_position)
    elif arguments.prompt_position and session.selection.prompt:
        session = session.with_prompt(session.selection.prompt.text, arguments.prompt_position)
    if arguments.tree:
        session = session.with_tree(arguments.tree)
    if arguments.template:
        session = session.with_template(TemplateName(arguments.template, "named"))
    session = session.with_output(format_of(arguments, session), arguments.over, arguments.secrets)
    if arguments.task is not None:
        from ctxtui.cli.payloads.suggest import with_task  # noqa: PLC0415 - few payloads need the index

        session = with_task(session, arguments.task, narrator, arguments.quiet)
    return session


def asks_git(arguments: argparse.Namespace) -> bool:
    return any(getattr(arguments, kind) is not None for kind in ("changed", "sections", "diff", "log"))


def _narrowed(session: Session, choices: Sequence[Choice], tasks: str) -> Session:
    """The session with a filter of tasks on all picked documents that have tasks. A named document must have some."""
    for target in (each.target for each in choices if each.target and not each.takes_away):
        if target.lines or session.selection.document_pick(target.document):
            session = session.with_tasks(str(target), tasks)
    for pick in session.picks:
        if isinstance(pick, Pick) and _has_tasks(session.workspace, pick.id):
            session = session.with_tasks(pick.id, tasks)
    return session


def _has_tasks(workspace: Workspace, id_: str) -> bool:
    try:
        return bool(workspace.document(workspace.require(id_)).tasks)
    except ContextError:
        # The payload reports the error.
        return False


def format_of(arguments: argparse.Namespace, session: Session) -> str | None:
    """The requested format, else the format of the output's ending, else the session's. None for a template."""
    if session.selection.template and not arguments.format:
        return None
    is_saved = bool(getattr(arguments, "recipe", None))
    named = format_for(arguments.output) if arguments.output and not is_saved else None
    asked: str | None = arguments.format or named
    return asked or session.selection.format


def _prompt(argument: str) -> str:
    if not argument.startswith("@"):
        return argument.encode("utf-8", "replace").decode()
    name = argument[1:]
    try:
        # Normalize line ends to one character.
        return StringIO(read_file(Path(name)).data.decode("utf-8-sig"), None).read()
    except UnicodeDecodeError as error:
        raise ContextError("unavailable", f"the prompt {name} is not valid UTF-8", hint="save it as UTF-8") from error
    except ContextError as error:
        raise ContextError("unavailable", f"the prompt {error.message}", hint=error.hint) from error
