"""The report on one repository as a row of a fleet: bounded in size, and without any text that is a secret."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from ctxtui.agents import AgentContext
from ctxtui.audit.costs import context_of, start_costs
from ctxtui.audit.reports.report import Report
from ctxtui.audit.types import Finding
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.text.secrets import find_secrets, redact
from ctxtui.fleet.blocks import blocks_of
from ctxtui.fleet.types import AgentStart, ContextFile, Fault, Member, Outcome
from ctxtui.workspace.workspace import Workspace

MOST_FAULTS: Final = 1_000
"""The findings of one repository that are kept, the worst."""
MOST_FILES: Final = 5_000
"""The context files of one repository that are kept one by one, those with most tokens."""
LEFT_OUT: Final = "left-out"
"""The rule of a finding that says how much of a repository was left out."""

_LONGEST: Final = 500
_LEAST_SECRET: Final = 8


def outcome_of(member: Member, workspace: Workspace, report: Report, commit: str, check: Check = go_on) -> Outcome:
    """What a complete report says; text that the audit takes for a secret is in no part of it.

    `check` is called before every file; an exception ends the work.
    """
    hidden: set[str] = set()
    files = list(_files(workspace, report, hidden, check))
    hide = _hider(hidden)

    def clean(text: str) -> str:
        return _line(redact(hide(text))[0])

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
        context=tuple(_shown(file, path, hide if hidden else None) for path, file in kept.items()),
    )


def failed(member: Member, reason: str, seconds: float = 0.0) -> Outcome:
    """A repository that could not be audited, with the reason in one line."""
    return Outcome(member, redact(_line(reason))[0] or "failed", seconds=seconds)


def _line(text: str) -> str:
    line = plain_line(text)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _hider(hidden: Iterable[str]) -> Callable[[str], str]:
    """Takes the secrets of the files out of a text, even if nothing around them shows what they are."""
    secrets = sorted(hidden, key=len, reverse=True)

    def hide(text: str) -> str:
        for secret in secrets:
            if secret in text:
                text = text.replace(secret, "[redacted]")
        return text

    return hide


def _shown(file: ContextFile, path: str, hide: Callable[[str], str] | None) -> ContextFile:
    blocks = file.blocks
    if hide is not None:
        blocks = tuple(block._replace(head=hide(block.head)) for block in blocks)
    return file._replace(path=path, blocks=blocks)


def _by_clean_path(files: Iterable[ContextFile], clean: Callable[[str], str]) -> dict[str, ContextFile]:
    """The files by paths that can be shown; of two that look the same, the second gets a number."""
    kept: dict[str, ContextFile] = {}
    for file in files:
        path = name = clean(file.path)
        while path in kept:
            path = f"{name} ({len(kept) + 1})"
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
    """The context files that can be read; what is secret in them is added to `hidden`."""
    agents = [each for each in report.result.agents if not each.agent.installable]
    starts, kinds = start_costs(agents), _kinds(report.result.agents)
    for reference in context_of(workspace.references, report.result.agents):
        check()
        entry = workspace.reader.known(reference, report.counter)
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
    """What kind of file each one is for the first agent that loads it."""
    kinds: dict[str, str] = {}
    for charge in (charge for context in agents for charge in context.charges if charge.moment != "never"):
        kinds.setdefault(charge.path, charge.row.kind)
    return kinds
