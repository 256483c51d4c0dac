"""Findings that the configuration or a comment in the file dismisses with a reason."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxtui.audit.types import Finding, Ignore
from ctxtui.core.base.wording import near
from ctxtui.core.text.decode import Lines
from ctxtui.core.text.globs import compile_glob
from ctxtui.core.text.markdown.light import prose

MARK = "ctxtui-ignore"
NOT_BY_FILE = ("secret", "invisible-text")
"""A file cannot ignore these rules for itself, because an attacker could hide text that way."""

_COMMENT = re.compile(rf"(?<!`)<!--[ \t]*{MARK}(-file)?[ \t]*:([^\r\n]{{0,500}}?)-->[ \t]*(?=[\r\n]|\Z)")
_MOST_COMMENTS = 200
_WORD = re.compile(r"\S")


class Comment(NamedTuple):
    """An ignore comment at `line`, from 1. `lines` are the first and last that it covers, None for the whole file."""

    line: int
    rules: tuple[str, ...]
    reason: str
    lines: tuple[int, int] | None


def find_comments(text: str) -> tuple[Comment, ...]:
    """The first 200 ignore comments of a text, outside code fences."""
    if MARK not in text:
        return ()
    lines = Lines.of(text)
    spans = list(prose(text))
    found = [match for span in spans for match in _COMMENT.finditer(text, span.start, span.end)]
    return tuple(_comment(text, lines, match) for match in found[:_MOST_COMMENTS])


def _comment(text: str, lines: Lines, match: re.Match[str]) -> Comment:
    at = lines.at(match.start())
    named, _, reason = match[2].partition(":")
    rules = tuple(filter(None, (each.strip() for each in named.split(","))))
    about = None
    if not match[1]:
        last = at if text[lines.start(at) : match.start()].strip() else _line_below_comments(text, lines, at)
        about = (at + 1, last + 1)
    return Comment(at + 1, rules, reason.strip(), about)


def _line_below_comments(text: str, lines: Lines, line: int) -> int:
    rest = _WORD.search(text, lines.start(line + 1))
    while rest and _COMMENT.match(text, rest.start()):
        line = lines.at(rest.start())
        rest = _WORD.search(text, lines.start(line + 1))
    return lines.at(rest.start()) if rest else line


def complaints(comment: Comment, known: Collection[str]) -> Iterator[str]:
    """Why an ignore comment has no effect, as sentences. Nothing if it is valid. `known` are all rule ids."""
    form = f"write `<!-- {MARK}: RULE: REASON -->`"
    if not comment.rules:
        yield f"the comment names no rule; {form}"
    elif not comment.reason:
        yield f"the comment gives no reason; {form}"
    for rule in comment.rules:
        if rule in NOT_BY_FILE:
            yield f"a file cannot ignore {rule} itself; do it in the configuration"
        elif rule not in known:
            hint = near(rule, known)
            yield f"the rule {rule} does not exist" + (f"; {hint}" if hint else "")


class FilteredFindings(NamedTuple):
    """Findings to report, ignored findings, and ignores without a match."""

    reported: list[Finding]
    ignored: list[Finding]
    unmatched: list[Ignore]


def filter_ignored(findings: Iterable[Finding], ignores: Sequence[Ignore]) -> FilteredFindings:
    """Split findings into reported and ignored ones. An ignore from a comment applies to its own file only."""
    everywhere = [each for each in ignores if not each.file]
    inside: defaultdict[str, list[Ignore]] = defaultdict(list)
    for each in ignores:
        if each.file:
            inside[each.file].append(each)
    reported: list[Finding] = []
    ignored: list[Finding] = []
    used: set[int] = set()
    for finding in findings:
        in_scope = [*inside.get(finding.path or "", ()), *everywhere]
        matching = [each for each in in_scope if _matches(each, finding)]
        used.update(map(id, matching))
        (ignored if matching else reported).append(finding)
    return FilteredFindings(reported, ignored, [each for each in ignores if id(each) not in used])


def _matches(ignore: Ignore, finding: Finding) -> bool:
    if ignore.rules and finding.rule not in ignore.rules:
        return False
    if ignore.file:
        return ignore.lines is None or ignore.lines[0] <= (finding.line or 1) <= ignore.lines[1]
    return not ignore.paths or (finding.path is not None and compile_glob(*ignore.paths).matches(finding.path))


def useless_ignores(ignores: Iterable[Ignore], ran: Collection[str]) -> Iterator[Finding]:
    """A finding for each ignore without a match, unless one of its rules is not in `ran`."""
    for each in ignores:
        if each.rules and not set(each.rules) <= set(ran):
            continue
        rules = " and ".join(each.rules) or "every rule"
        where = f" under {', '.join(each.paths[:3])}" if each.paths else ""
        what = "the comment ignores" if each.file else "the configuration ignores"
        message = f"{what} {rules}{where}, but there is nothing to ignore; remove it"
        evidence, subject = "compared with what the rules found", f"{rules} {' '.join(each.paths)}".strip()
        yield Finding("useless-ignore", "warning", message, each.path, each.line, evidence=evidence, subject=subject)
