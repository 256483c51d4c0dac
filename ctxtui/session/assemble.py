"""Assembling: builds the payload of a selection on a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ctxtui.core.cancel import Check, go_on
from ctxtui.core.errors import ContextError
from ctxtui.core.notices import Notice
from ctxtui.core.payload.assembly import Assembler
from ctxtui.core.payload.formats import FORMATS, Format
from ctxtui.core.payload.types import Over, Payload, Prompt
from ctxtui.session.drafts import Drafter, redact_prompt
from ctxtui.session.queries import Answer
from ctxtui.session.selection import Selection
from ctxtui.workspace.workspace import Workspace


def assemble(
    workspace: Workspace,
    selection: Selection,
    answers: Mapping[str, Answer],
    form: Format,
    over: Over | None,
    with_text: bool,
    check: Check = go_on,
) -> Payload:
    """The payload of a selection; without its text, only the numbers are computed.

    Raises OverBudget if `over` is `fail`, ContextError if a secret is found and `secrets` is `fail`,
    and exceptions of `check`, which is called for every pick.
    """
    budget = selection.budget
    drafter = Drafter(workspace, budget.counter, selection.secrets, with_text, answers)
    drafts = drafter.draft_all(selection.picks, check)
    prompt, found = _prompt(selection)
    assembler = Assembler(budget.counter, form, budget.effective, prompt, check)
    payload = assembler.assemble(drafts.ready, over or selection.over, with_text)
    return replace(
        payload,
        missing=drafts.missing,
        notices=(*payload.notices, *found, *drafts.notices),
        secrets=payload.secrets + len(found),
    )


def _prompt(selection: Selection) -> tuple[Prompt | None, tuple[Notice, ...]]:
    prompt = selection.prompt
    if prompt is None:
        return None, ()
    text, notices = redact_prompt(prompt.text, selection.secrets)
    return replace(prompt, text=text), notices


def check_format(name: str) -> str:
    """The name of an export format; raises ContextError (invalid_request) for any other."""
    if name not in FORMATS:
        raise ContextError("invalid_request", f"unknown format: {name}", hint=f"one of {', '.join(FORMATS)}")
    return name
