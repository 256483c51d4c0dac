"""Every room shows what is known of a start beyond an estimate, judges limits by it, and names its price."""

import json
import re
from pathlib import Path

import pytest
from mcp import Client

from ctxtui.audit.reports.as_markdown import to_markdown
from ctxtui.audit.reports.report import with_known_starts
from ctxtui.audit.run import run_audit
from ctxtui.cli.audits.audit_table import audit_table
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.whole import keep_measured
from ctxtui.mcp import project as mcp
from ctxtui.mcp.server import make_server
from ctxtui.session.agent_start import agent_starts, start_texts
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Asked, Project

MODEL = "claude-opus-5"
# The tokens that were measured for every text: far from any estimate.
EACH = 1_000
FILES = {
    ".git/HEAD": "",
    "AGENTS.md": "# Rules\n\nNever charge a card twice.\n",
    "CLAUDE.md": "Be brief.\n@AGENTS.md\n",
    "ctxtui.toml": "[limits.start]\nclaude-code = 1_500\ncodex = 1_000\n",
}


@pytest.fixture
def root(project: Project) -> Path:
    """A project of which every text that enters at a start has been measured."""
    made = project(FILES)
    workspace = Workspace.open(made)
    for start in agent_starts(workspace, get_counter(MODEL)):
        for text in start_texts(start, workspace.text) or ():
            keep_measured(workspace.reader.ledger, MODEL, text, EACH)
    return made


def test_the_command_shows_measured_starts(root: Path, asked: Asked) -> None:
    told = asked("audit", str(root), "--model", MODEL, "--json", status=1).result
    agents = {each["id"]: each for each in told["agents"]}
    claude = agents["claude-code"]
    assert claude["whole"] | {"basisTokens": 0} == {"tokens": 2 * EACH, "label": "measured", "basisTokens": 0}
    assert agents["codex"]["whole"]["tokens"] == EACH
    assert claude["startTokens"] == sum(each["startTokens"] for each in claude["files"]) < 100
    limits = {each["name"]: each for each in told["limits"]}
    failed, passed = limits["start claude-code"], limits["start codex"]
    assert [failed[key] for key in ("tokens", "judged", "label", "passed")] == [2_000, 2_000, "measured", False]
    assert passed["passed"]
    money = told["money"]
    assert re.fullmatch(r"genai-prices \d+(\.\d+)+", money["asOf"])
    assert {each["name"]: each["tokens"] for each in money["expenses"]}["claude-code"] == 2 * EACH
    (over,) = (each for each in told["findings"] if each["rule"] == "start-over-budget")
    assert (over["agent"], over["tokens"]) == ("claude-code", 500)
    assert over["evidence"] == f"measured for {MODEL}"


def test_an_exact_start_has_no_second_number(root: Path, asked: Asked) -> None:
    told = asked("audit", str(root), "--json", status=(0, 1)).result
    assert all("whole" not in each for each in told["agents"])
    assert all(each["label"] is None for each in told["limits"])


def test_reports_for_people_say_how_each_start_is_known(root: Path) -> None:
    workspace = Workspace.open(root)
    budget = workspace.session().with_budget(model=MODEL).budget
    report = with_known_starts(run_audit(workspace, budget, load_config(root)), workspace)
    estimate = next(each.tokens for each in report.starts if each.agent == "claude-code")
    table = audit_table(report)
    assert re.search(rf"^  claude-code +2,000  measured, ≈{estimate} estimated +2 files", table, re.MULTILINE)
    assert "FAIL start claude-code 2,000 (measured) > 1,500" in table
    markdown = to_markdown(report)
    assert f"| `claude-code` | 2 | 2,000 | measured, ≈{estimate} estimated |" in markdown
    assert "| known as |" in markdown
    assert "prices of genai-prices " in markdown


async def test_the_server_shows_measured_starts(root: Path) -> None:
    served = mcp.Project(root, lambda _notice: None)
    async with Client(make_server(served)) as client:
        answer = await client.call_tool("get_agent_starts", {"model": MODEL})
        told = json.loads(answer.content[0].text)["result"]
        assert (told["tokenizer"], told["exact"], told["label"]) == (MODEL, False, "estimated")
        whole = {each["id"]: each["whole"]["tokens"] for each in told["agents"]}
        assert whole["claude-code"] == 2 * EACH
        exact = json.loads((await client.call_tool("get_agent_starts", {})).content[0].text)["result"]
        assert (exact["tokenizer"], exact["label"]) == ("o200k_base", "exact")
        assert all("whole" not in each for each in exact["agents"])
    served.close()
