"""The changes tab of the Audit screen: what grew since the branch left its base, and which findings came and went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ctxtui.audit.history.changes import FileChange
from ctxtui.audit.history.since_findings import FindingChanges
from ctxtui.audit.history.since_ref import Since
from ctxtui.audit.types import Finding
from ctxtui.tui import shown
from ctxtui.tui.audit.row import AuditRow, heading, item, remark
from ctxtui.tui.widgets.rows import Cell

_STARTS, _FILES = "What agents start with", "Files"
_STYLES = {"added": "over", "removed": "good", "changed": "accent", "moved": "dim"}


def change_rows(since: Since, findings: FindingChanges, key: str) -> Iterator[AuditRow]:
    """What changed, what it adds to each agent's start, and the findings; `key` chooses another base."""
    title = f"since {shown.line(since.ref)} ({since.base[:8]})"
    total = _change(since.tokens)
    yield AuditRow(((title, "strong"), (f"   {key} compares with another branch", "dim")), (total,), heads=True)
    for notice in since.notices:
        yield remark(f"  {notice}", detail=str(notice))
    grown = [each for each in since.agents if each.after != each.before]
    starts = sorted(grown, key=lambda each: -abs(each.after - each.before))
    if starts:
        yield heading(_STARTS, count=len(starts))
    for each in starts:
        text = f"{each.name}  {each.before:,} → {each.after:,}"
        tokens = each.after - each.before
        path = each.growth.path or None
        most, right = f"most by {path}" if path else None, (_change(tokens),)
        yield item(("  ", ""), text, right, most, path=path, tokens=abs(tokens), within=(_STARTS,))
    if since.files:
        yield heading(_FILES, count=len(since.files))
    for file in since.files:
        yield from _file(file)
    yield from _findings("New findings", findings.new, is_new=True)
    yield from _findings("Findings that are gone", findings.gone, is_new=False)
    if not (since.files or starts or findings.new or findings.gone):
        yield remark("  nothing changed")


def _file(file: FileChange) -> Iterator[AuditRow]:
    """A file, and the sections that changed within it, folded."""
    was = f"was {file.old_path}" if file.old_path else ""
    about = f"{file.before:,} → {file.after:,}" if file.before is not None and file.after is not None else was
    has_parts = len(file.sections) > 1
    left = (f"{'' if has_parts else '    '}{file.kind:<8} ", _STYLES[file.kind])
    row = item(left, file.path, (_change(file.tokens),), was or about, tokens=abs(file.tokens), within=(_FILES,))
    path, group = None if file.after is None else file.path, file.path if has_parts else ""
    yield replace(row, path=path, group=group, words=shown.line(f"{file.kind} {file.path}"))
    for part in file.sections if has_parts else ():
        kind = "added" if part.before is None else "removed" if part.after is None else "changed"
        left, right, path = (f"      {kind:<8} ", _STYLES[kind]), (_change(part.tokens),), file.path
        yield item(left, part.name, right, path=path, tokens=abs(part.tokens), within=(_FILES, path))


def _findings(title: str, findings: Sequence[Finding], *, is_new: bool) -> Iterator[AuditRow]:
    width = max((len(finding.rule) for finding in findings), default=0)
    if findings:
        yield heading(title, count=len(findings))
    for finding in findings:
        place = finding.path or finding.agent or ""
        place += f":{finding.line}" if finding.line and is_new else ""
        left = (f"  {finding.rule:<{width}}  ", "warn" if is_new else "good")
        right = ((f"{finding.tokens:>9,}" if finding.tokens else " " * 9, ""),)
        detail = f"{finding.message}\n{finding.evidence}"
        row = item(left, place, right, finding.message, detail=detail, tokens=finding.tokens, within=(title,))
        if is_new:
            row = replace(row, path=finding.path, line=finding.line, fix=finding.fix, finding=finding)
        yield row


def _change(tokens: int) -> Cell:
    return f"{tokens:>+10,}", "over" if tokens > 0 else "good" if tokens < 0 else "dim"
