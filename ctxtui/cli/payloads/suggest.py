"""`ctxtui suggest`: what belongs to a task, within a budget, with the reason for each."""

from __future__ import annotations

import argparse
from contextlib import closing
from functools import partial
from pathlib import Path

from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import Progress, put, read_stdin, require_stdout, write_stdout
from ctxtui.cli.project import Narrator, aligned, narrated, open_project, start_session
from ctxtui.cli.status import DONE
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.open_at import is_anything, is_folder
from ctxtui.core.disk.root import read_file
from ctxtui.core.text.decode import decode
from ctxtui.session.queries.prompt_search import PromptSearch
from ctxtui.session.session import Session
from ctxtui.session.suggest.suggest import Suggestion, suggest


@narrated
def run_suggest(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Suggest picks: a table for a terminal, ids to a pipe, or JSON. Finding nothing is not an error."""
    workspace, config = open_project(arguments, narrator)
    session = start_session(workspace, config, arguments)
    session = session.with_output(arguments.format or session.selection.format)
    found = suggestion_for(session, arguments.task, narrator)
    if arguments.json:
        counter = session.budget.counter.name
        rows = [{"id": row.id, "tokens": row.tokens, "reason": row.reason, "kind": row.group} for row in found.rows]
        result = {"picks": rows, "tokens": found.tokens, "limit": found.limit, "tokenizer": counter}
        print_json(result, narrator.notices)
    elif arguments.table or require_stdout().isatty():
        shown = [(f"{row.tokens:,}", plain_line(row.id), plain_line(row.reason)) for row in found.rows]
        put("\n".join(aligned(shown, {0})), has_ids=True)
    else:
        write_stdout("".join(f"{id_}\n" for id_ in found.ids).encode())
    what = plural(len(found.rows), "pick")
    total = f"{what}, together {plural(found.tokens, 'token')} of {found.limit:,}"
    nothing = f"nothing fits in {plural(found.limit, 'token')}" if found.files else "nothing found"
    narrator.say(total if found.rows else nothing)
    return DONE


def suggestion_for(session: Session, words: list[str], narrator: Narrator) -> Suggestion:
    """The suggestion for a task beside what a session picks, with the progress of the index on stderr.

    `words` are the task in words, the path of a file that holds it, or `-`. The narrator gets the notices.
    """
    task = _task_text(words)
    with closing(PromptSearch({})) as prompter, Progress("indexing", narrator.quiet) as progress:
        suggestion = suggest(session, task, partial(prompter.weigh, session.workspace, on_reached=progress.reach))
    narrator.tell(suggestion.notices)
    return suggestion


def _task_text(words: list[str]) -> str:
    """The task in some words, in the file that a single word names, or in standard input for `-`."""
    if words == ["-"]:
        return read_stdin()
    try:
        place = Path(words[0]).expanduser()
        is_file = len(words) == 1 and is_anything(place) and not is_folder(place)
    except (OSError, ValueError, RuntimeError):
        # A text too long for a name, with a NUL character, or with `~` before the name of no user.
        is_file = False
    if not is_file:
        return " ".join(words).encode("utf-8", "replace").decode()
    try:
        return decode(read_file(place).data, place.name)[0]
    except ContextError as error:
        raise ContextError(error.category, f"the task {error.message}", hint=error.hint) from error
