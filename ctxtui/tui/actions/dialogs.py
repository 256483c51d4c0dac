"""Commands with a dialog: the limit, the model, the prompt and git queries. The screen shows their errors."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from textual.app import App

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import parse_tokens, plural
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.payload.template_render import Template
from ctxtui.core.payload.types import Over, Prompt, Tree
from ctxtui.session.assembly.templates import TemplateName, agree, has_agreed, known_templates, read_template
from ctxtui.session.session import Session
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.keymap import key_for
from ctxtui.tui.screens.dialogs import Ask, Choose, Confirm
from ctxtui.tui.work.changes import known_bases

AnyFormat = str | TemplateName
"""A built-in format by its name, or a template."""

_TREES: Final[dict[Tree | None, tuple[Tree | None, str]]] = {
    None: ("picked", "a block with the tree of the picked files comes first"),
    "picked": ("all", "a block with the tree of all files comes first"),
    "all": (None, "no block with the tree of files"),
}

_NUMBER = re.compile(r"\d+")
_FIRST = ("claude", "gpt", "gemini", "o")

_EXACT = {
    "o200k_base": "exact, GPT-4o and later",
    "cl100k_base": "exact, GPT-4",
    "heuristic": "four characters per token",
}


def next_format(desk: Desk, app: App[object]) -> None:
    """Switch to the next format: built-in formats, the user's templates, the project's templates after consent."""
    selection, turns = desk.now.selection, formats(desk.now)
    current = selection.template or selection.format
    place = turns.index(current) if current in turns else -1
    turns = [*turns[place + 1 :], *turns[: place + 1]]
    if selection.template is not None and selection.template.whose == "project":
        # It may have been chosen before, but waits for consent.
        turns.insert(0, selection.template)
    use_first(desk, app, iter(turns))


def formats(session: Session) -> list[AnyFormat]:
    return [*FORMATS, *known_templates(session.workspace.reader.root)]


def use_first(desk: Desk, app: App[object], turns: Iterator[AnyFormat]) -> None:
    """Switch to the first usable format of `turns`. A project's template needs consent, and is skipped if refused."""
    for each in turns:
        if isinstance(each, str):
            _use_format(desk, app, each)
            return
        try:
            template = read_template(desk.now.workspace.reader.root, each)
        except ContextError as error:
            desk.complain(error)
            continue
        if has_agreed(each, template):
            if each == desk.now.selection.template:
                continue
            _use_format(desk, app, each)
            return
        if template.digest not in desk.refused:
            asking = desk.complaining(_agree(each, template, desk, app, turns))
            app.screen.run_worker(asking, group="dialog", exclusive=True)
            return


async def _agree(
    which: TemplateName, template: Template, desk: Desk, app: App[object], rest: Iterator[AnyFormat]
) -> None:
    """Show a project's template and use it after a yes. After a no, try the formats of `rest` as `use_first` does."""
    question = f"Use the project's template {plain_line(which.name)}? It decides what leaves of what you pick."
    if not await app.push_screen_wait(Confirm(question, template.text)):
        desk.refused.add(template.digest)
        desk.tell(f"{which.title} is not used; ctxtui asks again after the next start")
        use_first(desk, app, rest)
        return
    await asyncio.to_thread(agree, template, desk.now.workspace.reader.root)
    _use_format(desk, app, which)


def _use_format(desk: Desk, app: App[object], which: AnyFormat) -> None:
    """Switch to a format without a question, and name all formats in a message."""
    before = desk.session
    if isinstance(which, str):
        desk.attempt(lambda session: session.with_output(format=which))
    else:
        desk.attempt(lambda session: session.with_template(which))
        if desk.session is before:
            # It was chosen before, but could not be used without consent.
            desk.measure_again()
    # The message of the format before no longer holds.
    app.clear_notifications()
    others = ", ".join(map(format_title, formats(desk.now)))
    desk.tell(f"format {format_title(which)}; {key_for(app, 'format')} goes through {others}")


def format_title(which: AnyFormat) -> str:
    return which if isinstance(which, str) else f"template {plain_line(which.title)}"


def next_tree(desk: Desk, app: App[object]) -> None:
    """Switch the block with the project tree: picked files, all files, no block."""
    tree, words = _TREES[desk.now.selection.tree]
    desk.attempt(lambda session: session.with_tree(tree))
    desk.tell(f"{words}; {key_for(app, 'undo')} reverts it")


async def set_budget(desk: Desk, session: Session, app: App[object]) -> None:
    limit = session.budget.limit
    hint = "12000 or 12k; empty for no limit"
    answer = await app.push_screen_wait(Ask("Budget in tokens", hint, str(limit or ""), _check_budget))
    if answer is not None:
        desk.attempt(lambda session: session.with_budget(answer.strip() or None))


async def pick_from_git(desk: Desk, session: Session, app: App[object]) -> None:
    from ctxtui.tui.actions import git_dialog  # noqa: PLC0415 - the app starts sooner without it

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
    # Only this command needs an HTTP client.
    from ctxtui.session.delivery.measuring import measure, request_for  # noqa: PLC0415

    payload = await asyncio.to_thread(session.payload)
    request = request_for(session.budget.model, payload.text)
    if not await app.push_screen_wait(Confirm(f"{request.question}. Send it?")):
        return
    tokens = await asyncio.to_thread(measure, request, session.workspace.reader.ledger)
    desk.tell(f"{request.vendor.name} counts {plural(tokens, 'token')}, with the few that a request adds")
    desk.measure_again()


async def choose_base(desk: Desk, session: Session, app: App[object], then: Callable[[], None]) -> None:
    """Let the user choose git's base, a branch or tag. Calls `then` unless canceled. No git raises ContextError."""
    if desk.git.error is not None:
        raise desk.git.error
    root, base = session.workspace.root, desk.git.base
    title, none = "Which changes? Those since the branch left", "no branch or tag; commit something first"
    name = await app.push_screen_wait(Choose(title, lambda: _base_choices(root, base), none))
    if name is not None:
        desk.git.chosen = name
        await desk.git.read(root)
        then()


def _base_choices(root: Path, first: str | None) -> list[tuple[str, str]]:
    """The name of each branch and tag, with its kind and the day of its commit. The name `first` comes first."""
    bases = sorted(known_bases(root), key=lambda each: each.name != first)
    return [(each.name, f"{each.kind}, {each.day}") for each in bases]


def switch_fit(desk: Desk, app: App[object]) -> None:
    """Switch between cutting texts and leaving out whole documents over the limit."""
    session = desk.now
    over: Over = "cut" if session.selection.over == "fit" else "fit"
    desk.attempt(lambda session: session.with_output(over=over))
    words = {"fit": "documents that do not fit are left out whole", "cut": "long texts are cut step by step"}[over]
    more = f" (no limit yet: {key_for(app, 'budget')} sets one)" if session.budget.effective is None else ""
    desk.tell(f"{over}: {words}{more}")


async def write_prompt(desk: Desk, session: Session, app: App[object]) -> None:
    """Let the user edit the prompt block. The next dialog begins with the text if the user does not save it."""
    saved, draft = session.selection.prompt, desk.prompt_draft
    from ctxtui.tui.screens.write_prompt import WritePrompt  # noqa: PLC0415 - the editor is large

    prompt, is_saved = await app.push_screen_wait(WritePrompt(draft or saved, draft is not None))
    desk.prompt_draft = None
    if is_saved:
        desk.attempt(lambda session: session.with_prompt(prompt.text, prompt.position))
    elif prompt != (saved or Prompt("", prompt.position)):
        desk.prompt_draft = prompt
        desk.tell(f"the prompt block is not saved; {key_for(app, 'prompt')} brings back what you typed")


def _check_budget(text: str) -> None:
    if text.strip():
        parse_tokens(text)


def model_choices() -> list[tuple[str, str]]:
    """Tokenizers, then models with their provider, exactness and window in tokens."""
    # Only this dialog lists all models.
    from ctxtui.core.tokens.families import family_of  # noqa: PLC0415
    from ctxtui.core.tokens.models import models  # noqa: PLC0415

    rows: list[tuple[str, str, str, str]] = []
    for model in sorted(models(), key=lambda model: _newest_first(model.name)):
        family = family_of(model.name)
        kind = "exact" if family.tokenizer else f"≈ ×{family.ratio:.2f}"
        rows.append((model.name, model.provider, kind, f"{model.window:,}" if model.window else ""))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    choices = list(_EXACT.items())
    for name, provider, kind, window in rows:
        details = f"{provider:<{widths[1]}}  {kind:<{widths[2]}}  {window:>{widths[3]}}"
        choices.append((name, f"{details} window" if window else details))
    return choices


def _newest_first(name: str) -> tuple[object, ...]:
    """A sort key of model names: vendors of coding agents first, of each vendor the newest version first."""
    # Numbers of four digits and more are dates.
    version = tuple(-int(number) for number in _NUMBER.findall(name) if len(number) < 4)
    place = next((place for place, prefix in enumerate(_FIRST) if name.startswith(prefix)), len(_FIRST))
    # The zero puts 5 behind 5.1.
    return (place, (*version, 0), name)
