"""Make plans: audit the text after each draft, and keep the draft if it saves tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

from ctxtui.agents import AgentContext
from ctxtui.agents.types import MOMENTS
from ctxtui.audit.context import Audited
from ctxtui.audit.dismissed import filter_ignored
from ctxtui.audit.fixes import Written, diff_of, planned
from ctxtui.audit.logs.report import Logs
from ctxtui.audit.reports.report import Report
from ctxtui.audit.rules.ignores import comment_ignores
from ctxtui.audit.rules.phrases import short_list
from ctxtui.audit.shared import is_generated
from ctxtui.audit.slim.change import Change, Kind, Loaded, Plan, Saved
from ctxtui.audit.slim.drafts import scope_drafts, section_drafts, twin_drafts
from ctxtui.audit.slim.switches import server_tokens, switches
from ctxtui.audit.types import Finding, NewFile
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.decode import decode, decode_as_utf8
from ctxtui.workspace.workspace import Workspace

# Each draft needs an audit of the agents, and longer plans help no one.
_MOST_DRAFTS = 200
# The least tokens of a saving that reports mention.
_WORTH = 100
# The corresponding rules: a user who ignores their findings does not want the change either.
RULE_OF: dict[Kind, str] = {
    "twin": "paid-twice",
    "scope": "could-be-scoped",
    "move": "could-be-scoped",
    "switch": "listing-over-budget",
}


def contexts_after(audited: Audited, changes: Iterable[Written]) -> tuple[AgentContext, ...]:
    """The contexts of the agents if the changes were written. Raises ContextError for bytes that are not text."""
    texts: dict[str, str] = {}
    for change in changes:
        is_marked, data = audited.workspace.begins_with_mark(change.path), change.after or b""
        text = decode_as_utf8(data, change.path) if is_marked else decode(data, change.path)[0]
        texts[audited.real(change.path)] = text
    new = [path for path in texts if path not in audited.listed]

    def read(path: str) -> str | None:
        text = texts.get(audited.real(path))
        return audited.received_text(path) if text is None else text

    def count(path: str) -> int | None:
        text = texts.get(audited.real(path))
        return audited.received_tokens(path) if text is None else audited.count(text)

    return audited.contexts([*audited.paths, *new], read, count)


def start_tokens(contexts: Iterable[AgentContext], servers: Mapping[str, int]) -> dict[str, int]:
    """The start tokens of agents in use, with those of their servers, by id."""
    used = (each for each in contexts if not each.agent.installable)
    return {each.agent.id: each.start_tokens + servers.get(each.agent.id, 0) for each in used}


def earliest_moments(audited: Audited, contexts: Iterable[AgentContext]) -> Loaded:
    """The earliest loads by agents in use. Files that never load are left out."""
    found: dict[tuple[str, str], int] = {}
    for context in contexts:
        for charge in context.charges:
            if not context.agent.installable and charge.moment != "never":
                key = context.agent.id, audited.real(charge.path)
                moment = MOMENTS.index(charge.moment)
                found[key] = min(moment, found.get(key, moment))
    return found


def make_plan(workspace: Workspace, report: Report) -> Plan:
    """Plan changes that save tokens, measured one by one. Never raises for content."""
    audited = Audited(workspace, report.counter, report.settings)
    return _measured_plan(audited, report, _drafts(audited, report))


def plan_switches(workspace: Workspace, report: Report, logs: Logs) -> Plan:
    """Plan to switch off what transcripts show unused or what costs much. Measured as `make_plan` does."""
    audited = Audited(workspace, report.counter, report.settings)
    found = list(switches(audited, logs, report.mcp.servers))
    plan = _measured_plan(audited, report, [each for each in found if isinstance(each, Change)])
    return Plan((), tuple(each for each in found if isinstance(each, Notice))).joined(plan)


def _measured_plan(audited: Audited, report: Report, drafts: Iterable[Change]) -> Plan:
    """The drafts that save tokens, and those that a person must make, without what the user ignores."""
    now = earliest_moments(audited, audited.agents)
    found: list[Change] = []
    by_hand: list[Notice] = []
    for draft in _not_ignored(audited, drafts, report):
        try:
            change = _measured_change(audited, now, draft)
        except ContextError as error:
            why = f"{draft.title}: {error.message}{f'; {error.hint}' if error.hint else ''}"
            by_hand.append(Notice("slim-by-hand", why, draft.path))
            continue
        found += [change] if change else []
    # A scope saves the sections of its file, too.
    scoped = {change.path for change in found if change.kind == "scope"}
    kept = [change for change in found if change.kind != "move" or change.path not in scoped]
    sums = {change.id: sum(each.tokens for each in change.saved) for change in kept}
    kept.sort(key=lambda each: (-each.tokens, -sums[each.id], each.path, each.title))
    return Plan(tuple(kept), tuple(by_hand))


def largest_saving(audited: Audited, report: Report) -> Saved | None:
    """The largest saving of an agent if all changes of the plan are made, None below 100 tokens."""
    changes = [each for each in _measured_plan(audited, report, _drafts(audited, report)).changes if each.tokens]
    if not changes:
        return None
    try:
        together = _joint_savings(audited, changes)
    except ContextError:
        # The changes conflict. The saving of the best change is still true.
        together = changes[0].saved
    best = max(together, key=lambda each: each.tokens, default=None)
    return best if best and best.tokens >= _WORTH else None


def savings_together(workspace: Workspace, report: Report, changes: Sequence[Change]) -> tuple[Saved, ...]:
    """The agents whose start several changes together would change, largest saving first.

    Raises ContextError (invalid_request) if they edit the same lines, or if together they lose text that each alone
    keeps.
    """
    return _joint_savings(Audited(workspace, report.counter, report.settings), changes)


def _joint_savings(audited: Audited, changes: Sequence[Change]) -> tuple[Saved, ...]:
    steps = [step for change in changes for step in change.steps]

    def are_safe(before: Loaded, after: Loaded) -> bool:
        return all(change.keeps(before, after) for change in changes)

    try:
        affects_servers = any(change.affects_servers for change in changes)
        now = earliest_moments(audited, audited.agents)
        return _savings(audited, now, planned(audited.workspace.reader.root, steps), are_safe, affects_servers)
    except Unsafe as reason:
        message = f"together, {short_list([change.id for change in changes])} {reason}"
        raise invalid(message, hint="write one of them, then look at the plan again") from reason


def _drafts(audited: Audited, report: Report) -> Iterator[Change]:
    drafts = chain(twin_drafts(audited), scope_drafts(audited, report.findings), section_drafts(audited))
    return islice(drafts, _MOST_DRAFTS)


def _not_ignored(audited: Audited, drafts: Iterable[Change], report: Report) -> Iterator[Change]:
    """The drafts, each once, without files and rules that the user ignores."""
    rules = [rule.id for rule in report.rules]
    ignores = [*audited.settings.ignores, *comment_ignores(audited, rules)]
    known: dict[str, Change] = {}
    for draft in drafts:
        known.setdefault(draft.id, draft)
    for draft in known.values():
        rule = RULE_OF[draft.kind]
        finding = Finding(rule, "info", draft.title, path=draft.path, line=1)
        if rule not in audited.settings.off and filter_ignored([finding], ignores).reported:
            yield draft


def _savings(
    audited: Audited,
    now: Loaded,
    changes: Sequence[Written],
    are_safe: Callable[[Loaded, Loaded], bool],
    with_servers: bool,
) -> tuple[Saved, ...]:
    """The agents whose start the changes together would change, largest saving first.

    `are_safe` compares the loads `now` and after, `with_servers` also weighs MCP servers. Raises Unsafe if an
    import would break or a text would be lost.
    """
    before, after = audited.agents, contexts_after(audited, changes)
    if _broken_imports(after) > _broken_imports(before):
        raise Unsafe("would break an import")
    if not are_safe(now, earliest_moments(audited, after)):
        raise Unsafe("would lose text that each alone keeps")
    were = start_tokens(before, server_tokens(audited) if with_servers else {})
    are = start_tokens(after, server_tokens(audited, changes) if with_servers else {})
    names = {each.agent.id: each.agent.name for each in after}
    found = [Saved(id_, names[id_], were.get(id_, 0), tokens) for id_, tokens in are.items()]
    return tuple(sorted((each for each in found if each.tokens), key=lambda each: (-each.tokens, each.agent)))


class Unsafe(Exception):
    """Changes that would lose too much, with the reason."""


def _broken_imports(contexts: Iterable[AgentContext]) -> int:
    return sum(len(context.unmet) for context in contexts)


def _measured_change(audited: Audited, now: Loaded, draft: Change) -> Change | None:
    """The draft with savings and diff, or None if useless or unsafe. ContextError if a person must do it."""
    changes = planned(audited.workspace.reader.root, draft.steps)
    try:
        found = _savings(audited, now, changes, draft.keeps, draft.affects_servers)
    except Unsafe:
        return None
    if sum(each.tokens for each in found) <= 0:
        return None
    for step in draft.steps:
        if not isinstance(step, NewFile) and is_generated(audited.text(step.path) or ""):
            raise invalid(f"{step.path} says that it is generated", hint="change what it is made from")
        if audited.is_vendored(step.path):
            return None
    return replace(draft, saved=found, diff=diff_of(changes))
