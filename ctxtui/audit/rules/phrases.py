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

AgentCharge = tuple[AgentContext, Charge]
"""An agent and its cost for a file."""

_SHOWN = 3


def short_list(words: Sequence[str]) -> str:
    """The words as a phrase. Of more than four, it shows three: `a, b, c and 4 more`."""
    return some(words, _SHOWN) if len(words) > _SHOWN + 1 else full_list(words)


def full_list(words: Sequence[str]) -> str:
    """All words as a phrase: `a, b and c`. Empty without words."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def agent_names(contexts: Sequence[AgentContext]) -> str:
    return short_list([context.agent.name for context in contexts])


def is_plural(contexts: Sequence[AgentContext]) -> bool:
    """Whether the verb after the names of agents is plural."""
    return len(contexts) != 1 or is_plural_name(contexts[0].agent.name)


def is_plural_name(name: str) -> bool:
    """Whether the verb after an agent's name is plural, as after `Roo Code and Zoo Code` or `Codex plugins`."""
    return " and " in name or name.partition(",")[0].endswith("plugins")


def reader_names(contexts: Sequence[AgentContext]) -> str:
    """The names of agents that read a file, as a phrase. Of files to install, it names `strict readers of KIND`."""
    named = [context.agent.name for context in contexts if not context.agent.installable]
    kinds = [context.agent.name.partition(",")[0] for context in contexts if context.agent.installable]
    return short_list([*named, *(f"strict readers of {kind}" for kind in kinds)])


def contexts_in(met: Sequence[AgentCharge]) -> list[AgentContext]:
    return [context for context, _ in met]


def only_agent(contexts: Collection[AgentContext]) -> str | None:
    """The id of the only agent in `contexts`, or None if there are several or none."""
    return next(iter(contexts)).agent.id if len(contexts) == 1 else None


def charge_source(context: AgentContext, charge: Charge) -> str:
    """The source of the rule behind a charge, with the day on which it was checked if known."""
    where, day = context.evidence(charge)
    return f"{where}, checked {day}" if day else where


def file_source(context: AgentContext, path: str) -> str:
    """The source of the first rule by which an agent has a file, empty if it has none."""
    return next((charge_source(context, charge) for charge in context.charges if charge.path == path), "")


def agent_source(agent: Agent) -> str:
    """The first source about an agent, with the day on which it was checked. Empty for an agent without either."""
    return f"{next(iter(agent.sources), '')}{f', checked {agent.checked}' if agent.checked else ''}"


def finding_of(
    met: Sequence[AgentCharge],
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
    known = {
        "path": charge.path,
        "evidence": charge_source(context, charge),
        "agent": only_agent(contexts_in(met)),
        **more,
    }
    return Finding(rule, severity, message, line=line, tokens=tokens, subject=subject, **known)


def with_shared_causes(found: Sequence[Finding]) -> Iterator[Finding]:
    """The findings, each with a cause that names a file, by which they merge.

    Files of one folder that lack the same things share a cause, so that AGENTS.md and GEMINI.md have one finding with
    both places.
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
