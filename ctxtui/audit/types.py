"""Values of the audit: findings, fixes, ignores, settings, results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ctxtui.agents import Agent, AgentContext, Chain
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.wording import some

if TYPE_CHECKING:
    from ctxtui.audit.weigh.types import Weighed

Severity = Literal["error", "warning", "info"]
"""Error: text is lost, refused or leaked. Warning: wasted tokens or a wrong claim. Info: worth knowing."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""Most severe first."""

SPOKEN: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
"""The displayed names of severities."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of one line that fixes a finding in one version of a file, identified by `digest`.

    `before` and `after` are the whole line without its end, `line` counts from 1. The characters from `start` up to
    `end`, excluded, become `text`. Offset -1 is the byte order mark, which can be removed.
    """

    path: str
    line: int
    title: str
    before: str
    after: str
    start: int
    end: int
    text: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters `start` to `end`, excluded, in the version of a file with this `digest`."""

    path: str
    start: int
    end: int
    text: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to create. It must not exist."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Removal:
    """A file to remove if its content still matches `digest`."""

    path: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Rename:
    """A file to move to a path that must not exist."""

    path: str
    to: str


Step = Fix | Edit | NewFile | Removal | Rename
"""A change that can be previewed, written and undone."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """The act that ends a finding, in words, and as `steps` if a program can do it without a decision.

    `several` are the words for several places. `hint` is the path or name that was probably meant.
    """

    words: str
    several: str = ""
    hint: str = ""
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a finding: path, line from 1, tokens at stake, and a `subject` that is unique on that line."""

    path: str
    line: int | None = None
    tokens: int = 0
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem that costs tokens, loses text or makes a wrong claim, with all its places.

    `fact` says what is wrong, `remedy` what to do, empty if only the usual one of its rule is known. `path` is
    relative to the project, None if the finding is about a whole agent. `line` counts from 1. `tokens` are at stake:
    lost, wasted or wrong, 0 if unknown. `evidence` names a source with its date, or the measurement. `agent` is set
    if the finding is about exactly one agent. `subject` names the part of the file in words that survive edits: a
    section, a target, a glob, another file. Findings of a rule with the same `cause` are merged into one at the first
    place, with the tokens of all, all `places`, and `many` as its fact. In `many`, `{count}` is the number of
    findings, `{subjects}` that of different subjects. A fact about one subject in several places stays.
    """

    rule: str
    severity: Severity
    fact: str
    path: str | None = None
    line: int | None = None
    tokens: int = 0
    evidence: str = ""
    agent: str | None = None
    subject: str = ""
    remedy: Remedy = Remedy("")
    cause: str = ""
    many: str = ""
    places: tuple[Place, ...] = ()

    @property
    def key(self) -> str:
        """The baseline identity, without line, tokens and number of places, because edits change them."""
        if self.cause:
            return "|".join((self.rule, self.cause, self.agent or ""))
        return "|".join((self.rule, self.path or "", self.agent or "", self.subject))

    @property
    def order(self) -> tuple[str, int, str, str]:
        """The sort key of findings that are equally bad."""
        return self.path or "", self.line or 0, self.rule, self.message

    @property
    def fix(self) -> Fix | None:
        """The first change of a line that ends the finding, or None."""
        return next((step for step in self.remedy.steps if isinstance(step, Fix)), None)

    @property
    def message(self) -> str:
        """The fact, and the remedy of this finding if it has its own."""
        return f"{self.fact}; {self.remedy.words}" if self.remedy.words else self.fact

    @property
    def is_problem(self) -> bool:
        """Whether something is wrong, not merely worth knowing."""
        return self.severity != "info"

    @property
    def count(self) -> int:
        """The number of places, at least 1."""
        return len(self.places) or 1

    def also(self, most: int) -> str:
        """Up to `most` further places, in words, else empty. Leaves out the first one and those named in `fact`."""
        here = [
            each.line for each in self.places[1:] if each.path == self.path and each.line not in (None, self.line)
        ]
        others = [each for each in self.places[1:] if each.path != self.path and each.path not in self.fact]
        words = dict.fromkeys(f"line {line:,}" for line in here)
        words |= dict.fromkeys(f"{each.path}:{each.line}" if each.line else each.path for each in others)
        return f"also {some(list(words), most)}" if words and most else ""


@dataclass(frozen=True, slots=True)
class Ignore:
    """Dismissed findings and the reason. `paths` are globs, `rules` are ids. Empty means all.

    A comment covers its own `file` only, and its `lines` from first to last. `path` and `line` say where the ignore
    is written, if known.
    """

    reason: str
    paths: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    file: str = ""
    lines: tuple[int, int] | None = None
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the rules, in tokens unless noted.

    A declared number drifts if it is wrong by more than `drift_share` of itself and by more than `drift_tokens`.
    `start_limits` are start limits by agent id. Minimum sizes of findings are `repeat_tokens` for repeated text,
    `blob_tokens` for encoded data, `heavy_tokens` for one trigger, `twice_tokens` for text paid twice, `scope_tokens`
    for text that always loads and should have a scope, and `tool_tokens` for a tool definition. `large_tokens` limits
    a file with its imports in a start for agents without a limit of their own. `window` is the context window of the
    model, if known. `cwd` is the folder below the root where agents start. `table` are the agents, None for the table
    of the workspace. `servers` are the MCP servers of the project, weighed or not. `off` are rules to skip,
    `severities` replace a rule's own, `ignores` dismiss findings. `top` is the repository's absolute path, if lists
    that contain it count with it.
    """

    drift_share: float = 0.5
    drift_tokens: int = 200
    start_limits: Mapping[str, int] = field(default_factory=dict)
    repeat_tokens: int = 100
    blob_tokens: int = 500
    heavy_tokens: int = 8_000
    twice_tokens: int = 20
    scope_tokens: int = 300
    large_tokens: int = 10_000
    window: int | None = None
    cwd: str = ""
    table: tuple[Agent, ...] | None = None
    tool_tokens: int = 2_000
    servers: tuple[Weighed, ...] = ()
    off: frozenset[str] = frozenset()
    severities: Mapping[str, Severity] = field(default_factory=dict)
    ignores: tuple[Ignore, ...] = ()
    top: str = ""


@dataclass(frozen=True, slots=True)
class InstructionCount:
    """The number of instructions in one file of an agent's start, None if its text is not in English."""

    agent: str
    path: str
    instructions: int | None


@dataclass(frozen=True, slots=True)
class AuditResult:
    """The result of a run: sorted findings, the agents, and unreadable files.

    `chains` are the folders where agents start with most instructions. `ignored` are dismissed findings.
    `is_complete` is false if the run was stopped. `used` are the ids of the agents with files of their own in the
    project. `asked` are the numbers of instructions in the files of each start, largest first.
    """

    findings: tuple[Finding, ...]
    agents: tuple[AgentContext, ...]
    notices: tuple[Notice, ...] = ()
    is_complete: bool = True
    ignored: tuple[Finding, ...] = ()
    chains: tuple[Chain, ...] = ()
    used: tuple[str, ...] = ()
    asked: tuple[InstructionCount, ...] = ()
