"""`ctxtui init`: show a workflow, a pre-commit entry and limits for CI, and write them after the user confirms."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from typing import Final

from ctxtui.audit.limits import Limits, check_limits
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import run_audit
from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import write_redacted
from ctxtui.cli.output.terminal import agreed
from ctxtui.cli.project import Narrator, budget_of, narrated, open_project
from ctxtui.cli.status import DONE, WRONG_USAGE
from ctxtui.core.base.errors import ContextError, Gone, invalid
from ctxtui.core.base.wording import noun, plural
from ctxtui.core.disk.root import Root
from ctxtui.core.text.projection import project
from ctxtui.session.saved.config import PROJECT_FILE, load_config
from ctxtui.workspace.workspace import Workspace

_SOURCE: Final = re.compile(r"([A-Za-z0-9-]+/[A-Za-z0-9._-]+)@([A-Za-z0-9._/-]+)")
_CLONED: Final = re.compile(r"https://github\.com/([A-Za-z0-9-]+/[A-Za-z0-9._-]+?)(?:\.git)?/?")
_WORKFLOW_FILE: Final = ".github/workflows/context.yml"
_HOOKS_FILE: Final = ".pre-commit-config.yaml"
_SHAPES: Final = {"_Proposal": "path state text"}
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_UNKNOWN: Final = ("OWNER/ctxtui", "REF")
_TO_DO: Final = "# For OWNER, put the account that has ctxtui's repository, for REF a tag or commit of it.\n"
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
    """A file to write if it is `absent`. A `set` file has our text already, an `other` file is the user's."""

    path: str
    text: str
    state: str


@narrated
def run_init(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Show the proposed files, and write those that are absent after a yes. Files that exist stay.

    With `--json` nobody is asked, so that absent files without `--yes` are wrong usage (2).
    """
    source = _source_of_ctxtui(arguments.source)
    workspace, config = open_project(arguments, narrator)
    report = run_audit(workspace, budget_of(config, arguments), config, on_notice=narrator)
    found = _proposals(workspace, report, source)
    if not arguments.json:
        write_redacted("\n".join(map(_proposal_text, found)))
    absent = [each for each in found if each.state == "absent"]
    question = f"Write {', '.join(each.path for each in absent)}"
    is_agreed = bool(absent) and (arguments.yes or (not arguments.json and agreed(question, "--yes")))
    written = list(_write_proposals(workspace.reader.root, absent)) if is_agreed else []
    if arguments.json:
        files = [{**project(each, _SHAPES), "written": each.path in written} for each in found]
        print_json({"files": files}, narrator.notices)
    if absent and not is_agreed:
        narrator.say(f"nothing is written{': --yes answers yes' if arguments.json else ''}")
        return WRONG_USAGE if arguments.json else DONE
    narrator.say(f"{plural(len(written), 'file')} written" if written else "nothing to write")
    _tell_rest(found, source == _UNKNOWN, report.count("error"), narrator)
    return DONE


def _proposals(workspace: Workspace, report: Report, source: tuple[str, str]) -> list[_Proposal]:
    """Proposals for workflow and hooks, which get ctxtui from `source`, and for limits if any file is loaded."""
    root, (repository, ref) = workspace.reader.root, source
    to_do = _TO_DO if source == _UNKNOWN else ""
    workflow, hooks = (to_do + text.format(repository=repository, ref=ref) for text in (_WORKFLOW, _HOOKS))
    found = [
        _proposal(root, _WORKFLOW_FILE, workflow, "actions/audit@"),
        _proposal(root, _HOOKS_FILE, hooks, "ctxtui-audit"),
    ]
    if not report.totals.files:
        return found
    limits = _limits_section(workspace, report)
    if load_config(workspace.root, on_notice=lambda _: None, with_user=False).limits:
        return [*found, _Proposal(PROJECT_FILE, limits, "set")]
    return [*found, _proposal(root, PROJECT_FILE, limits, limits)]


def _source_of_ctxtui(word: str | None) -> tuple[str, str]:
    """The repository and the ref of ctxtui: from `word` (OWNER/NAME@REF), else from pip, else placeholders."""
    if word is None:
        return _installed_from() or _UNKNOWN
    match = _SOURCE.fullmatch(word)
    if match is None:
        raise invalid(f"--source {word!r} is not OWNER/NAME@REF")
    return match[1], match[2]


def _installed_from() -> tuple[str, str] | None:
    """The GitHub repository and commit from which pip installed ctxtui, None if it came from elsewhere."""
    try:
        noted = json.loads(distribution("ctxtui").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        return None
    match = _CLONED.fullmatch(str(noted.get("url", "")))
    commit = noted.get("vcs_info", {}).get("commit_id")
    return (match[1], str(commit)) if match and commit else None


def _limits_section(workspace: Workspace, report: Report) -> str:
    """The section `[limits]` as TOML: today's sizes plus a tenth, rounded up to thousands of tokens."""
    starts = {start.agent: 0 for start in report.starts}
    found = check_limits(Limits(0, starts), workspace, report.counter, report.result.agents)
    total, *others = (max(1, -(-result.judged * 11 // 10_000)) for result in found)
    lines = [f'total = "{total}k"', '# max_growth = "10%"']
    if starts:
        keys = (agent if _BARE.fullmatch(agent) else json.dumps(agent, ensure_ascii=False) for agent in starts)
        lines += ["", "[limits.start]", *(f'{key} = "{limit}k"' for key, limit in zip(keys, others, strict=True))]
    return "\n".join(["[limits]", *lines, ""])


def _proposal(root: Root, path: str, text: str, mark: str) -> _Proposal:
    """A proposal to write `text`. The file is `absent`, `set` if it contains `mark`, else `other`."""
    try:
        data = root.read(path).data
    except Gone:
        return _Proposal(path, text, "absent")
    return _Proposal(path, text, "set" if mark.encode() in data else "other")


def _proposal_text(proposal: _Proposal) -> str:
    if proposal.state == "set":
        return f"{proposal.path} has it already\n"
    return f"{proposal.path}{' exists; add' if proposal.state == 'other' else ''}\n\n{proposal.text}"


def _write_proposals(root: Root, proposals: list[_Proposal]) -> Iterator[str]:
    for each in proposals:
        if not root.create(each.path, each.text.encode()):
            raise ContextError("unavailable", f"{each.path} has appeared meanwhile", retryable=True, hint="try again")
        yield each.path


def _tell_rest(found: list[_Proposal], is_unknown: bool, errors: int, narrator: Narrator) -> None:
    """Tell the user what is left: files to edit, placeholders to fill in if `is_unknown`, `errors` to mend."""
    others = [each.path for each in found if each.state == "other"]
    if others:
        narrator.say(f"{', '.join(others)} {noun(len(others), 'exists', 'exist')}: add what is shown")
    used = [each.path for each in found[:2] if each.state != "set"]
    if is_unknown and used:
        narrator.say(f"put the repository and ref of ctxtui for OWNER and REF in {' and '.join(used)}")
    if errors:
        narrator.say(f"{plural(errors, 'error')} of today will fail it: ctxtui audit shows them")
