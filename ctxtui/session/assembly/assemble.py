"""Build the payload of a selection on a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.payload.assembly import Assembler
from ctxtui.core.payload.formats import FORMATS, Format
from ctxtui.core.payload.types import Draft, Over, Payload, Prompt
from ctxtui.core.text.secrets import guarded
from ctxtui.core.tokens.ledger import Ledger, with_cached_counts
from ctxtui.core.tokens.whole import count_whole, is_reconstructible
from ctxtui.session.assembly.drafts import Drafter
from ctxtui.session.assembly.templated import Templated
from ctxtui.session.assembly.tree_block import tree_draft
from ctxtui.session.budget import Budget
from ctxtui.session.queries.answers import Answer
from ctxtui.session.selection import Selection
from ctxtui.workspace.workspace import Workspace

_FEW_PICKS: Final = 200


def assemble(
    workspace: Workspace,
    selection: Selection,
    answers: Mapping[str, Answer],
    form: Format,
    over: Over | None,
    with_text: bool,
    check: Check = go_on,
) -> Payload:
    """The payload of a selection: its text and numbers, or only the numbers without `with_text`.

    `answers` are those of the queries by definition, `over` None is the selection's own policy. Unreadable picks are
    missing, with a notice. Raises OverBudget if the policy is `fail`, ContextError if a secret is found and `secrets`
    is `fail`, and exceptions of `check`, which is called for every pick.
    """
    budget, cache = selection.budget, workspace.reader.cache
    # Building the encoder takes longer than most payloads. While many files are browsed, it already exists.
    is_small = with_text or len(selection.picks) <= _FEW_PICKS
    counter = with_cached_counts(budget.counter, cache) if is_small else budget.counter
    # A template needs the texts even if only the numbers are wanted.
    hold = with_text or selection.template is not None
    drafter = Drafter(workspace, counter, selection.secrets, hold, answers, form)
    over = over or selection.over
    try:
        drafts = drafter.draft_all(selection.picks, check)
        if selection.tree is not None:
            tree = tree_draft(workspace, selection.tree, drafts.ready, counter)
            drafts = drafts._replace(ready=(*tree, *drafts.ready))
        prompt, found = _guarded_prompt(selection)
        assembler = partial(Assembler, counter, form, prompt=prompt, check=check)
        if selection.template is not None:
            templated = Templated(workspace, selection, counter, drafts.ready, prompt, with_text, check)
            payload, hidden = templated.payload(over)
            found += hidden
        elif with_text:
            payload = _counted_whole(assembler, budget, drafts.ready, over, workspace.reader.ledger)
        else:
            payload = assembler(limit=budget.effective).assemble(drafts.ready, over, with_text=False)
    finally:
        cache.flush()
        if with_text:
            workspace.reader.ledger.flush()
    return replace(
        payload,
        missing=drafts.missing,
        notices=(*payload.notices, *found, *drafts.notices),
        secrets=payload.secrets + len(found),
    )


def _counted_whole(
    assembler: Callable[..., Assembler], budget: Budget, drafts: Sequence[Draft], over: Over, ledger: Ledger
) -> Payload:
    """The payload with its text. If only an estimate exceeds the limit, a count of the whole text decides."""
    counter, limit = budget.counter, budget.effective
    payload = assembler(limit=None).assemble(drafts, over) if is_reconstructible(counter) else None
    # A whole count takes seconds per megabyte. It cannot help if even the lower bound exceeds the limit.
    if payload and limit is not None and payload.upper > limit:
        hopeless = payload.tokens * counter.low // 1000 > limit
        if hopeless or count_whole(payload.text, counter, ledger).tokens > limit:
            payload = None
    payload = payload or assembler(limit=limit).assemble(drafts, over)
    if counter.exact:
        return payload
    whole = count_whole(payload.text, counter, ledger)
    return replace(payload, whole=whole, upper=payload.upper if whole.label == "estimated" else whole.tokens)


def _guarded_prompt(selection: Selection) -> tuple[Prompt | None, tuple[Notice, ...]]:
    prompt = selection.prompt
    if prompt is None:
        return None, ()
    text, notices = guarded(prompt.text, "the prompt", selection.secrets, has_lines=False)
    return replace(prompt, text=text), notices


def check_format(name: str) -> str:
    """Return `name` if it is an export format. Raises ContextError (invalid_request) otherwise."""
    if name not in FORMATS:
        raise invalid(f"unknown format: {name}", hint=f"one of {', '.join(FORMATS)}")
    return name
