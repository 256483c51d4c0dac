"""Run the rules over a project."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from threading import Event, Thread

from ctxtui.agents import AgentContext
from ctxtui.agents.types import AT_START
from ctxtui.audit.context import Audited
from ctxtui.audit.costs import context_of
from ctxtui.audit.dismissed import filter_ignored, useless_ignores
from ctxtui.audit.rules import RULES, USELESS, Rule, load_rules
from ctxtui.audit.rules.ignores import comment_ignores
from ctxtui.audit.rules.loading.unloaded import has_trace
from ctxtui.audit.rules.phrases import short_list
from ctxtui.audit.text.instructions import instructions
from ctxtui.audit.types import SEVERITIES, AuditResult, Finding, InstructionCount, Place, Remedy, Settings
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.counting import count_all
from ctxtui.workspace.workspace import Workspace

# Their findings are about text, so every copy of a file has them.
_OF_TEXT = frozenset(rule.id for rule in RULES if rule.is_about_text)


def merge_copies(findings: Iterable[Finding], read: Callable[[str], str | None]) -> list[Finding]:
    """Merge findings about the text of copies (equal name, folder name, text): the worst stays, with all places."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        path = finding.path or ""
        # A copy has the same file name and the same folder name, such as a skill's folder.
        name = path.split("/")[-2:] if finding.rule in _OF_TEXT and not finding.places else ()
        text = read(path) if len(name) > 1 else None
        # The message of this rule depends on the agents that read the file.
        what = None if finding.rule == "frontmatter-rejected" else (finding.line, finding.subject)
        groups.setdefault((finding.rule, what, *name, text) if text else finding, []).append(finding)
    return [finding for group in groups.values() for finding in _merged_copies(group)]


def _merged_copies(group: Sequence[Finding]) -> Iterator[Finding]:
    """The findings at the path of the worst. The worst has the remedy and the places of all."""
    worst = min(group, key=lambda each: SEVERITIES.index(each.severity))
    copies = {each.path: each for each in group if each.path != worst.path}
    places = sorted((Place(each.path, each.line) for each in copies.values() if each.path), key=_place_order)
    for each in group:
        if each.path == worst.path:
            own = Place(each.path or "", each.line, each.tokens, each.subject)
            mended = replace(each, places=(own, *places), remedy=_merged_remedy(group))
            yield mended if each is worst and places else each


def _merged_remedy(group: Sequence[Finding]) -> Remedy:
    """The remedy for several findings: all their words in one sentence, and all their steps if each has steps."""
    first, remedies = group[0].remedy, [each.remedy for each in group]
    hints, words = ({getattr(each, name) for each in remedies} for name in ("hint", "words"))
    known = [each.words for each in remedies if each.words]
    some = f", for {len(known):,} of them" if 0 < len(known) < len(remedies) else ""
    told = first.several or f"{_in_one_sentence(list(dict.fromkeys(known)))}{some}"
    steps = tuple(dict.fromkeys(step for each in remedies for step in each.steps))
    is_mechanical = all(each.steps for each in remedies)
    return Remedy(
        told if len(words) > 1 or first.several else first.words,
        hint=first.hint if len(hints) == 1 else "",
        steps=steps if is_mechanical else (),
    )


def _in_one_sentence(words: Sequence[str]) -> str:
    """Several remedies, with a verb that they share said once: `write A, B and C`."""
    verbs = {each.partition(" ")[0] for each in words}
    same = f"{verbs.pop()} " if len(verbs) == 1 else ""
    return f"{same}{short_list([each.removeprefix(same) for each in words])}"


def merge_causes(findings: Iterable[Finding]) -> list[Finding]:
    """Merge findings with the same rule, severity, agent and cause, in the order of the first of each."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        key = (finding.rule, finding.severity, finding.agent, finding.cause) if finding.cause else finding
        groups.setdefault(key, []).append(finding)
    return [_merged_finding(group) for group in groups.values()]


def _merged_finding(group: Sequence[Finding]) -> Finding:
    if len(group) == 1:
        return group[0]
    ordered = sorted(group, key=lambda each: (-each.tokens, each.path or "", each.line or 0, each.subject))
    own = [Place(each.path, each.line, each.tokens, each.subject) for each in ordered if each.path]
    # Several findings may name one place beside their own, such as the manifest that contradicts them.
    copies = dict.fromkeys(place for each in ordered for place in each.places[1:])
    others = sorted((*own[1:], *copies), key=_place_order)
    subjects = {each.subject for each in ordered}
    many = ordered[0].many.replace("{count}", f"{len(own):,}").replace("{subjects}", f"{len(subjects):,}")
    return replace(
        ordered[0],
        fact=ordered[0].fact if len(subjects) == 1 and "{count}" not in ordered[0].many else many,
        tokens=sum(each.tokens for each in ordered),
        places=(*own[:1], *others),
        remedy=_merged_remedy(ordered),
    )


def _place_order(place: Place) -> tuple[str, int, str]:
    return place.path, place.line or 0, place.subject


def audit(
    workspace: Workspace,
    counter: TokenCounter | None = None,
    settings: Settings | None = None,
    rules: Sequence[Rule] = RULES,
    stop: Event | None = None,
) -> AuditResult:
    """Run rules over a project, most severe findings first. Never raises for content.

    A `cwd` of the settings outside the project is a ContextError (invalid_request). Setting `stop` ends the audit
    early, with the findings so far.
    """
    return apply_rules(Audited(workspace, counter, settings, stop), rules)


def apply_rules(audited: Audited, rules: Sequence[Rule] = RULES) -> AuditResult:
    """Run rules over a prepared project. The result is the same as that of `audit`."""
    try:
        return _run_rules(audited, rules)
    finally:
        # Rules count files themselves, too.
        audited.workspace.reader.flush()


def _run_rules(audited: Audited, rules: Sequence[Rule]) -> AuditResult:
    # Agents load plain files too, but which ones is known only after the other files are counted.
    certain = context_of(audited.workspace.references, ())
    Thread(target=load_rules, name="rules", daemon=True).start()
    _count(audited, certain)
    _count(audited, audited.references)
    findings: dict[Finding, None] = {}
    ran = [rule for rule in rules if rule.id not in audited.settings.off]
    for rule in ran:
        if not audited.is_stopped:
            findings.update(dict.fromkeys(filter(audited.is_about, rule.check(audited))))
    filtered = filter_ignored(
        findings, [*audited.settings.ignores, *comment_ignores(audited, [rule.id for rule in RULES])]
    )
    ids = [rule.id for rule in ran]
    is_told = USELESS in ids and not audited.is_stopped
    told = [*filtered.reported, *(useless_ignores(filtered.unmatched, ids) if is_told else ())]
    agents = () if audited.is_stopped and "agents" not in vars(audited) else audited.agents
    return AuditResult(
        _merged_and_ranked(told, audited),
        agents,
        tuple(audited.notices),
        is_complete=not audited.is_stopped,
        ignored=_merged_and_ranked(filtered.ignored, audited),
        chains=() if audited.is_stopped else audited.chains,
        used=tuple(each.agent.id for each in agents if has_trace(audited, each)),
        asked=() if audited.is_stopped else tuple(_instruction_counts(audited, agents)),
    )


def _count(audited: Audited, references: Sequence[Reference]) -> None:
    """Count files ahead of the rules. Notices about unreadable files go to the audit."""
    counting = count_all(audited.workspace, audited.counter, stop=audited.stop, only=references)
    audited.notices |= dict.fromkeys(counting)


def _instruction_counts(audited: Audited, agents: Iterable[AgentContext]) -> Iterator[InstructionCount]:
    """The number of instructions in each file of each agent's start. Several links to one file count once."""
    # Several agents read the same text.
    count = cache(instructions)
    for context in agents:
        charges = {audited.real(charge.path): charge for charge in context.at(*AT_START) if charge.tokens}
        texts = ((charge.path, charge.text(audited.text(charge.path) or "")) for charge in charges.values())
        found = [InstructionCount(context.agent.id, path, count(text)) for path, text in texts]
        yield from sorted(found, key=lambda each: (-(each.instructions or 0), each.path))


def _merged_and_ranked(findings: Iterable[Finding], audited: Audited) -> tuple[Finding, ...]:
    severities = audited.settings.severities
    weighed = (replace(each, severity=severities.get(each.rule, each.severity)) for each in findings)
    merged = merge_causes(merge_copies(weighed, audited.text))
    return tuple(sorted(merged, key=lambda each: (SEVERITIES.index(each.severity), -each.tokens, *each.order)))
