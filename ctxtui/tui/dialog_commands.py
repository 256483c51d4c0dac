"""Commands with a dialog: the limit, the model, the prompt and git queries."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

from textual.app import App

from ctxtui.core.errors import ContextError
from ctxtui.core.git_changes import bases
from ctxtui.core.payload.types import Over, Prompt
from ctxtui.core.tokens.parse import parse_tokens
from ctxtui.core.wording import plural
from ctxtui.session.session import Session
from ctxtui.tui.desk import Desk
from ctxtui.tui.keymap import key_for
from ctxtui.tui.screens.dialogs import Ask, Choose, Confirm

_NUMBER = re.compile(r"\d+")
_FIRST = ("claude", "gpt", "gemini", "o")

_EXACT = {
    "o200k_base": "exact, GPT-4o and later",
    "cl100k_base": "exact, GPT-4",
    "heuristic": "four characters per token",
}


async def set_budget(desk: Desk, session: Session, app: App[object]) -> None:
    limit = session.budget.limit
    answer = await app.push_screen_wait(
        Ask("Budget in tokens", "12000 or 12k; empty for no limit", str(limit or ""), _budget_complaint)
    )
    if answer is not None:
        desk.attempt(lambda session: session.with_budget(answer.strip() or None))


async def pick_from_git(desk: Desk, session: Session, app: App[object]) -> None:
    from ctxtui.tui import git_dialog  # noqa: PLC0415 - the app starts sooner without it

    await git_dialog.pick_from_git(desk, session, app)


async def choose_model(desk: Desk, _session: Session, app: App[object]) -> None:
    name = await app.push_screen_wait(Choose("Model or tokenizer, and its window in tokens", model_choices))
    if name is None:
        return
    if name in _EXACT:
        desk.attempt(lambda session: session.with_budget(tokenizer=name))
    else:
        desk.attempt(lambda session: session.with_budget(model=name))


async def measure_payload(desk: Desk, session: Session, app: App[object]) -> None:
    """Let the model's vendor count the payload, after the user agrees to send it."""
    try:
        payload = await asyncio.to_thread(session.payload)
        # Only this command needs an HTTP client.
        from ctxtui.session.measuring import measure, request_for  # noqa: PLC0415

        request = request_for(session.budget.model, payload.text)
        if not await app.push_screen_wait(Confirm(f"{request.question}. Send it?")):
            return
        tokens = await asyncio.to_thread(measure, request, session.workspace.reader.ledger)
    except ContextError as error:
        desk.complain(error)
        return
    desk.tell(f"{request.vendor.name} counts {plural(tokens, 'token')}, with the few that a request adds")
    desk.measure_again()


async def choose_base(desk: Desk, session: Session, app: App[object], then: Callable[[], None]) -> None:
    """Choose the branch or tag to compare with. `then` is called if the user chose."""
    if desk.git.error is not None:
        desk.complain(desk.git.error)
        return
    root, base = session.workspace.root, desk.git.base
    title, none = "Which changes? Those since the branch left", "no branch or tag; commit something first"
    name = await app.push_screen_wait(Choose(title, lambda: _base_choices(root, base), none))
    if name is not None:
        desk.git.base = name
        await desk.git.read(root)
        then()


def _base_choices(root: Path, first: str | None) -> list[tuple[str, str]]:
    """The branches and tags with their kind and day, the current base first."""
    try:
        choices = [(each.name, f"{each.kind}, {each.day}") for each in bases(root)]
        return sorted(choices, key=lambda each: each[0] != first)
    except ContextError:
        # The repository was removed meanwhile.
        return []


def switch_fit(desk: Desk, app: App[object]) -> None:
    """Switch between cutting texts and leaving out whole documents over the limit."""
    session = desk.session
    if session is None:
        return
    over: Over = "cut" if session.selection.over == "fit" else "fit"
    desk.attempt(lambda session: session.with_output(over=over))
    words = (
        "fit: documents that do not fit are left out whole"
        if over == "fit"
        else "cut: long texts are cut step by step"
    )
    has_limit = session.budget.effective is not None
    desk.tell(words if has_limit else f"{words} (no limit yet: {key_for(app, 'budget')} sets one)")


async def write_prompt(desk: Desk, session: Session, app: App[object]) -> None:
    """Write the prompt block. A text that is not saved is kept for the next time."""
    saved, draft = session.selection.prompt, desk.prompt_draft
    from ctxtui.tui.screens.write_prompt import WritePrompt  # noqa: PLC0415 - the editor is large

    written = await app.push_screen_wait(WritePrompt(draft or saved, draft is not None))
    prompt = written.prompt
    if written.is_saved:
        desk.prompt_draft = None
        desk.attempt(lambda session: session.with_prompt(prompt.text, prompt.position))
    elif prompt != (saved or Prompt("", prompt.position)):
        desk.prompt_draft = prompt
        desk.tell(f"the prompt block is not saved; {key_for(app, 'prompt')} brings back what you typed")
    else:
        desk.prompt_draft = None


def _budget_complaint(text: str) -> str | None:
    if text.strip():
        parse_tokens(text)
    return None


def model_choices() -> list[tuple[str, str]]:
    """Every tokenizer and model, with the label of its counts and its window."""
    # Price data take a quarter of a second to import. Only this dialog lists all models.
    from ctxtui.core.tokens.families import family_of  # noqa: PLC0415
    from ctxtui.core.tokens.models import models  # noqa: PLC0415

    rows: list[tuple[str, str, str, str]] = []
    for model in sorted(models(), key=lambda model: _newest_first(model.name)):
        family = family_of(model.name)
        kind = "exact" if family.tokenizer else f"≈ ×{family.ratio:.2f}"
        rows.append((model.name, model.provider, kind, f"{model.window:,}" if model.window else ""))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    return [
        *_EXACT.items(),
        *(
            (
                name,
                f"{provider:<{widths[1]}}  {kind:<{widths[2]}}  {window:>{widths[3]}}{' window' if window else ''}",
            )
            for name, provider, kind, window in rows
        ),
    ]


def _newest_first(name: str) -> tuple[object, ...]:
    """A sort key: the vendors of coding agents first, of each the newest version first."""
    # Numbers of four digits and more are dates.
    version = tuple(-int(number) for number in _NUMBER.findall(name) if len(number) < 4)
    place = next((place for place, prefix in enumerate(_FIRST) if name.startswith(prefix)), len(_FIRST))
    # The zero puts 5 behind 5.1.
    return (place, (*version, 0), name)
