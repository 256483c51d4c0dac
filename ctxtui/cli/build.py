"""`ctxtui build`: a payload from a recipe or picks, without the screen."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

from ctxtui.cli.as_json import print_json
from ctxtui.cli.payload_json import payload_json
from ctxtui.cli.project import (
    Narrator,
    budget_of,
    configured,
    narrated,
    open_configured,
    override_budget,
    start_session,
)
from ctxtui.cli.status import DONE, NOT_FOUND
from ctxtui.cli.streams import read_stdin
from ctxtui.cli.terminal import agreed
from ctxtui.core.errors import ContextError
from ctxtui.core.files.root import read_file, write_atomic
from ctxtui.core.metadata.reference import Reference, encode_id
from ctxtui.core.payload.body import knows_body, learner_for
from ctxtui.core.payload.formats import format_for
from ctxtui.core.payload.types import Payload
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.whole import Whole
from ctxtui.core.wording import plural
from ctxtui.session.config import Config
from ctxtui.session.export import check_export
from ctxtui.session.pick_words import named_whole, outline_words, pick_words
from ctxtui.session.session import Session
from ctxtui.session.templates import TemplateName
from ctxtui.workspace.ahead import Ahead
from ctxtui.workspace.choose import Choice
from ctxtui.workspace.count import count_all
from ctxtui.workspace.workspace import Workspace

# This number of documents stands for all of them: to look all of them up takes as long as a warm build saves.
_FEW = 16


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
    names = _names(arguments)
    named = frozenset(names)
    learn = learner_for(_named_format(arguments) or config.format)
    with Ahead(budget_of(config, arguments).counter, (learn,), lambda path: encode_id(path) in named) as ahead:
        workspace = open_configured(place, config, arguments, narrator, ahead.begin)
        session = _session(workspace, config, arguments, names, narrator)
        if session.selection.is_empty:
            raise ContextError("invalid_request", "nothing to build", hint="name a recipe, or --pick ID, or --diff")
        return deliver_payload(session, arguments, narrator, ahead)


def deliver_payload(
    session: Session, arguments: argparse.Namespace, narrator: Narrator, ahead: Ahead | None = None
) -> int:
    """Assemble a session's payload and write it where the arguments say; returns the exit status.

    That of a command which gets the payload comes first.
    """
    if arguments.command is not None:
        _check_command(arguments, session)
    session = resolved(session)
    _count_picks(session, ahead)
    payload = session.payload(over=arguments.over or session.selection.over)
    narrator.tell(payload.notices)
    for name in payload.missing:
        narrator.say(f"missing: {name} is gone or cannot be read; it is left out")
    if arguments.measure:
        payload = _measured(payload, session, arguments.yes, narrator)
    check_export(session, payload)
    _write(payload, session, arguments, narrator)
    _narrate(payload, session, arguments, narrator)
    status = _run(payload, session, arguments, narrator) if arguments.command is not None else DONE
    return status or (NOT_FOUND if payload.missing else DONE)


def _check_command(arguments: argparse.Namespace, session: Session) -> None:
    from ctxtui.cli.deliver import check_command  # noqa: PLC0415 - few payloads go to a command

    if arguments.json or arguments.output == "-":
        given = "--json" if arguments.json else "-o -"
        raise ContextError(
            "invalid_request", f"--run and {given} both write to standard output", hint="leave one out"
        )
    check_command(arguments.command, session.workspace.root)


def _run(payload: Payload, session: Session, arguments: argparse.Namespace, narrator: Narrator) -> int:
    from ctxtui.cli.deliver import can_talk, run_with  # noqa: PLC0415 - as above

    return run_with(arguments.command, payload.text, session.workspace.root, can_talk(), narrator.say)


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


def _session(
    workspace: Workspace, config: Config, arguments: argparse.Namespace, names: Sequence[str], narrator: Narrator
) -> Session:
    session = start_session(workspace, config, arguments).with_output(over=config.over or "fail")  # type: ignore[arg-type]
    if arguments.recipe:
        from ctxtui.cli.recipes import looking_for  # noqa: PLC0415 - picks need no YAML
        from ctxtui.session.recipe import load_recipe, staleness  # noqa: PLC0415 - as above

        name = arguments.recipe
        recipe = looking_for(name, workspace.root, lambda: load_recipe(workspace, name))
        narrator.tell(each for each in staleness(recipe, workspace).notices if each.code == "stale")
        session = override_budget(session.with_selection(recipe.selection), arguments)
    of_recipe = session
    session, choices = pick_words(session, names, narrator)
    if arguments.tasks:
        for choice in choices:
            if not choice.takes_away:
                session = _narrowed(session, choice, arguments.tasks)
    if any(getattr(arguments, kind) is not None for kind in ("changed", "sections", "diff", "log")):
        from ctxtui.session.git_picks import with_git  # noqa: PLC0415 - few payloads ask git

        session = with_git(session, vars(arguments))
    # What comes later is cut first: outlines are beside the change.
    session = outline_words(session, arguments.outline or (), named_whole(of_recipe, choices), narrator)
    if arguments.outputs:
        from ctxtui.session.notebook_picks import outputs_words  # noqa: PLC0415 - few payloads have them

        session = outputs_words(session, arguments.outputs, narrator)
    if arguments.related is not None:
        from ctxtui.session.related_picks import with_related  # noqa: PLC0415 - few payloads ask for them

        session = with_related(session, arguments.related, narrator)
    if arguments.prompt is not None:
        session = session.with_prompt(_prompt(arguments.prompt), arguments.prompt_position)
    elif arguments.prompt_position and session.selection.prompt:
        session = session.with_prompt(session.selection.prompt.text, arguments.prompt_position)
    if arguments.tree:
        session = session.with_tree(arguments.tree)
    if arguments.template:
        session = session.with_template(TemplateName(arguments.template, "named"))
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


def format_of(arguments: argparse.Namespace, session: Session) -> str | None:
    """The requested format, else the one that the output's name implies, else the session's; None for a template."""
    if session.selection.template and not arguments.format:
        return None
    return _named_format(arguments) or session.selection.format


def _named_format(arguments: argparse.Namespace) -> str | None:
    """The format that the arguments or the name of the output ask for, if any."""
    is_saved = bool(getattr(arguments, "recipe", None))
    named = format_for(arguments.output) if arguments.output and not is_saved else None
    asked: str | None = arguments.format or named
    return asked


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


def _count_picks(session: Session, ahead: Ahead | None) -> None:
    """Count the picks on all cores, so that the payload only adds up."""
    picks = [*session.picks, *(pick for answer in session.answers.values() for pick in answer.picks)]
    picked = [session.workspace.by_id[pick.id] for pick in picks if pick.id in session.workspace.by_id]
    if len(picked) > 16:
        workspace, counter = session.workspace, session.budget.counter
        learn = learner_for(session.selection.format)
        again = picked if _are_unsearched(session.workspace, picked, counter) else ()
        count_all(workspace, counter, only=picked, ahead=ahead, also=(learn,), again=again)


def _are_unsearched(workspace: Workspace, picked: Sequence[Reference], counter: TokenCounter) -> bool:
    """Whether most of the documents that are counted were not searched for secrets, as far as a few of them tell."""
    reader = workspace.reader
    few = picked[:: max(1, len(picked) // _FEW)]
    known = [(each.path, entry.digest) for each in few if (entry := reader.known(each, counter)) is not None]
    searched = sum(knows_body(*each, counter, reader.passes) for each in known)
    return searched < len(known) / 2


def _write(payload: Payload, session: Session, arguments: argparse.Namespace, narrator: Narrator) -> None:
    if arguments.output and arguments.output != "-":
        write_atomic(Path(arguments.output), payload.data())
    if arguments.copy:
        from ctxtui.session.clipboard import copy  # noqa: PLC0415 - only if requested

        narrator.say(copy(payload.text))
    if arguments.json:
        wanted = None if arguments.output or arguments.copy else payload.text
        print_json(payload_json(payload, session, wanted), narrator.notices)
    elif not arguments.copy and arguments.output in (None, "-") and arguments.command is None:
        from ctxtui.cli.deliver import print_payload  # noqa: PLC0415 - not for files

        print_payload(payload, session.selection.output, "a pipe or -o FILE")


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
