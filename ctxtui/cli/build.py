"""`ctxtui build`: a payload from a recipe or picks, without the screen."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from ctxtui.cli.name_list import Entry, paths_of, read_list, words_of
from ctxtui.cli.named_format import named_format
from ctxtui.cli.project import Narrator, budget_of, configured, narrated, open_configured
from ctxtui.cli.streams import read_stdin
from ctxtui.core.collection import uncollected
from ctxtui.core.errors import ContextError
from ctxtui.core.metadata.reference import encode_id
from ctxtui.workspace.ahead import Ahead

if TYPE_CHECKING:
    from ctxtui.core.files.count_files import Pass


@narrated
def run_build(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Assemble a payload and write it if the budget and secrets allow."""
    if arguments.named and arguments.recipe:
        message = f"two recipes: {arguments.recipe} and {arguments.named}"
        raise ContextError("invalid_request", message, hint="name one, with or without -r")
    if arguments.template and arguments.format:
        raise ContextError("invalid_request", "a template is a format", hint="give --template or --format")
    arguments.recipe = arguments.recipe or arguments.named
    place, config = configured(arguments, narrator)
    given = _given(arguments)
    named = paths_of([each if isinstance(each, tuple) else (each,) for each in given])
    form = named_format(arguments) or config.format
    counter = budget_of(config, arguments).counter
    begun = Ahead(counter, partial(_learners, form), lambda path: encode_id(path) in named)
    with uncollected(is_last=True), begun as ahead:
        workspace = open_configured(place, config, arguments, narrator, ahead.begin)
        # While the processes that count get ready, this one imports the rest.
        from ctxtui.cli.payload import deliver_payload  # noqa: PLC0415
        from ctxtui.cli.picked import asks_git, picked_session  # noqa: PLC0415

        names = words_of(workspace, given, narrator, bool(arguments.recipe) or asks_git(arguments))
        session = picked_session(workspace, config, arguments, names, narrator)
        if session.selection.is_empty:
            raise ContextError("invalid_request", "nothing to build", hint="name a recipe, or --pick ID, or --diff")
        return deliver_payload(session, arguments, narrator, ahead)


def _given(arguments: argparse.Namespace) -> list[str | Entry]:
    """The words of `--pick`, with the lines of standard input for each `-`."""
    given: list[str | Entry] = []
    for word in arguments.pick or ():
        given += read_list(read_stdin(), arguments.null) if word == "-" else [word]
    return given


def _learners(form: str | None) -> tuple[Pass, ...]:
    from ctxtui.core.payload.body import learner_for  # noqa: PLC0415 - only if something is counted

    return (learner_for(form),)
