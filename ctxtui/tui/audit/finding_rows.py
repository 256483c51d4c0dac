"""The Findings tab of the Audit screen: limits, savings, findings with most reasons to act first, problems, notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxtui.audit.advice import Adviser
from ctxtui.audit.limits import limit_line
from ctxtui.audit.reports.report import Report
from ctxtui.audit.slim.change import Plan, Saved
from ctxtui.audit.types import Finding
from ctxtui.core.base.wording import plural
from ctxtui.tui import shown
from ctxtui.tui.widgets.fold_rows import Row, Told, remark

SIGNS = {"error": ("▲ ", "over"), "warning": ("△ ", "warn"), "info": ("i ", "note")}
SAVING, PROBLEMS, NOTES = "what can be saved", "problems with files", "notes"
"""The groups of the tab."""
NOTHING_TO_MEND = "nothing to mend: no text is lost, no number is wrong, no file is a problem"
# More findings of a rule are folded below a row of their own.
_MOST_OF_RULE = 3


def finding_rows(report: Report, planned: tuple[Plan, Saved | None] | None, is_planning: bool) -> Iterator[Row]:
    """All rows of the tab. `planned` is the plan and its measured sum, None without a plan or while `is_planning`."""
    adviser, remarks = report.adviser, _remarks(report)
    with_finding = {f"start {each.agent}" for each in report.findings if each.rule == "start-over-budget"}
    for result in report.limits:
        if result.name not in with_finding:
            line = limit_line(result)
            yield remark(line, "good" if result.passed else "over", path=result.path or None, tokens=result.tokens)
    if is_planning:
        yield remark("counting what can be saved …", heads=True)
    elif planned is not None:
        yield from saving_rows(*planned)
    problems = frozenset(report.problems)
    ranked = adviser.ranked([each for each in report.findings if each.severity != "info" or each not in problems])
    notes = [each for each in ranked if not adviser.is_urgent(each)]
    urgent = [each for each in ranked if adviser.is_urgent(each)]
    yield from _by_rule([each for each in urgent if each not in problems], adviser, report)
    for name, some in ((PROBLEMS, [each for each in urgent if each in problems]), (NOTES, notes)):
        if some:
            sign = SIGNS[min((each.severity for each in some), key=list(SIGNS).index)]
            rules = ", ".join(dict.fromkeys(each.rule for each in some))
            text = f"{len(some):,} {name}" if len(some) > 1 else f"1 {name.replace('s', '', 1)}"
            texts = (Told(f"{text}: {rules}"),)
            yield Row(
                (sign,), (), some[0].path, some[0].line, group=name, words=name, told=texts, is_open=name == PROBLEMS
            )
            yield from _by_rule(some, adviser, report, (name,))
    if remarks and not (ranked or is_planning):
        yield remark(NOTHING_TO_MEND, heads=True)
    yield from _remark_rows(remarks)


def _remark_rows(remarks: Sequence[Finding]) -> Iterator[Row]:
    """Remarks in their order, grouped by rule. A group of more than `_MOST_OF_RULE` is folded."""
    kinds: dict[str, list[Finding]] = {}
    for each in remarks:
        kinds.setdefault(each.rule, []).append(each)
    for kind, some in kinds.items():
        within = (f"remarks {kind}",) if len(some) > _MOST_OF_RULE else ()
        if within:
            told = (Told(f"{len(some):,} × {kind}", "dim"),)
            yield Row((SIGNS["info"],), group=within[0], words=kind, told=told)
        for each in some:
            place = f"{each.path}:{each.line}: " if each.path and each.line else f"{each.path}: " if each.path else ""
            text = shown.line(place + each.message)
            yield Row((SIGNS["info"],), (), each.path, each.line, text, within=within, told=(Told(text, "dim"),))


def _remarks(report: Report) -> list[Finding]:
    """The problems of reading with severity info, which nobody counts as problems."""
    return [each for each in report.problems if each.severity == "info"]


def saving_rows(plan: Plan, saved: Saved | None) -> Iterator[Row]:
    """Rows of a plan: its measured sum `saved`, changes that save tokens, then changes to make by hand.

    Empty if no change saves tokens.
    """
    changes = [each for each in plan.changes if each.tokens]
    if changes:
        best = changes[0].saved[0]
        which = ", each" if len(changes) > 1 else ""
        title = f"{plural(len(changes), 'change')} can save up to {_saved_words(best)}{which} with its diff"
        # Savings of changes to one text do not add up, so the sum is measured.
        if saved is not None and saved.tokens > best.tokens:
            title += f"; together {_saved_words(saved)}"
        tokens = max(best.tokens, saved.tokens if saved else 0)
        yield Row((("↓ ", "good"),), group=SAVING, words=SAVING, told=(Told(title),), tokens=tokens)
    for change in changes:
        told = [Told(shown.line(change.title)), Told(shown.line(f"saves {change.in_words}"), "good")]
        told.append(Told(shown.line(f"could be lost: {change.lost}"), "dim"))
        more: dict[str, Any] = {"tokens": change.tokens, "change": change, "within": (SAVING,), "told": tuple(told)}
        yield Row((("↓ ", "good"),), (), change.path, **more)
    for notice in plan.by_hand if changes else ():
        by_hand = (Told(shown.line(notice.message)), Told(shown.line(f"by hand, in {notice.path}"), "dim"))
        yield Row((("i ", "note"),), (), notice.path, within=(SAVING,), told=by_hand)


def _saved_words(saved: Saved) -> str:
    return f"{saved.tokens:,} of {saved.before:,} tokens at the start of {saved.name}"


def _by_rule(
    findings: Sequence[Finding], adviser: Adviser, report: Report, within: tuple[str, ...] = ()
) -> Iterator[Row]:
    """The findings in order, those of one severity and rule together. Many fold into a group inside `within`."""
    about = {rule.id: rule.about for rule in report.rules}
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.severity, finding.rule), []).append(finding)
    for (severity, rule), some in groups.items():
        inside = within
        if len(some) > _MOST_OF_RULE:
            id_, sign = f"{' '.join(within)} {severity} {rule}", SIGNS[severity]
            told = Told(f"{len(some):,} × {rule}: {about.get(rule) or some[0].message}")
            tokens = sum(each.tokens for each in some)
            at = some[0].path, some[0].line
            yield Row((sign,), (), *at, tokens=tokens, group=id_, within=within, words=rule, told=(told,))
            inside = (*within, id_)
        for finding in some:
            yield finding_row(finding, adviser, about.get(rule, ""), inside)


def finding_row(finding: Finding, adviser: Adviser, about: str = "", within: tuple[str, ...] = ()) -> Row:
    """The fact, place and remedy of a finding. The detail has the sentence `about` its rule, and the evidence."""
    advice = adviser.on(finding)
    place = shown.line(finding.path or finding.agent or "the project")
    place += f":{finding.line}" if finding.line is not None else ""
    more = f"and {plural(finding.count - 1, 'more place')}" if finding.count > 1 else ""
    where = " · ".join(filter(None, (place, more, advice.cost, finding.rule)))
    told = (
        Told(_sentence(shown.line(advice.fact))),
        Told(shown.line(where), "dim", len(place)),
        Told(shown.line(f"→ {advice.remedy}"), "good"),
    )
    detail = "\n".join(filter(None, (about, finding.evidence))) or finding.message
    at = (finding.path, finding.line, detail, finding.tokens, finding)
    return Row((SIGNS[finding.severity],), (), *at, within=within, told=told)


def _sentence(text: str) -> str:
    """A text that begins with a capital, unless it begins with a path or a name."""
    return f"{text[:1].upper()}{text[1:]}" if text.partition(" ")[0].isalpha() else text


def problem_words(report: Report) -> str:
    """The numbers of problems and notes, without remarks on reading: `3 problems, 1 note`."""
    problems = report.count("error") + report.count("warning")
    notes = report.count("info") - len(_remarks(report))
    found = [plural(problems, "problem"), *([plural(notes, "note")] if notes else [])]
    return ", ".join(found)
