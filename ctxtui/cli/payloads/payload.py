"""Count, assemble, write and describe the payload of a session."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ctxtui.cli.output.as_json import payload_json, print_json
from ctxtui.cli.output.terminal import agreed
from ctxtui.cli.payloads.deliver import can_talk, check_command, print_payload, run_with
from ctxtui.cli.project import Narrator
from ctxtui.cli.status import DONE, NOT_FOUND
from ctxtui.core.base.errors import invalid
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.root import write_named
from ctxtui.core.payload.types import Payload
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.whole import Whole
from ctxtui.session.delivery.clipboard import copy
from ctxtui.session.delivery.export import check_export
from ctxtui.session.session import Session, resolved
from ctxtui.workspace.counting import count_all
from ctxtui.workspace.resolve import resolve_exact, why_missing


def deliver_payload(session: Session, arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Assemble a payload and write it. Returns a receiver's failure status, else 3 for missing picks, else 0."""
    if arguments.command is not None:
        if arguments.json or arguments.output == "-":
            given = "--json" if arguments.json else "-o -"
            raise invalid(f"--run and {given} both write to standard output", hint="leave one out")
        check_command(arguments.command, session.workspace.root)
    session = resolved(session)
    _count_picks(session)
    payload = session.payload(over=arguments.over or session.selection.over)
    narrator.tell(payload.notices)
    # About the project, not about the payload.
    narrator.leave_out(lambda notice: notice.code == "binary-files")
    for name in payload.missing:
        narrator.say(f"missing: {name} {why_missing(session.workspace, name)}; it is left out")
    if arguments.measure:
        payload = _measured_payload(payload, session, arguments.yes, narrator)
    check_export(session, payload)
    _write(payload, session, arguments, narrator)
    _narrate(payload, session, arguments, narrator)
    status = DONE
    if arguments.command is not None:
        status = run_with(arguments.command, payload.text, session.workspace.root, can_talk(), narrator.say)
    return status or (NOT_FOUND if payload.missing or _is_named_binary(payload, session, arguments) else DONE)


def _is_named_binary(payload: Payload, session: Session, arguments: argparse.Namespace) -> bool:
    """Whether a binary file is left out although `--pick` names it."""
    left = {notice.path for notice in payload.notices if notice.code == "binary-file"}
    # Only `build` has the option.
    words = (getattr(arguments, "pick", None) or ()) if left else ()
    owners = (resolve_exact(session.workspace, word) for word in words)
    named = (session.workspace.by_id.get(owner) for owner in owners if owner is not None)
    return any(each.path in left for each in named if each is not None)


def _measured_payload(payload: Payload, session: Session, agrees: bool, narrator: Narrator) -> Payload:
    """The payload as counted by its model's vendor, unchanged after a no. `agrees` says yes without a question."""
    from ctxtui.session.delivery.measuring import measure, request_for  # noqa: PLC0415 - only if asked for

    request = request_for(session.budget.model, payload.text)
    if agrees:
        narrator.say(request.question)
    elif not agreed(f"{request.question}. Send it", "--yes"):
        narrator.say("nothing was sent")
        return payload
    tokens = measure(request, session.workspace.reader.ledger)
    basis = payload.whole.basis_tokens if payload.whole else payload.tokens
    return replace(payload, whole=Whole(tokens, "measured", basis), upper=tokens)


def _count_picks(session: Session) -> None:
    """Count the picks on all cores, so that the payload only adds up."""
    picks = [*session.picks, *(pick for answer in session.answers.values() for pick in answer.picks)]
    picked = [session.workspace.by_id[pick.id] for pick in picks if pick.id in session.workspace.by_id]
    if len(picked) > 16:
        count_all(session.workspace, session.budget.counter, only=picked)


def _is_picked(output: Path, payload: Payload, session: Session) -> bool:
    """Whether the file to write is one of those in the payload."""
    try:
        status = output.stat()
    except OSError:
        return False
    root = session.workspace.root
    for source in {block.source for block in payload.blocks}:
        with suppress(OSError):
            if os.path.samestat(status, os.stat(f"{root}/{source}")):  # noqa: PTH116 - building a Path takes longer
                return True
    return False


def _write(payload: Payload, session: Session, arguments: argparse.Namespace, narrator: Narrator) -> None:
    """Write a payload to a file, the clipboard or standard output, as the options say.

    JSON has its text only if it goes nowhere else. Raises ContextError, without `--force`, for a file that is picked.
    """
    output = None if arguments.output in (None, "-") else Path(arguments.output)
    if output is not None:
        if not arguments.force and _is_picked(output, payload, session):
            message = f"{output} is part of the payload, which would replace it"
            raise invalid(message, hint="name another file, or add --force")
        write_named(output, payload.data(), force=arguments.force)
    if arguments.copy:
        narrator.say(copy(payload.text, project=session.workspace.root))
    if arguments.json:
        exported = {} if arguments.copy or output else {"text": payload.text}
        print_json(payload_json(payload, session), narrator.notices, exported)
    elif not arguments.copy and output is None and arguments.command is None:
        print_payload(payload, session.selection.output, "a pipe or -o FILE")


def _size_words(whole: Whole, counter: TokenCounter) -> str:
    """An estimated size in words: the best known count, and the exact count by the encoding behind the estimate."""
    tokens = plural(whole.tokens, "token")
    band = f", {whole.band}" if whole.band else f", {whole.label}"
    sign = "≈ " if whole.label == "estimated" else ""
    return f"{sign}{tokens} ({counter.name}{band}); {whole.basis_tokens:,} {counter.basis} exact"


def _narrate(payload: Payload, session: Session, arguments: argparse.Namespace, narrator: Narrator) -> None:
    counter = session.budget.counter
    tokens = plural(payload.tokens, "token")
    size = f"{tokens} ({counter.name})" if payload.whole is None else _size_words(payload.whole, counter)
    if payload.wanted != payload.tokens:
        size = f"{payload.wanted:,} picked → {size}"
    blocks = sum(block.state != "dropped" for block in payload.blocks)
    target = f" → {arguments.output}" if arguments.output and arguments.output != "-" else ""
    narrator.say(f"{size} in {plural(blocks, 'block')}{target}")
    for kind, ids in (("cut", payload.truncated), ("left out", payload.omitted)):
        if ids:
            narrator.say(f"{kind}: {', '.join(ids)}")
