"""The rule about text that stands in several files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctxtui.agents.repeats import ENTRY
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.naming import listed
from ctxtui.audit.text.facts import Facts, split_lines
from ctxtui.audit.text.repeats import Run, find_runs
from ctxtui.audit.types import Finding, Severity
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.wording import plural

# So few characters never make the tokens asked for, so that nothing is counted for them.
_CHARACTERS_PER_TOKEN = 2

Priced = tuple[Run, int]
"""A run and the tokens of its lines in the later file."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a file, from 1, that stand in other files as well, and the tokens of all the repeats."""

    first: int
    last: int
    tokens: int


def repeated_text(audited: Audited) -> Iterator[Finding]:
    """Blocks of lines that stand in several context files, equal or nearly so, by the files that share them."""
    held = list(audited.facts())
    told = _told_elsewhere(audited)
    sharing: defaultdict[int, list[Priced]] = defaultdict(list)
    for run, tokens in _priced(audited, held):
        pair = frozenset(audited.real(held[place][0].path) for place in (run.earlier, run.later))
        if tokens >= audited.settings.repeat_tokens and pair not in told:
            sharing[run.earlier].append((run, tokens))
    for earlier, runs in sharing.items():
        yield from _by_files(audited, held, earlier, runs)


def _priced(audited: Audited, held: Sequence[tuple[Reference, Facts]]) -> tuple[Priced, ...]:
    """The runs that files share, with their tokens; made anew only where a file has changed."""
    least = audited.settings.repeat_tokens * _CHARACTERS_PER_TOKEN
    versions = tuple((reference.path, reference.stamp) for reference, _ in held)
    found: tuple[Priced, ...] = audited.workspace.reader.derived.get(
        ("repeats", versions, audited.counter, least), lambda: tuple(_price(audited, held, least))
    )
    return found


def _price(audited: Audited, held: Sequence[tuple[Reference, Facts]], least: int) -> Iterator[Priced]:
    lines: list[str] = []
    split = -1
    for run in find_runs([facts for _, facts in held], least):
        if run.later != split:
            lines, split = split_lines(audited.text(held[run.later][0].path) or ""), run.later
        numbers = [held[run.later][1].numbers[line] for _, line in run.pairs]
        yield run, audited.count("\n".join(lines[number - 1] for number in numbers if number <= len(lines)))


def _told_elsewhere(audited: Audited) -> set[frozenset[str]]:
    """Pairs of files that some agent reads twice as a whole: the rule about that tells them."""
    pairs: set[frozenset[str]] = set()
    for context in audited.agents:
        for repeat in context.repeats:
            if repeat.why != ENTRY:
                paths = [audited.real(path) for path in repeat.paths]
                pairs |= {frozenset((one, other)) for one in paths for other in paths}
    return pairs


def _by_files(
    audited: Audited,
    held: Sequence[tuple[Reference, Facts]],
    earlier: int,
    runs: Sequence[Priced],
) -> Iterator[Finding]:
    """One finding for each set of files that share something with an earlier one."""
    facts = held[earlier][1]
    blocks: defaultdict[tuple[int, ...], list[Block]] = defaultdict(list)
    for first, last, together in _clusters(runs):
        others = tuple(sorted({run.later for run, _ in together}))
        tokens = sum(tokens for _, tokens in together)
        blocks[others].append(Block(facts.numbers[first], facts.numbers[last], tokens))
    for others, found in blocks.items():
        yield _finding(audited, held[earlier][0], [held[other][0] for other in others], found)


def _clusters(runs: Sequence[Priced]) -> Iterator[tuple[int, int, list[Priced]]]:
    """Runs that overlap in the earlier file, with the first and last of its lines that they touch."""
    together: list[Priced] = []
    start = end = -1
    for run, tokens in sorted(runs, key=lambda each: each[0].pairs[0][0]):
        first, last = run.pairs[0][0], run.pairs[-1][0]
        if together and first > end:
            yield start, end, together
            together = []
        start = first if not together else start
        end = last if not together else max(end, last)
        together.append((run, tokens))
    if together:
        yield start, end, together


def _finding(audited: Audited, one: Reference, others: Sequence[Reference], blocks: Sequence[Block]) -> Finding:
    largest = max(blocks, key=lambda block: (block.tokens, -block.first))
    tokens = sum(block.tokens for block in blocks)
    more = f" ({plural(len(blocks), 'block')} in all)" if len(blocks) > 1 else ""
    paths = [other.path for other in others]
    together = any(_meet(audited, one, other) for other in others)
    message = f"lines {largest.first:,} to {largest.last:,}{more} stand in {listed(paths)} as well, or nearly so"
    severity: Severity = "warning" if together else "info"
    return Finding(
        "repeated-text",
        severity,
        message,
        path=one.path,
        line=largest.first,
        tokens=tokens,
        evidence=f"equal lines, repeats {audited.measured}",
        subject=", ".join(paths),
    )


def _meet(audited: Audited, one: Reference, other: Reference) -> bool:
    """Whether two files may be in context together: for one agent, or as documents of one source."""
    if one.source == other.source and one.source != "agents":
        return True
    pair = {audited.real(one.path), audited.real(other.path)}
    return any(pair <= paths for paths in audited.loaded.values())
