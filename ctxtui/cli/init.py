"""`ctxtui init`: show a workflow, a pre-commit entry and limits for CI, and write them after the user confirms."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any, Final

from ctxtui.audit.limits import Limits, check_limits
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import run_audit
from ctxtui.cli.as_json import print_json
from ctxtui.cli.project import Narrator, budget_of, narrated, open_project
from ctxtui.cli.status import DONE, INTERRUPTED, WRONG_USAGE
from ctxtui.cli.streams import put_lines
from ctxtui.cli.terminal import agreed
from ctxtui.core.base.errors import ContextError, Gone
from ctxtui.core.base.wording import noun, plural
from ctxtui.core.disk.root import Root
from ctxtui.session.saved.config import PROJECT_FILE, load_config
from ctxtui.workspace.workspace import Workspace

_SOURCE: Final = re.compile(r"([A-Za-z0-9-]+/[A-Za-z0-9._-]+)@([A-Za-z0-9._/-]+)")
_CLONED: Final = re.compile(r"https://github\.com/([A-Za-z0-9-]+/[A-Za-z0-9._-]+?)(?:\.git)?/?")
_UNKNOWN: Final = ("OWNER/ctxtui", "REF")
_WORKFLOW: Final = """\
name: context
on: [pull_request]
permissions:
  contents: read
  pull-requests: write
jobs:
  audit:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - uses: {repository}/.github/actions/audit@{ref}
        with:
          since: origin/${{{{ github.base_ref }}}}
          comment: true
"""
_HOOKS: Final = """\
repos:
  - repo: https://github.com/{repository}
    rev: {ref}
    hooks:
      - id: ctxtui-audit
"""


@dataclass(frozen=True, slots=True)
class _Proposal:
    """A file to write if it is `absent`. A file that is `set` has what we add, and `other` files are the user's."""

    path: str
    text: str
    state: str


@narrated
def run_init(arguments: argparse.Namespace, narrator: Narrator) -> int:
    repository, ref = source = _source(arguments.source)
    workspace, config = open_project(arguments, narrator)
    report = run_audit(workspace, budget_of(config, arguments), config, on_notice=narrator)
    root = workspace.reader.root
    are_limited = bool(load_config(workspace.root, on_notice=narrator, with_user=False).limits)
    limits = _limits(workspace, report)
    found = [
        _looked(
            root, ".github/workflows/context.yml", _WORKFLOW.format(repository=repository, ref=ref), "actions/audit@"
        ),
        _looked(root, ".pre-commit-config.yaml", _HOOKS.format(repository=repository, ref=ref), "ctxtui-audit"),
        _Proposal(PROJECT_FILE, limits, "set") if are_limited else _looked(root, PROJECT_FILE, limits, limits),
    ]
    if not arguments.json:
        put_lines("\n".join(map(_shown, found)))
    absent = [each for each in found if each.state == "absent"]
    question = f"Write {', '.join(each.path for each in absent)}"
    is_agreed = bool(absent) and (arguments.yes or (not arguments.json and agreed(question, "--yes")))
    written = list(_written(root, absent)) if is_agreed else []
    if arguments.json:
        files: list[dict[str, Any]] = [
            {"path": each.path, "state": each.state, "text": each.text, "written": each.path in written}
            for each in found
        ]
        print_json({"files": files}, narrator.notices)
    if absent and not is_agreed:
        narrator.say(f"nothing is written{': --yes answers yes' if arguments.json else ''}")
        return WRONG_USAGE if arguments.json else INTERRUPTED
    narrator.say(f"{plural(len(written), 'file')} written" if written else "nothing to write")
    _tell_rest(found, source == _UNKNOWN, report.count("error"), narrator)
    return DONE


def _source(word: str | None) -> tuple[str, str]:
    """The repository and the ref of ctxtui: as given, or those that pip installed, or placeholders."""
    if word is None:
        return _installed_from() or _UNKNOWN
    match = _SOURCE.fullmatch(word)
    if match is None:
        raise ContextError("invalid_request", f"--source {word!r} is not OWNER/NAME@REF")
    return match[1], match[2]


def _installed_from() -> tuple[str, str] | None:
    try:
        noted = json.loads(distribution("ctxtui").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        return None
    match = _CLONED.fullmatch(str(noted.get("url", "")))
    commit = noted.get("vcs_info", {}).get("commit_id")
    return (match[1], str(commit)) if match and commit else None


def _limits(workspace: Workspace, report: Report) -> str:
    """The limits with today's sizes, and room for a tenth, in thousands of tokens."""
    starts = {start.agent: 0 for start in report.starts}
    found = check_limits(Limits(0, starts), workspace, report.counter, report.result.agents)
    total, *others = (max(1, -(-result.judged * 11 // 10_000)) for result in found)
    lines = [f'total = "{total}k"', '# max_growth = "10%"']
    if starts:
        lines += [
            "",
            "[limits.start]",
            *(f'{agent} = "{limit}k"' for agent, limit in zip(starts, others, strict=True)),
        ]
    return "\n".join(["[limits]", *lines, ""])


def _looked(root: Root, path: str, text: str, mark: str) -> _Proposal:
    """The state of a file. A file with the mark has what we would add."""
    try:
        data = root.read(path).data
    except Gone:
        return _Proposal(path, text, "absent")
    return _Proposal(path, text, "set" if mark.encode() in data else "other")


def _shown(proposal: _Proposal) -> str:
    if proposal.state == "set":
        return f"{proposal.path} has it already\n"
    return f"{proposal.path}{' exists; add' if proposal.state == 'other' else ''}\n\n{proposal.text}"


def _written(root: Root, proposals: list[_Proposal]) -> Iterator[str]:
    for each in proposals:
        if not root.create(each.path, each.text.encode()):
            raise ContextError("unavailable", f"{each.path} has appeared meanwhile", retryable=True, hint="try again")
        yield each.path


def _tell_rest(found: list[_Proposal], is_unknown: bool, errors: int, narrator: Narrator) -> None:
    """What is left to the user."""
    others = [each.path for each in found if each.state == "other"]
    if others:
        narrator.say(f"{', '.join(others)} {noun(len(others), 'exists', 'exist')}: add what is shown")
    used = [each.path for each in found[:2] if each.state != "set"]
    if is_unknown and used:
        narrator.say(f"put the repository and ref of ctxtui for OWNER and REF in {' and '.join(used)}")
    if errors:
        narrator.say(f"{plural(errors, 'error')} of today will fail it: ctxtui audit shows them")
