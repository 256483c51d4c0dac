"""Token limits that a project sets on its context, and their check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from ctxtui.agents import Agent, AgentContext, load_table
from ctxtui.audit.costs import Costs, Growth, costs_of, growth, sizes_of
from ctxtui.core.base.plain import plain_line
from ctxtui.core.documents.listing import SOURCES
from ctxtui.core.text.data import schema
from ctxtui.core.text.data.schema import Place, read, tokens
from ctxtui.core.text.globs import compile_glob
from ctxtui.core.text.metadata.reference import ALWAYS, LAZY, ON_DEMAND, Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace

STRATEGIES = (ALWAYS, ON_DEMAND, LAZY)
_UNREAD_MOMENTS = ("never", "reference")
_PERCENT: Final = re.compile(r"(\d{1,6}(?:\.\d{1,3})?) ?%")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in tokens: of all context files, of an agent's start by id, and of any one file of a kind or glob.

    A kind is the name that a row of the agents table gives its files (`instructions`, `rule`, `skill`, `command`,
    `agent`, `memory`, `steering`), a source (`agents`, `.context`, `catalog`, `entries`, `files`), or a loading
    strategy (`always`, `onDemand`, `lazy`). `max_growth` is in percent of the starts and the total at another moment.
    """

    total: int | None = None
    start: Mapping[str, int] = field(default_factory=dict)
    kind: Mapping[str, int] = field(default_factory=dict)
    files: Mapping[str, int] = field(default_factory=dict)
    max_growth: Decimal | None = None


@dataclass(frozen=True, slots=True)
class LimitResult:
    """A checked limit with the tokens that it limits. `path` is the largest file that counts.

    `judged` is the number compared with the limit: `tokens`, or the upper bound of their estimate. `growth` is
    relative to `since`, if there is one. `label` is a remark on the tokens, such as how they were counted.
    """

    name: str
    tokens: int
    limit: int
    passed: bool
    judged: int
    path: str = ""
    growth: Growth | None = None
    since: str = ""
    label: str = ""


def parse_limits(
    data: Mapping[str, object], place: Place | None = None, table: Sequence[Agent] | None = None
) -> Limits:
    """Read the table `[limits]` at `place`. Raises ContextError (invalid_request) naming the nearest known key."""
    agents = load_table() if table is None else table
    kinds = dict.fromkeys([*(row.kind for agent in agents for row in agent.rows), *SOURCES, *STRATEGIES])
    hint = 'such as `codex = "12k"`'
    fields = {
        "total": tokens,
        "start": schema.table(tokens, [agent.id for agent in agents], "a table of limits", hint),
        "kind": schema.table(tokens, kinds, "a table of limits", hint),
        "files": _limit_by_glob,
        "max_growth": _percent,
    }
    return Limits(**read(place or Place.named("[limits]"), data, fields))


def _limit_by_glob(place: Place, value: object) -> dict[str, int]:
    limits = schema.table(tokens, wanted="a table of limits", hint='such as `"AGENTS.md" = "3k"`')(place, value)
    for pattern in limits:
        if compile_glob(pattern).is_refused:
            raise place.at(pattern).wrong("is not a valid glob", "write a path, or `*` for a part of names")
    return dict(limits)


def _percent(place: Place, value: object) -> Decimal:
    match = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise place.should_be("a percentage", value, 'write "10%"')
    return Decimal(match[1])


def check_limits(
    limits: Limits,
    workspace: Workspace,
    counter: TokenCounter,
    agents: Sequence[AgentContext],
    *,
    since: str = "",
    before: Costs | None = None,
) -> tuple[LimitResult, ...]:
    """Check every limit. `before` are the costs at a moment named `since`, without which no growth is checked.

    A kind or glob has a result for every file over the limit, or else for its largest file.
    """
    if limits == Limits():
        return ()
    now = costs_of(workspace, counter, agents)
    checks = _Checks(counter, since, before)
    results: list[LimitResult] = []
    if limits.total is not None:
        results.append(checks.check_sum("total", limits.total, now.files, before.files if before else {}))
    for agent, limit in limits.start.items():
        old = before.starts.get(agent, {}) if before else {}
        results.append(checks.check_sum(f"start {agent}", limit, now.starts.get(agent, {}), old))

    def sizes(references: Iterable[Reference]) -> dict[str, int]:
        return {each.path: tokens for each, tokens in sizes_of(references, workspace, counter)}

    for kind, limit in limits.kind.items():
        of_kind = _of_kind(kind, workspace.references, agents)
        results += checks.check_files(f"kind {kind}", limit, sizes(of_kind))
    for pattern, limit in limits.files.items():
        matches = compile_glob(pattern).matches
        matching = (each for each in workspace.references if any(map(matches, each.paths)))
        results += checks.check_files(f"files {pattern}", limit, sizes(matching), "no such file")
    if limits.max_growth is not None and before:
        results.append(checks.check_growth("growth total", limits.max_growth, now.files, before.files))
        for agent, files in now.starts.items():
            old = before.starts.get(agent, {})
            results.append(checks.check_growth(f"growth start {agent}", limits.max_growth, files, old))
    return tuple(results)


def limit_line(result: LimitResult) -> str:
    """Format a result, such as `FAIL start codex 13,240 > 12,000 (+1,240 since main; AGENTS.md +1,102)`."""
    what = plain_line(result.name)
    if what.startswith(("kind ", "files ")) and result.name != f"files {result.path}":
        what += f" {plain_line(result.path)}"
    sign = "<=" if result.passed else ">"
    estimate = f" (judged by {result.judged:,})" if result.judged != result.tokens else ""
    estimate += f" ({result.label})" if result.label else ""
    line = (
        f"{'ok  ' if result.passed else 'FAIL'} {what.rstrip()} {result.tokens:,}{estimate} {sign} {result.limit:,}"
    )
    grown = result.growth
    if grown is None:
        return line
    change = f"{grown.tokens:+,}" if grown.tokens else "unchanged"
    most = f"; {plain_line(grown.path)} {grown.path_tokens:+,}" if grown.path else ""
    return f"{line} ({change} since {result.since}{most})"


@dataclass(frozen=True, slots=True)
class _Checks:
    counter: TokenCounter
    since: str
    before: Costs | None

    def check_sum(self, name: str, limit: int, files: Mapping[str, int], old: Mapping[str, int]) -> LimitResult:
        largest = max(files, key=lambda path: (files[path], path), default="")
        grown = growth(old, files) if self.before else None
        return self._result(name, limit, sum(files.values()), largest, grown)

    def check_growth(
        self, name: str, percent: Decimal, files: Mapping[str, int], old: Mapping[str, int]
    ) -> LimitResult:
        """Check that `files` exceed `old`, both tokens by path, by at most `percent`. Passes without old ones."""
        tokens, base = sum(files.values()), sum(old.values())
        limit = int(base * (100 + percent) / 100) if base else tokens
        label = "" if base or not tokens else "new"
        return LimitResult(
            name, tokens, limit, tokens <= limit, tokens, growth=growth(old, files), since=self.since, label=label
        )

    def check_files(self, name: str, limit: int, files: Mapping[str, int], absent: str = "") -> Iterator[LimitResult]:
        """The results of files over the limit, else that of the largest file. `absent` is the label without files."""
        results: list[LimitResult] = []
        for path, size in sorted(files.items(), key=lambda file: (-file[1], file[0])):
            grown = Growth(size - self.before.files.get(path, 0)) if self.before else None
            results.append(self._result(name, limit, size, path, grown))
        failed = [result for result in results if not result.passed]
        yield from failed or results[:1] or [replace(self._result(name, limit, 0, "", None), label=absent)]

    def _result(self, name: str, limit: int, tokens: int, path: str, grown: Growth | None) -> LimitResult:
        judged = -(-tokens * self.counter.judged // 1000)
        return LimitResult(name, tokens, limit, judged <= limit, judged, path, grown, self.since)


def _of_kind(kind: str, references: Sequence[Reference], agents: Sequence[AgentContext]) -> list[Reference]:
    """The files of a source or strategy of this name, and those that agents load by a row of this kind."""
    charges = (charge for context in agents for charge in context.charges if charge.row.kind == kind)
    paths = {charge.path for charge in charges if charge.moment not in _UNREAD_MOMENTS and not charge.imported_by}
    return [each for each in references if kind in (each.source, each.strategy) or not paths.isdisjoint(each.paths)]
