"""An audit in a process of its own finds what one here finds, or says that it looked at something else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ctxtui.agents import load_table
from ctxtui.audit.cached.subprocess_audit import audit_apart, find_plan, find_starts, run_apart
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import AuditOptions, run_audit
from ctxtui.audit.slim.known_saving import known_saving
from ctxtui.audit.slim.plan import make_plan
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.workers.process import WorkProcess
from ctxtui.session.agent_start import agent_starts
from ctxtui.session.budget import Budget
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.scope import EVERYTHING, Scope
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import LOREM, ignore
from tests.conftest import Project

_SECRET = "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E"
_FILES = {
    ".git/HEAD": "ref: refs/heads/main\n",
    "AGENTS.md": f"# Work\n\nSee [a](gone.md).\n{LOREM}",
    "CLAUDE.md": "@AGENTS.md\n",
    "packages/app/CLAUDE.md": f"# App\n\nThe token is {_SECRET}.\n",
    ".claude/skills/pay/SKILL.md": "---\nname: pay\ndescription: Pays.\n---\n# Pay\n\n[more](more.md)\n",
    ".mcp.json": '{"mcpServers": {"one": {"command": "one"}}}',
    "docs/a.md": f"# A\n\n{LOREM}",
    "ctxtui.toml": '[limits]\ntotal = 10\n\n[rules]\nbroken-link = "info"\n',
}


@pytest.fixture(scope="module")
def process() -> Iterator[WorkProcess]:
    with closing(WorkProcess()) as process:
        yield process


def _opened(root: Path, scope: Scope = EVERYTHING) -> Workspace:
    return Workspace.open(root, scope=scope, on_notice=ignore)


def _here(workspace: Workspace, budget: Budget, asked: AuditOptions) -> Report:
    return run_audit(workspace, budget, load_config(workspace.root, on_notice=ignore), asked, ignore)


def _words(report: Report) -> str:
    return repr((report.result, report.totals, report.starts, report.limits, report.money, report.settings))


@pytest.mark.parametrize(
    ("scope", "budget"),
    [
        (EVERYTHING, Budget()),
        (Scope(exclude=("docs/",)), Budget(tokenizer="heuristic")),
        (Scope(table=load_table()[:3]), Budget().with_budget(model="gpt-4o")),
    ],
)
def test_it_finds_what_one_here_finds(project: Project, process: WorkProcess, scope: Scope, budget: Budget) -> None:
    workspace, asked = _opened(project(_FILES), scope), AuditOptions(cwd="packages/app")
    found = audit_apart(process, workspace, budget, asked.cwd)
    assert found is not None
    assert _words(found) == _words(_here(workspace, budget, asked))
    assert run_apart(process, find_starts, workspace, budget, asked.cwd) == agent_starts(
        workspace, budget.counter, budget.window, asked.cwd
    )


def test_it_plans_what_a_plan_here_proposes(project: Project, process: WorkProcess) -> None:
    always = "---\nalwaysApply: true\n---\nA.\n"
    text = f"# Ours\n\n{LOREM}"
    workspace = _opened(project({"AGENTS.md": text, "CLAUDE.md": text, ".cursor/rules/a.mdc": always}))
    asked = AuditOptions()
    here = _here(workspace, Budget(), asked)
    plan, saving = make_plan(workspace, here), known_saving(workspace, here)
    found = run_apart(process, find_plan, workspace, Budget(), asked.cwd)
    assert plan.changes
    assert found is not None
    assert found[1] == saving
    assert found[0].by_hand == plan.by_hand
    assert [(each.id, each.title, each.saved, each.diff, each.lost) for each in found[0].changes] == [
        (each.id, each.title, each.saved, each.diff, each.lost) for each in plan.changes
    ]
    (workspace.root / "AGENTS.md").write_text("# Changed\n")
    assert run_apart(process, find_plan, workspace, Budget(), asked.cwd) is None


@pytest.mark.parametrize("path", ["AGENTS.md", "new.md", "build/ignored.md"])
def test_it_says_nothing_of_another_version_of_the_project(project: Project, process: WorkProcess, path: str) -> None:
    root = project({**_FILES, ".gitignore": "build/\n", "build/.context/a.md": "# A\n"})
    workspace = _opened(root)
    (root / path).write_text("# Changed\n")
    is_seen = path != "build/ignored.md"
    assert (audit_apart(process, workspace, Budget(), "") is None) == is_seen
    assert (run_apart(process, find_starts, workspace, Budget(), "") is None) == is_seen


def test_what_is_wrong_with_the_request_is_told(project: Project, process: WorkProcess) -> None:
    root = project({**_FILES, "ctxtui.toml": '[rules]\nno-such-rule = "off"\n'})
    for asked in (AuditOptions(), AuditOptions(cwd="../out")):
        with pytest.raises(ContextError) as here:
            _here(_opened(root), Budget(), asked)
        with pytest.raises(ContextError) as apart:
            audit_apart(process, _opened(root), Budget(), asked.cwd)
        assert (apart.value.message, apart.value.hint) == (here.value.message, here.value.hint)
    with pytest.raises(ContextError, match="out"):
        run_apart(process, find_starts, _opened(root), Budget(), "../out")


def test_without_a_process_it_is_for_the_caller_to_look(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/program")
    workspace = _opened(project(_FILES))
    with closing(WorkProcess()) as process:
        assert audit_apart(process, workspace, Budget(), "") is None
        process.kill()
        assert run_apart(process, find_starts, workspace, Budget(), "") is None
