"""The changes tab of the Audit screen: what grew since the branch left its base, and which findings came and went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxtui.audit.history.changes import FileChange
from ctxtui.audit.history.since_findings import FindingChanges
from ctxtui.audit.history.since_ref import Since
from ctxtui.audit.types import Finding
from ctxtui.tui import shown
from ctxtui.tui.audit.row import AuditRow
from ctxtui.tui.widgets.rows import Cell

_STARTS, _FILES = "What agents start with", "Files"
_STYLES = {"added": "over", "removed": "good", "changed": "accent", "moved": "dim"}


def change_rows(since: Since, findings: FindingChanges, key: str) -> Iterator[AuditRow]:
    """What changed, what it adds to each agent's start, and the findings; `key` chooses another base."""
    title = f"since {shown.line(since.ref)} ({since.base[:8]})"
    total = _change(since.tokens)
    yield AuditRow(((title, "strong"), (f"   {key} compares with another branch", "dim")), (total,), heads=True)
    for notice in since.notices:
        yield AuditRow(((f"  {shown.line(str(notice))}", "dim"),), detail=str(notice))
    grown = [each for each in since.agents if each.after != each.before]
    starts = sorted(grown, key=lambda each: -abs(each.after - each.before))
    if starts:
        yield _heading(_STARTS, len(starts))
    for each in starts:
        text = f"{each.name}  {each.before:,} → {each.after:,}"
        tokens = each.after - each.before
        most = f"most by {each.growth.path}" if each.growth.path else ""
        more: tuple[Cell, ...] = ((shown.line(most), "dim"),) if most else ()
        yield AuditRow(
            (("  ", ""),),
            (_change(tokens),),
            each.growth.path or None,
            tokens=abs(tokens),
            name=(shown.line(text), ""),
            more=more,
            within=(_STARTS,),
        )
    if since.files:
        yield _heading(_FILES, len(since.files))
    for file in since.files:
        yield from _file(file)
    yield from _findings("New findings", findings.new, is_new=True)
    yield from _findings("Findings that are gone", findings.gone, is_new=False)
    if not (since.files or starts or findings.new or findings.gone):
        yield AuditRow((("  nothing changed", "dim"),))


def _heading(title: str, count: int) -> AuditRow:
    return AuditRow(((title, "strong"), (f"  {count:,}", "dim")), group=title, is_open=True, words=title)


def _file(file: FileChange) -> Iterator[AuditRow]:
    """A file, and the sections that changed within it, folded."""
    was = f"was {shown.line(file.old_path)}" if file.old_path else ""
    about = f"{file.before:,} → {file.after:,}" if file.before is not None and file.after is not None else was
    has_parts = len(file.sections) > 1
    yield AuditRow(
        ((f"{'' if has_parts else '    '}{file.kind:<8} ", _STYLES[file.kind]),),
        (_change(file.tokens),),
        None if file.after is None else file.path,
        tokens=abs(file.tokens),
        name=(shown.line(file.path), ""),
        more=((was or about, "dim"),),
        within=(_FILES,),
        group=file.path if has_parts else "",
        words=shown.line(f"{file.kind} {file.path}"),
    )
    for part in file.sections if has_parts else ():
        kind = "added" if part.before is None else "removed" if part.after is None else "changed"
        yield AuditRow(
            ((f"      {kind:<8} ", _STYLES[kind]),),
            (_change(part.tokens),),
            file.path,
            tokens=abs(part.tokens),
            name=(shown.line(part.name), ""),
            within=(_FILES, file.path),
        )


def _findings(title: str, findings: Sequence[Finding], *, is_new: bool) -> Iterator[AuditRow]:
    width = max((len(finding.rule) for finding in findings), default=0)
    if findings:
        yield _heading(title, len(findings))
    for finding in findings:
        place = shown.line(finding.path or finding.agent or "")
        place += f":{finding.line}" if finding.line and is_new else ""
        yield AuditRow(
            ((f"  {finding.rule:<{width}}  ", "warn" if is_new else "good"),),
            ((f"{finding.tokens:>9,}" if finding.tokens else " " * 9, ""),),
            finding.path if is_new else None,
            finding.line if is_new else None,
            f"{finding.message}\n{finding.evidence}",
            finding.fix if is_new else None,
            finding.tokens,
            finding if is_new else None,
            name=(place, ""),
            more=((shown.line(finding.message), "dim"),),
            within=(title,),
        )


def _change(tokens: int) -> Cell:
    return f"{tokens:>+10,}", "over" if tokens > 0 else "good" if tokens < 0 else "dim"
