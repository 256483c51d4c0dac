"""Makes the plan: every draft is measured by auditing the changed text, and kept if it saves tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from ctxtui.agents import AgentContext
from ctxtui.audit.context import Audited
from ctxtui.audit.fixes import Written, diff_of, planned
from ctxtui.audit.ignored import sift
from ctxtui.audit.reports.report import Report
from ctxtui.audit.rules.ignores import comment_ignores
from ctxtui.audit.rules.phrases import listed, names
from ctxtui.audit.slim.change import Change, Draft, Kind, Loaded, Plan, Saved
from ctxtui.audit.slim.descriptions import descriptions
from ctxtui.audit.slim.numbers import numbers
from ctxtui.audit.slim.overlay import contexts_after, loaded, saved, vanished
from ctxtui.audit.slim.scopes import scopes
from ctxtui.audit.slim.sections import sections
from ctxtui.audit.slim.twins import linked, twins
from ctxtui.audit.types import Finding, NewFile
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.workspace.workspace import Workspace

# Each draft takes an audit of the agents, and longer plans help no one.
_MOST_DRAFTS = 200
_MOST_TOLD = 8
_BEGINNING = 500
_GENERATED = re.compile(r"do not edit|auto-?generated|generated (?:by|from)", re.IGNORECASE)
# The rules that say the same; who ignores their findings wants no such change either.
_RULES: dict[Kind, str] = {
    "twin": "paid-twice",
    "scope": "could-be-scoped",
    "move": "could-be-scoped",
    "describe": "listing-over-budget",
    "number": "token-drift",
}


def make_plan(workspace: Workspace, report: Report) -> Plan:
    """The changes that would save tokens in a project, measured one by one; never raises for content."""
    audited = Audited(workspace, report.counter, report.settings)
    changes, by_hand = _measured(audited, report, _drafts(audited, report))
    return Plan(tuple(changes), tuple(dict.fromkeys((*linked(audited), *by_hand))))


def _measured(audited: Audited, report: Report, drafts: Iterable[Draft]) -> tuple[list[Change], list[Notice]]:
    """The changes that save tokens, the best first, and what can only be done by hand."""
    scale = Scale(audited)
    found: list[Change] = []
    by_hand: list[Notice] = []
    for draft in _wanted(audited, drafts, report):
        try:
            change = _change(audited, scale, draft)
        except ContextError as error:
            by_hand.append(Notice("slim-by-hand", f"{draft.title}: {_said(error)}", draft.path))
            continue
        found += [change] if change else []
    return sorted(_chosen(found), key=_rank), by_hand


def largest_saving(audited: Audited, report: Report) -> Saved | None:
    """The agent whose start shrinks most if all changes behind errors and warnings are made, as the plan measures it.

    None if none of them saves anything. Few changes are measured, since every report says this.
    """
    paths = {each.path for each in report.findings if each.severity != "info"}
    told = (draft for draft in chain(twins(audited), scopes(audited, report.findings)) if draft.path in paths)
    changes = _measured(audited, report, islice(told, _MOST_TOLD))[0]
    if not changes:
        return None
    try:
        together = _together(audited, changes)
    except ContextError:
        # They exclude one another: the best of them is still true.
        together = changes[0].saved
    return max(together, key=lambda each: each.tokens, default=None)


def weigh_together(workspace: Workspace, report: Report, changes: Sequence[Change]) -> tuple[Saved, ...]:
    """What several changes save together.

    Raises ContextError (invalid_request) if they concern the same lines, or together lose what each alone keeps.
    """
    return _together(Audited(workspace, report.counter, report.settings), changes)


def _together(audited: Audited, changes: Sequence[Change]) -> tuple[Saved, ...]:
    steps = [step for change in changes for step in change.draft.steps]

    def are_safe(before: Loaded, after: Loaded) -> bool:
        return all(change.draft.is_safe(before, after) for change in changes)

    try:
        return Scale(audited).weigh(planned(audited.workspace.reader.root, steps), are_safe)
    except Unsafe as reason:
        message = f"together, {listed([change.id for change in changes])} {reason}"
        raise ContextError(
            "invalid_request", message, hint="write one of them, then look at the plan again"
        ) from reason


def _drafts(audited: Audited, report: Report) -> Iterator[Draft]:
    findings = report.findings
    saving = chain(twins(audited), scopes(audited, findings), sections(audited), descriptions(audited))
    yield from islice(chain(saving, numbers(findings)), _MOST_DRAFTS)


def _wanted(audited: Audited, drafts: Iterable[Draft], report: Report) -> Iterator[Draft]:
    """The drafts, each once, without those about files or rules that the user ignores."""
    rules = [rule.id for rule in report.rules]
    ignores = [*audited.settings.ignores, *comment_ignores(audited, rules)]
    known: dict[str, Draft] = {}
    for draft in drafts:
        known.setdefault(draft.id, draft)
    for draft in known.values():
        rule = _RULES[draft.kind]
        finding = Finding(rule, "info", draft.title, path=draft.path, line=1)
        if rule not in audited.settings.off and sift([finding], ignores).told:
            yield draft


class Scale:
    """Measures changes against the project as it is."""

    def __init__(self, audited: Audited) -> None:
        self._audited = audited
        self._before = audited.agents
        self._loaded = loaded(audited, self._before)

    def weigh(self, changes: Iterable[Written], are_safe: Callable[[Loaded, Loaded], bool]) -> tuple[Saved, ...]:
        """The agents whose start the changes alter; raises Unsafe if they would lose more than they should."""
        after = contexts_after(self._audited, changes)
        if gone := vanished(self._before, after):
            raise Unsafe(f"would leave no file by which {names(gone)} is found in the project")
        if _unmet(after) > _unmet(self._before):
            raise Unsafe("would break an import")
        if not are_safe(self._loaded, loaded(self._audited, after)):
            raise Unsafe("would lose text that each alone keeps")
        return saved(self._before, after)


class Unsafe(Exception):
    """Changes that would lose more than they should, with the reason."""


def _unmet(contexts: Iterable[AgentContext]) -> int:
    """The imports that lead nowhere."""
    return sum(len(context.unmet) for context in contexts)


def _change(audited: Audited, scale: Scale, draft: Draft) -> Change | None:
    """The change of a draft; raises ContextError if it cannot be written here."""
    changes = planned(audited.workspace.reader.root, draft.steps)
    try:
        found = scale.weigh(changes, draft.is_safe)
    except Unsafe:
        return None
    if draft.must_save and sum(each.tokens for each in found) <= 0:
        return None
    for step in draft.steps if draft.must_save else ():
        if not isinstance(step, NewFile) and _GENERATED.search((audited.text(step.path) or "")[:_BEGINNING]):
            hint = "change what it is made from"
            raise ContextError("invalid_request", f"{step.path} says that it is generated", hint=hint)
        if audited.is_vendored(step.path):
            return None
    return Change(draft, found, diff_of(changes))


def _said(error: ContextError) -> str:
    return f"{error.message}{f'; {error.hint}' if error.hint else ''}"


def _chosen(changes: Iterable[Change]) -> list[Change]:
    """The changes without those to which there is a better alternative."""
    best: dict[str, Change] = {}
    for change in changes:
        key = change.draft.choice or change.id
        if key not in best or _total(best[key]) < _total(change):
            best[key] = change
    # A rule that can be scoped as a whole keeps its sections.
    scoped = {change.path for change in best.values() if change.kind == "scope"}
    return [change for change in best.values() if change.kind != "move" or change.path not in scoped]


def _total(change: Change) -> int:
    return sum(each.tokens for each in change.saved)


def _rank(change: Change) -> tuple[object, ...]:
    return (-change.tokens, -_total(change), change.path, change.title)
