"""The values of an audit: rules, what they find, how it can be mended, and the result of a whole run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ctxtui.agents import Agent, AgentContext
from ctxtui.core.notices import Notice

Severity = Literal["error", "warning", "info"]
"""Error: text is lost, refused or leaked. Warning: tokens are wasted or a claim is wrong. Info: worth knowing."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""The severities, worst first."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of one line that mends a finding, valid for one version of the file only.

    `before` and `after` are the whole line without its end, `line` counts from 1. What changes are the
    characters `start` to `end` of the file's text, into `text`; `digest` names the version they belong to.
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
class Finding:
    """One thing that costs tokens, loses text or claims something wrong.

    `path` is relative to the project, None where the finding is about an agent as a whole; `line` counts
    from 1. `tokens` are at stake: lost, wasted or off, 0 where that cannot be said. `evidence` names the
    source and its date, or how it was measured. `agent` is the id of the one agent it is about, None
    where it is about several or none. `subject` says in words that outlive edits what within the path
    it is about: a section, a target, a glob, another file.
    """

    rule: str
    severity: Severity
    message: str
    path: str | None = None
    line: int | None = None
    tokens: int = 0
    evidence: str = ""
    agent: str | None = None
    subject: str = ""
    fix: Fix | None = None

    @property
    def key(self) -> str:
        """What a baseline knows the finding by: no line, no number of tokens, nothing that edits elsewhere move."""
        return "|".join((self.rule, self.path or "", self.agent or "", self.subject))


@dataclass(frozen=True, slots=True)
class Settings:
    """What rules go by; tokens unless said otherwise.

    A declared number drifts where it is off by more than `drift_share` of itself and more than
    `drift_tokens`. `start_limits` are the limits at the start by agent id. `repeat_tokens` is the least
    repeated text worth a finding, `blob_tokens` the least run of characters nobody reads,
    `heavy_tokens` what one trigger may bring. `window` is the model's, where known; `cwd` the folder below
    the root where agents start, `table` the agents, None for those that the workspace was opened with.
    `with_plain` audits plain Markdown files as well.
    """

    drift_share: float = 0.5
    drift_tokens: int = 200
    start_limits: Mapping[str, int] = field(default_factory=dict)
    repeat_tokens: int = 100
    blob_tokens: int = 500
    heavy_tokens: int = 8_000
    window: int | None = None
    cwd: str = ""
    table: tuple[Agent, ...] | None = None
    with_plain: bool = False


@dataclass(frozen=True, slots=True)
class AuditResult:
    """Everything one run found: findings by severity, tokens, path and line, the agents, what could not be read.

    `is_complete` is false where the run was stopped before all rules were done.
    """

    findings: tuple[Finding, ...]
    agents: tuple[AgentContext, ...]
    notices: tuple[Notice, ...] = ()
    is_complete: bool = True
