"""Declared numbers that are wrong: loaders that plan by them load too much or too little."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ctxtui.audit.slim.change import Draft
from ctxtui.audit.types import Finding, Fix
from ctxtui.core.base.wording import plural


def numbers(findings: Iterable[Finding]) -> Iterator[Draft]:
    """One change for each file with wrong numbers, which corrects all of them."""
    by_path: defaultdict[str, list[Fix]] = defaultdict(list)
    for finding in findings:
        if finding.fix is not None and finding.fix.start >= 0:
            by_path[finding.fix.path].append(finding.fix)
    for path, fixes in by_path.items():
        title = f"Correct {plural(len(fixes), 'declared number')} in {path}"
        yield Draft("number", path, title, tuple(fixes), "Nothing: only the numbers change.", must_save=False)
