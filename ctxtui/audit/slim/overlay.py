"""What agents would load if files were changed: the same measuring, with the changed texts laid over the project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxtui.agents import AgentContext
from ctxtui.agents.types import MOMENTS
from ctxtui.audit.context import Audited, got, got_tokens
from ctxtui.audit.fixes import Written
from ctxtui.audit.slim.change import Loaded, Saved
from ctxtui.core.text.decode import decode, decode_as_utf8


def contexts_after(audited: Audited, changes: Iterable[Written]) -> tuple[AgentContext, ...]:
    """The contexts of all agents, as an audit of the changed files would find them."""
    texts: dict[str, str | None] = {}
    for change in changes:
        texts[audited.real(change.path)] = _text_after(audited, change)
    new = [path for path in texts if path not in audited.known and texts[path] is not None]
    paths = list(audited.paths)
    if None in texts.values():
        paths = [path for path in paths if texts.get(audited.real(path), "") is not None]

    def read(path: str) -> str | None:
        real = audited.real(path)
        return texts[real] if real in texts else got(audited, path)

    def count(path: str) -> int | None:
        text = texts.get(audited.real(path))
        return got_tokens(audited, path) if text is None else audited.count(text)

    return audited.contexts([*paths, *new], read, count)


def _text_after(audited: Audited, change: Written) -> str | None:
    """The text of a changed file as agents get it; None if it is removed."""
    if change.after is None:
        return None
    if audited.workspace.is_marked(change.path):
        return decode_as_utf8(change.after, change.path)
    return decode(change.after, change.path)[0]


def vanished(before: Iterable[AgentContext], after: Iterable[AgentContext]) -> list[AgentContext]:
    """The agents that would no longer be found."""
    left = {context.agent.id for context in after}
    return [each for each in before if each.agent.id not in left and not each.agent.installable]


def saved(before: Sequence[AgentContext], after: Sequence[AgentContext]) -> tuple[Saved, ...]:
    """The agents whose start a change alters, the largest saving first."""
    starts = {context.agent.id: context.start_tokens for context in after}
    real = [context for context in before if not context.agent.installable and context.agent.id in starts]
    known = {context.agent.id for context in real}
    found = [
        Saved(each.agent.id, each.agent.name, each.start_tokens, starts[each.agent.id])
        for each in real
        if each.start_tokens != starts[each.agent.id]
    ]
    found += [
        Saved(each.agent.id, each.agent.name, 0, each.start_tokens)
        for each in after
        if each.agent.id not in known and each.start_tokens and not each.agent.installable
    ]
    return tuple(sorted(found, key=lambda each: (-each.tokens, each.agent)))


def loaded(audited: Audited, contexts: Iterable[AgentContext]) -> Loaded:
    """When agents load files."""
    found: dict[tuple[str, str], int] = {}
    for context in contexts:
        for charge in context.charges:
            if not context.agent.installable and charge.moment != "never":
                key = context.agent.id, audited.real(charge.path)
                moment = MOMENTS.index(charge.moment)
                found[key] = min(moment, found.get(key, moment))
    return found
