"""Phrases for agents, numbers and sources in findings, and what findings share."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ctxtui.agents import Agent, AgentContext
from ctxtui.agents.costs import Charge
from ctxtui.audit.types import Finding, Severity
from ctxtui.core.base.wording import some

Met = tuple[AgentContext, Charge]
"""An agent and its cost for a file."""

_SHOWN = 3


def listed(words: Sequence[str]) -> str:
    """The words as a phrase. Of more than four, it shows three: `a, b, c and 4 more`."""
    if len(words) > _SHOWN + 1:
        return some(words, _SHOWN)
    return all_of(words)


def all_of(words: Sequence[str]) -> str:
    """A complete list for a sentence."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def names(contexts: Sequence[AgentContext]) -> str:
    return listed([context.agent.name for context in contexts])


def is_plural(contexts: Sequence[AgentContext]) -> bool:
    """Whether the verb after the names of agents is plural."""
    return len(contexts) != 1 or is_plural_name(contexts[0].agent.name)


def is_plural_name(name: str) -> bool:
    """Whether the verb after an agent's name is plural, as after `Roo Code and Zoo Code` or `Codex plugins`."""
    return " and " in name or name.partition(",")[0].endswith("plugins")


def readers(contexts: Sequence[AgentContext]) -> str:
    """The names of agents that read a file, as a phrase. Kinds to install are told as `strict readers of KIND`."""
    named = [context.agent.name for context in contexts if not context.agent.installable]
    kinds = [context.agent.name.partition(",")[0] for context in contexts if context.agent.installable]
    return listed([*named, *(f"strict readers of {kind}" for kind in kinds)])


def agents_in(met: Sequence[Met]) -> list[AgentContext]:
    return [context for context, _ in met]


def only(contexts: Collection[AgentContext]) -> str | None:
    """The id of the only agent in `contexts`, or None if there are several or none."""
    return next(iter(contexts)).agent.id if len(contexts) == 1 else None


def source(context: AgentContext, charge: Charge) -> str:
    """The source of the rule behind a charge, and when it was checked."""
    where, day = context.evidence(charge)
    return f"{where}, checked {day}" if day else where


def source_for(context: AgentContext, path: str) -> str:
    """The source of the first rule by which an agent has a file, empty if it has none."""
    return next((source(context, charge) for charge in context.charges if charge.path == path), "")


def source_of(agent: Agent) -> str:
    """The first source about an agent, and when it was checked."""
    return f"{next(iter(agent.sources), '')}{f', checked {agent.checked}' if agent.checked else ''}"


def finding_of(
    met: Sequence[Met],
    rule: str,
    severity: Severity,
    message: str,
    line: int | None = 1,
    tokens: int = 0,
    subject: str = "",
    **more: Any,
) -> Finding:
    """A finding about the file of the first charge in `met`. `more` sets further fields.

    The evidence is the rule by which the first agent reads the file. `agent` is set if all charges have the same.
    """
    context, charge = met[0]
    known = {"path": charge.path, "evidence": source(context, charge), "agent": only(agents_in(met)), **more}
    return Finding(rule, severity, message, line=line, tokens=tokens, subject=subject, **known)


def shared_by_twins(found: Sequence[Finding]) -> Iterator[Finding]:
    """The findings with causes by which they merge. Files of one folder that lack the same things share a cause.

    So AGENTS.md and GEMINI.md have one finding with both places.
    """
    lacks = defaultdict[tuple[str | None, str], set[str]](set)
    for each in found:
        lacks[each.path, each.cause].add(each.subject)
    firsts = dict[object, str]()
    for each in found:
        path = each.path or ""
        same = posixpath.dirname(path), each.cause, frozenset(lacks[each.path, each.cause])
        # Baselines know the causes.
        yield replace(each, cause=f"{firsts.setdefault(same, path)}: {each.cause}")
