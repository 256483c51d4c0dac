"""`ctxtui build`: a payload from a recipe or picks, without the screen."""

from __future__ import annotations

import argparse
from dataclasses import replace
from io import StringIO
from pathlib import Path

from ctxtui.cli.as_json import print_json
from ctxtui.cli.payload_json import payload_json
from ctxtui.cli.project import Narrator, narrated, open_project, override_budget, start_session
from ctxtui.cli.recipes import looking_for
from ctxtui.cli.status import DONE, NOT_FOUND
from ctxtui.cli.streams import read_stdin
from ctxtui.cli.terminal import agreed
from ctxtui.core.errors import ContextError
from ctxtui.core.files.root import read_file, write_atomic
from ctxtui.core.payload.formats import format_for
from ctxtui.core.payload.types import Payload
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.whole import Whole
from ctxtui.core.wording import plural
from ctxtui.session.config import Config
from ctxtui.session.export import check_export
from ctxtui.session.pick_words import pick_words
from ctxtui.session.recipe import load_recipe, staleness
from ctxtui.session.session import Session
from ctxtui.workspace.choose import Choice
from ctxtui.workspace.count import count_all
from ctxtui.workspace.workspace import Workspace


@narrated
def run_build(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Assemble a payload and write it if the budget and secrets allow."""
    if arguments.named and arguments.recipe:
        message = f"two recipes: {arguments.recipe} and {arguments.named}"
        raise ContextError("invalid_request", message, hint="name one, with or without -r")
    arguments.recipe = arguments.recipe or arguments.named
    workspace, config = open_project(arguments, narrator)
    session = _session(workspace, config, arguments, narrator)
    if not session.picks and session.selection.prompt is None:
        raise ContextError("invalid_request", "nothing to build", hint="name a recipe, or --pick ID, or --diff")
    return deliver_payload(session, arguments, narrator)


def deliver_payload(session: Session, arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Assemble a session's payload and write it where the arguments say; returns the exit status."""
    session = resolved(session)
    _count_ahead(session)
    payload = session.payload(over=arguments.over or session.selection.over)
    narrator.tell(payload.notices)
    for name in payload.missing:
        narrator.say(f"missing: {name} is gone or cannot be read; it is left out")
    if arguments.measure:
        payload = _measured(payload, session, arguments.yes, narrator)
    check_export(session, payload)
    _write(payload, session, arguments, narrator)
    _narrate(payload, session, arguments, narrator)
    return NOT_FOUND if payload.missing else DONE


def _measured(payload: Payload, session: Session, agrees: bool, narrator: Narrator) -> Payload:
    """The payload with the number of its model's vendor, if the user agrees to send it."""
    from ctxtui.session.measuring import measure, request_for  # noqa: PLC0415 - only if asked for

    request = request_for(session.budget.model, payload.text)
    if agrees:
        narrator.say(request.question)
    elif not agreed(f"{request.question}. Send it", "--yes"):
        narrator.say("nothing was sent")
        return payload
    tokens = measure(request, session.workspace.reader.ledger)
    basis = payload.whole.basis_tokens if payload.whole else payload.tokens
    return replace(payload, whole=Whole(tokens, "measured", basis), upper=tokens)


def _session(workspace: Workspace, config: Config, arguments: argparse.Namespace, narrator: Narrator) -> Session:
    session = start_session(workspace, config, arguments).with_output(over=config.over or "fail")  # type: ignore[arg-type]
    if arguments.recipe:
        name = arguments.recipe
        recipe = looking_for(name, workspace.root, lambda: load_recipe(workspace, name))
        narrator.tell(each for each in staleness(recipe, workspace).notices if each.code == "stale")
        session = override_budget(session.with_selection(recipe.selection), arguments)
    session, choices = pick_words(session, _names(arguments), narrator)
    if arguments.tasks:
        for choice in choices:
            if not choice.takes_away:
                session = _narrowed(session, choice, arguments.tasks)
    if any(getattr(arguments, kind) is not None for kind in ("changed", "sections", "diff", "log")):
        from ctxtui.session.git_picks import with_git  # noqa: PLC0415 - few payloads ask git

        session = with_git(session, vars(arguments))
    if arguments.prompt is not None:
        session = session.with_prompt(_prompt(arguments.prompt), arguments.prompt_position)
    elif arguments.prompt_position and session.selection.prompt:
        session = session.with_prompt(session.selection.prompt.text, arguments.prompt_position)
    return session.with_output(format_of(arguments, session), arguments.over, arguments.secrets)


def resolved(session: Session) -> Session:
    """The session with its queries computed, those that are not yet."""
    if not session.unanswered:
        return session
    import asyncio  # noqa: PLC0415 - few selections have queries

    return asyncio.run(session.answered(session.unanswered))


def _narrowed(session: Session, choice: Choice, tasks: str) -> Session:
    """The last pick, narrowed to some of its tasks; of several documents, those that have any."""
    node = session.workspace.find(str(choice.target)) if choice.target else None
    if choice.target and (node is None or node.kind != "folder"):
        return session.with_tasks(str(choice.target), tasks)
    for reference in node.documents() if node else choice.references:
        if session.workspace.document(reference).tasks:
            session = session.with_tasks(reference.id, tasks)
    return session


def format_of(arguments: argparse.Namespace, session: Session) -> str:
    """The requested format, else the one that the output's name implies, else the session's."""
    is_saved = bool(getattr(arguments, "recipe", None))
    named = format_for(arguments.output) if arguments.output and not is_saved else None
    return str(arguments.format or named or session.selection.format)


def _names(arguments: argparse.Namespace) -> list[str]:
    names: list[str] = []
    for name in arguments.pick or ():
        if name != "-":
            names.append(name)
            continue
        listed = read_stdin().split("\0" if arguments.null else "\n")
        names += [line for line in listed if line.strip()]
    return names


def _prompt(argument: str) -> str:
    if not argument.startswith("@"):
        return argument.encode("utf-8", "replace").decode()
    name = argument[1:]
    try:
        # Normalize line ends to one character.
        return StringIO(read_file(Path(name)).data.decode(), None).read()
    except UnicodeDecodeError as error:
        raise ContextError("unavailable", f"the prompt {name} is not valid UTF-8", hint="save it as UTF-8") from error
    except ContextError as error:
        raise ContextError("unavailable", f"the prompt {error.message}", hint=error.hint) from error


def _count_ahead(session: Session) -> None:
    """Count the picks on all cores, so that the payload only adds up."""
    picks = [*session.picks, *(pick for answer in session.answers.values() for pick in answer.picks)]
    picked = [session.workspace.by_id[pick.id] for pick in picks if pick.id in session.workspace.by_id]
    if len(picked) > 16:
        count_all(session.workspace, session.budget.counter, only=picked)


def _write(payload: Payload, session: Session, arguments: argparse.Namespace, narrator: Narrator) -> None:
    if arguments.output and arguments.output != "-":
        write_atomic(Path(arguments.output), payload.data())
    if arguments.copy:
        from ctxtui.session.clipboard import copy  # noqa: PLC0415 - only if requested

        narrator.say(copy(payload.text))
    if arguments.json:
        wanted = None if arguments.output or arguments.copy else payload.text
        print_json(payload_json(payload, session, wanted), narrator.notices)
    elif not arguments.copy and arguments.output in (None, "-"):
        from ctxtui.cli.deliver import print_payload  # noqa: PLC0415 - not for files

        print_payload(payload, session.selection.format, "a pipe or -o FILE")


def _sized(whole: Whole, counter: TokenCounter) -> str:
    """An estimated size in words, with what is better known of it, and the exact tokens of the basis."""
    tokens = plural(whole.tokens, "token")
    band = f", {whole.band}" if whole.band else f", {whole.label}"
    sign = "≈ " if whole.label == "estimated" else ""
    return f"{sign}{tokens} ({counter.name}{band}); {whole.basis_tokens:,} {counter.basis} exact"


def _narrate(payload: Payload, session: Session, arguments: argparse.Namespace, narrator: Narrator) -> None:
    counter = session.budget.counter
    tokens = plural(payload.tokens, "token")
    size = f"{tokens} ({counter.name})" if payload.whole is None else _sized(payload.whole, counter)
    if payload.wanted != payload.tokens:
        size = f"{payload.wanted:,} picked → {size}"
    blocks = sum(block.state != "dropped" for block in payload.blocks)
    target = f" → {arguments.output}" if arguments.output and arguments.output != "-" else ""
    narrator.say(f"{size} in {plural(blocks, 'block')}{target}")
    for kind, ids in (("cut", payload.truncated), ("left out", payload.omitted)):
        if ids:
            narrator.say(f"{kind}: {', '.join(ids)}")
