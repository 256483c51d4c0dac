"""The starts of agents in every report: tokens, files, cuts, and later changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ctxtui.agents.costs import AgentContext, Charge, Compacted, Part, Subagent
from ctxtui.agents.types import AT_START, LISTED, Fixed
from ctxtui.core.base.wording import noun, plural
from ctxtui.core.tokens.whole import Whole

_HEAD = re.compile(r".+?(?= (?:of|that) )")


@dataclass(frozen=True, slots=True)
class Start:
    """An agent's context before the first request. The tokens are the sum over its entries.

    A file that is imported repeatedly has several entries. `cuts` say in words which text limits keep from the model,
    `versions` which files only newer versions of the agent read, `home` which files of the user the agent also reads,
    in no figure. `home_tokens` are the tokens from an included home folder. `uncounted` parts are in no figure, and
    `fixed` are captured or published sizes of one of them. If the tokens are an estimate, `whole` is the known size
    of the whole text, if larger.
    """

    agent: str
    name: str
    tokens: int
    entries: tuple[Charge, ...]
    lost_tokens: int
    repeated_tokens: int
    cuts: tuple[str, ...]
    versions: tuple[str, ...]
    home: tuple[str, ...]
    after: Compacted
    subagents: tuple[Subagent, ...]
    home_tokens: int = 0
    uncounted: tuple[Part, ...] = ()
    fixed: tuple[Fixed, ...] = ()
    whole: Whole | None = None

    @property
    def known(self) -> int:
        """The best known number of tokens."""
        return self.whole.tokens if self.whole else self.tokens

    @property
    def how_known(self) -> str:
        """The source of the number in words if it is not the sum of the entries, else empty."""
        return f"{self.whole.label}, ≈{self.tokens:,} estimated" if self.whole else ""

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry.path for entry in self.entries))

    @property
    def later(self) -> str:
        """The start after the conversation is compacted, in words, empty if unchanged or unknown."""
        lost, kept = self.after.gone, self.after.kept
        gone = f"{lost:,} {noun(lost, 'is', 'are')} lost" if lost else ""
        unknown = f"{self.after.unknown:,} unknown" if self.after.unknown else ""
        if not gone and (not unknown or self.after.unknown == self.tokens):
            return ""
        return ", ".join(filter(None, (f"{kept:,} {noun(kept, 'stays', 'stay')} after compaction", gone, unknown)))

    @property
    def from_home(self) -> str:
        """The part from the home folder, in words, empty without one."""
        return f"of which {self.home_tokens:,} from your home folder" if self.home_tokens else ""

    @property
    def left_out(self) -> str:
        """The contents of `not_counted` as one phrase, empty without any."""
        return f"not counted: {', '.join(self.not_counted)}" if self.not_counted else ""

    @property
    def not_counted(self) -> tuple[str, ...]:
        """The parts that the tokens leave out, in words."""
        counts: dict[str, int | None] = {}
        for part in self.uncounted:
            counts[part.what] = (counts.get(part.what) or 0) + len(part.names) if part.names else None
        parts = [_counted(what, count) for what, count in counts.items()]
        parts += ["your files at home"] if any(file.startswith("~/") for file in self.home) else []
        return tuple(parts)

    @property
    def published(self) -> tuple[str, ...]:
        """The sizes of the agent's own messages, in words, not included in the tokens."""
        return tuple(map(_fixed_in_words, self.fixed))

    @property
    def in_subagents(self) -> str:
        """The subagents of the project, in words, empty without any or if their start is unknown."""
        tokens = [each.tokens for each in self.subagents]
        if not tokens:
            return ""
        size = f"{min(tokens):,}" if min(tokens) == max(tokens) else f"{min(tokens):,} to {max(tokens):,}"
        return f"{plural(len(tokens), 'subagent')}: {size}{' each' if len(tokens) > 1 else ''}"


def starts_of(contexts: Iterable[AgentContext], own: Mapping[str, Fixed] = MappingProxyType({})) -> tuple[Start, ...]:
    """The starts of the agents that load anything, highest first. Files to install have none.

    `own` are the captured sizes of agents' own messages, by id, which take the place of published ones.
    """
    counted = (each for each in contexts if not each.agent.installable and each.start_tokens)
    starts = (_start(each, own.get(each.agent.id)) for each in counted)
    return tuple(sorted(starts, key=lambda start: (-start.tokens, start.name)))


def _start(context: AgentContext, own: Fixed | None) -> Start:
    entries = tuple(charge for charge in context.charges if charge.start_tokens)
    since = (f"{each.path} only since version {each.row.since}" for each in entries if each.row.since)
    return Start(
        context.agent.id,
        context.agent.name,
        context.start_tokens,
        entries,
        context.lost_tokens,
        context.repeated_tokens,
        tuple(_cuts_in_words(context)),
        tuple(dict.fromkeys(since)),
        tuple(dict.fromkeys(_home_files(context))),
        context.after_compaction,
        context.subagents,
        context.home_tokens,
        context.uncounted,
        (own,) if own else context.agent.fixed,
    )


def _counted(what: str, count: int | None) -> str:
    """A kind of part with its number, such as `2 MCP servers`. Without a number, the kind alone."""
    if count is None or what.startswith("another "):
        return what
    head = _HEAD.match(what)
    return plural(count, head[0]) + what[head.end() :] if head else plural(count, what)


def _fixed_in_words(fixed: Fixed) -> str:
    version = f", {fixed.version}" if fixed.version else ", version not named"
    of = f" ({fixed.of} tokens)" if fixed.of else ""
    if fixed.is_captured:
        estimated = f", estimated for {fixed.of}" if fixed.of else ""
        return f"+ {fixed.tokens:,} {fixed.what}{version}, captured {fixed.day}{estimated}"
    said = f"{fixed.tokens:,} {fixed.what}{version}{of}"
    return f"+ about {said}, published by {fixed.by}, {fixed.day}: {fixed.src}"


def _home_files(context: AgentContext) -> Iterator[str]:
    for row in context.elsewhere:
        if any(case.moment in (*AT_START, *LISTED) for case in row.load):
            yield from (file if file.startswith("/") else f"~/{file}" for file in row.files)


def _cuts_in_words(context: AgentContext) -> Iterator[str]:
    for charge in context.at(*AT_START):
        for loss in charge.lost:
            lost = f"{plural(loss.tokens, 'token')} lost"
            yield f"{charge.path} from line {loss.line}: {lost}, {loss.limit.effect}"
