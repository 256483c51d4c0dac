"""Turn a report on one repository into a row of limited size without secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from itertools import count, pairwise
from typing import Final
from zlib import crc32

from ctxtui.agents import AgentContext
from ctxtui.audit.costs import context_of, start_costs
from ctxtui.audit.reports.report import Report
from ctxtui.audit.types import Finding
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.digest import text_digest
from ctxtui.core.base.plain import plain_line, short_line
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.decode import line_ends
from ctxtui.core.text.markdown.light import body_start, prose
from ctxtui.core.text.safe_cut import SAFE_CUT
from ctxtui.core.text.secrets import find_secrets, redact, redacted
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.fleet.types import AgentStart, ContextFile, Fault, Member, Outcome, TextBlock
from ctxtui.workspace.workspace import Workspace

# Possible ends of a block: the line break before a heading or item, or before blank lines.
_EVENT: Final = re.compile(
    r"\n(?:(?P<heading>#{1,6}[ \t])|(?P<item>(?:[-*+]|\d{1,9}[.)])[ \t][^\n]*)"
    r"|(?P<blank>(?:[ \t\r]*+\n)*[ \t\r]*+(?=\n)))"
)
_LEADS: Final = re.compile(r"#{2,6}[ \t]|[-*_]{2,}$|.*:$")
# One in this many items begins a block.
_ITEMS: Final = 4
# Human text has fewer blocks. The rest is one block.
_MOST: Final = 10_000

_HEAD: Final = 80

MOST_FAULTS: Final = 1_000
"""The maximum number of findings kept per repository, worst first."""
MOST_FILES: Final = 5_000
"""The maximum number of context files kept per repository, largest first."""
LEFT_OUT: Final = "left-out"
"""The rule of a finding that says how much of a repository was left out."""

_LONGEST: Final = 500
_LEAST_SECRET: Final = 8


def block_starts(text: str) -> list[int]:
    """The character offsets where blocks begin, 0 first, at most `_MOST`. Empty without text. All are safe cuts."""
    starts = [0] if text else []
    for start in _paragraph_starts(text):
        if start and starts[-1] < start < len(text) and SAFE_CUT.match(text, start):
            starts.append(start)
            if len(starts) == _MOST:
                break
    return starts


def _paragraph_starts(text: str) -> Iterator[int]:
    start = front = body_start(text)
    yield front
    has_item = False
    for piece in prose(text):
        for event in _EVENT.finditer(text, max(piece.start, front, 1) - 1, piece.end):
            place, was_item = event.start() + 1, has_item
            if has_item := event.lastgroup == "item":
                if not (was_item and _begins(event["item"])):
                    continue
            elif event.lastgroup == "blank":
                if _leads(text, start, event.start()) or text.startswith((" ", "\t"), event.end() + 1):
                    continue
                place = event.end() + 1
            start = place
            yield place


def _begins(item: str) -> bool:
    """Whether a list item begins a block. Its own text decides, so that edits of other items move no block."""
    return crc32(" ".join(item.split()).encode("utf-8", "surrogatepass")) % _ITEMS == 0


def _leads(text: str, start: int, end: int) -> bool:
    """Whether the last line of the text from `start` up to `end`, excluded, introduces the text after it."""
    last = text[max(text.rfind("\n", start, end) + 1, start) : end]
    return _LEADS.match(last.strip()) is not None


def blocks_of(text: str, counter: TokenCounter, cache: Cache | None = None) -> tuple[TextBlock, ...]:
    """The blocks of a text in order, redacted, with tokens that add up to those of the text."""
    hidden, blocks = find_secrets(text, cache), list[TextBlock]()
    units = before = 0
    line = 1
    for start, end in pairwise([*block_starts(text), len(text)]):
        block = text[start:end]
        units += counter.units(block)
        tokens = counter.total(units)
        words = " ".join((redacted(text, hidden, start, end)[0] if hidden else block).split())
        blank = line_ends(block[: len(block) - len(block.lstrip())]) if words else 0
        head = plain_line(words[: _HEAD + 1])
        head = head if len(head) <= _HEAD else f"{head[: _HEAD - 1].rstrip()}…"
        blocks.append(TextBlock(text_digest(words), line + blank, tokens - before, head))
        before, line = tokens, line + line_ends(block)
    return tuple(blocks)


def outcome_of(member: Member, workspace: Workspace, report: Report, commit: str, check: Check = go_on) -> Outcome:
    """The row for a complete report, without any secret. `check` is called before every file."""
    hidden: set[str] = set()
    files = list(_files(workspace, report, hidden, check))
    # Longer secrets first, redacted even where nothing else shows that they are secrets.
    secrets = sorted(hidden, key=len, reverse=True)

    def hide(text: str) -> str:
        return reduce(lambda shown, secret: shown.replace(secret, "[redacted]"), secrets, text)

    def clean(text: str) -> str:
        return short_line(redact(hide(text))[0], _LONGEST)

    largest = sorted(files, key=lambda file: (-file.tokens, file.path))[:MOST_FILES]
    kept = _by_clean_path(sorted(largest, key=lambda file: file.path), clean)
    return Outcome(
        member,
        commit=commit,
        files=report.totals.files,
        tokens=report.totals.tokens,
        bytes=sum(each.stamp.size for each in context_of(workspace.references, report.result.agents)),
        agents=tuple(
            AgentStart(each.agent, each.known, each.home_tokens, each.lost_tokens) for each in report.starts
        ),
        faults=tuple(_faults(report.findings, len(files) - len(kept), clean)),
        context=tuple(
            file._replace(path=path, blocks=tuple(block._replace(head=hide(block.head)) for block in file.blocks))
            for path, file in kept.items()
        ),
    )


def failed(member: Member, reason: str, seconds: float = 0.0) -> Outcome:
    """The row of a failed audit, with the reason in one line."""
    return Outcome(member, redact(short_line(reason, _LONGEST))[0] or "failed", seconds=seconds)


def _by_clean_path(files: Iterable[ContextFile], clean: Callable[[str], str]) -> dict[str, ContextFile]:
    """The files by printable path. A path that looks like an earlier path gets a number."""
    kept: dict[str, ContextFile] = {}
    for file in files:
        path = name = clean(file.path)
        numbers = count(len(kept) + 1)
        while path in kept:
            path = f"{name} ({next(numbers)})"
        kept[path] = file
    return kept


def _faults(findings: Iterable[Finding], files_left: int, clean: Callable[[str], str]) -> Iterator[Fault]:
    every = list(findings)
    for each in every[:MOST_FAULTS]:
        texts = (clean(each.message), clean(each.path or ""), clean(each.key))
        yield Fault(each.rule, each.severity, *texts[:2], each.line or 0, each.tokens, texts[2])
    left = len(every) - MOST_FAULTS
    if left > 0:
        message = f"{plural(left, 'more finding')} not kept; audit the repository alone to see them"
        yield Fault(LEFT_OUT, every[MOST_FAULTS].severity, message, "", 0, 0, f"{LEFT_OUT}|findings")
    if files_left > 0:
        message = f"{plural(files_left, 'more context file')} not kept one by one"
        yield Fault(LEFT_OUT, "info", message, "", 0, 0, f"{LEFT_OUT}|files")


def _files(workspace: Workspace, report: Report, hidden: set[str], check: Check) -> Iterator[ContextFile]:
    """The readable context files. Their secrets are added to `hidden`."""
    agents = [each for each in report.result.agents if not each.agent.installable]
    starts, kinds = start_costs(agents), _kinds(report.result.agents)
    for reference in context_of(workspace.references, report.result.agents):
        check()
        entry = workspace.reader.known_entry(reference, report.counter)
        text = workspace.text(reference.path)
        if text is None or entry is None:
            continue
        cache = workspace.reader.cache
        for secret in find_secrets(text, cache):
            lines = text[secret.start : secret.end].splitlines()
            hidden.update(line.strip() for line in lines if len(line.strip()) >= _LEAST_SECRET)
        most = max((sum(files.get(path, 0) for path in reference.paths) for files in starts.values()), default=0)
        tokens = report.counter.total(entry.counts.units)
        yield ContextFile(
            reference.path,
            next((kinds[path] for path in reference.paths if path in kinds), reference.source),
            entry.digest,
            tokens,
            most,
            blocks_of(text, report.counter, cache),
        )


def _kinds(agents: Iterable[AgentContext]) -> Mapping[str, str]:
    """The kind of each file by path, as the first agent that loads it names it."""
    kinds: dict[str, str] = {}
    for charge in (charge for context in agents for charge in context.charges if charge.moment != "never"):
        kinds.setdefault(charge.path, charge.row.kind)
    return kinds
