"""Instructions that exceed an agent's limit in a subfolder only."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from ctxtui.agents import AgentContext, Chain
from ctxtui.agents.configuration import spoken_ref
from ctxtui.agents.limits import bytes_within, size_of
from ctxtui.agents.types import Limit
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import agent_folder, language_of
from ctxtui.audit.rules.phrases import all_of, source_of
from ctxtui.audit.types import Finding, Remedy, Severity

_OF_INPUT = frozenset({"fixture", "fixtures", "__fixtures__", "testdata"})


class UnreadEnd(NamedTuple):
    """The unread end of a file: its path, bytes, first line and text."""

    path: str
    size: int
    line: int
    text: str
    is_whole: bool


def deep_starts(audited: Audited) -> Iterator[Finding]:
    """The worst folder of each agent where instructions exceed the limit, unless the root does, too.

    The start folder has a finding for each cut file.
    """
    for chain in audited.chains:
        context = next((each for each in audited.real_agents if each.agent.id == chain.agent.id), None)
        limit = chain.limit
        is_here = chain.folder == audited.settings.cwd
        if context and limit and chain.lost and not is_here and chain.root_size <= limit.max:
            yield _deep(audited, context, chain, limit)


def _deep(audited: Audited, context: AgentContext, chain: Chain, limit: Limit) -> Finding:
    lost = list(_lost(audited, chain, limit))
    parts = [
        f"all of {each.path}" if each.is_whole else f"the last {each.size:,} bytes of {each.path}" for each in lost
    ]
    kinds = {posixpath.basename(path) for path in chain.paths}
    files = f"{kinds.pop()} files" if len(kinds) == 1 else "instructions"
    it = "them" if len(chain.paths) > 1 else "it"
    raised = f", or raise {spoken_ref(limit.set_in)}" if limit.set_in else ""
    severity: Severity = "info" if _is_aside(audited, chain.paths[-1]) else "warning"
    message = (
        f"started in {chain.folder}/, {context.agent.name} reads {chain.size:,} bytes of {files} and drops what is"
        f" over {limit.max:,}: {all_of(parts)}"
    )
    remedy = Remedy(f"shorten {it} by {chain.size - limit.max:,} bytes{raised}")
    path, line, tokens = lost[0].path, lost[0].line, sum(audited.count(each.text) for each in lost)
    evidence, agent, subject = source_of(context.agent), context.agent.id, f"started in {chain.folder}"
    return Finding("cut-by-limit", severity, message, path, line, tokens, evidence, agent, subject, remedy)


def _is_aside(audited: Audited, path: str) -> bool:
    """Whether a folder is unlikely as a start: a skill, agent folder, translation, fixture or copy."""
    is_input = not _OF_INPUT.isdisjoint(path.lower().split("/"))
    is_owned = bool(audited.skill_of(path) or agent_folder(path) or language_of(path))
    return is_owned or is_input or audited.is_vendored(path)


def _lost(audited: Audited, chain: Chain, limit: Limit) -> Iterator[UnreadEnd]:
    """The text beyond the limit, file by file."""
    room = limit.max
    for path in chain.paths:
        text = audited.text(path) or ""
        size = size_of(text, "bytes") or 0
        if size > room:
            start = bytes_within(text, room)
            yield UnreadEnd(path, size - room, text.count("\n", 0, start) + 1, text[start:], room == 0)
        room = max(room - size, 0)
