"""What the app shows is what the commands and the audit say."""

import re

import pytest

from ctxtui import Workspace
from ctxtui.audit.run import run_audit
from ctxtui.core import get_counter
from ctxtui.session.saved.config import load_config
from tests.conftest import Project
from tests.tui.acting import eventually, tree_line
from tests.tui.conftest import Run

pytestmark = pytest.mark.usefixtures("frames")

BODY = "# A\n\n" + "One line of a pattern that is long enough to count for something.\n" * 40
EXACT = get_counter().count(BODY)
DECLARED = {"none": 0, "right": EXACT, "half": EXACT // 2 + 10, "far": EXACT // 3 - 10}
DECLARED |= {"least": EXACT - 200, "more": EXACT + 201, "twice": EXACT * 2, "triple": EXACT * 3}


@pytest.mark.parametrize("name", ["o200k_base", "heuristic"])
async def test_badges_of_drift_are_the_findings_of_the_audit(project: Project, run: Run, name: str) -> None:
    configuration = "[rules.token-drift]\nshare = 0.1\ntokens = 50\n"
    files = {f"know/py/{key}.md": f"---\nestimatedTokens: {tokens}\n---\n{BODY}" for key, tokens in DECLARED.items()}
    others = {"know/index.md": "# Index\n", "know/py/index.md": "# Python\n", "ctxtui.toml": configuration}
    root = project({**others, **files})
    workspace = Workspace.open(root)
    found = run_audit(workspace, workspace.session(tokenizer=name).budget, load_config(root)).findings
    shares = {}
    for finding in found:
        if finding.rule == "token-drift" and finding.path:
            share = re.search(r"\(([-+]\d+) %\)", finding.message)
            shares[finding.path] = f"drift {share[1]}%" if share else "drift"
    assert len(shares) >= 6
    async with run(root, (120, 50), audits=True) as driver:
        driver.screen.desk.change(driver.screen.session.with_budget(tokenizer=name))
        await driver.go_to("py/right")

        def badges() -> dict[str, str]:
            found = ((path, re.search(r"drift(?: [-+]\d+%)?", tree_line(driver, path[8:-3]))) for path in files)
            return {path: badge[0] for path, badge in found if badge}

        await eventually(driver, lambda: badges() == shares)


async def test_badges_of_drift_follow_the_configuration(project: Project, run: Run) -> None:
    note = f"---\nestimatedTokens: {EXACT // 3}\n---\n{BODY}"
    root = project({"know/index.md": "# Index\n", "know/py/index.md": "# Python\n", "know/py/a.md": note})
    async with run(root, (120, 50), audits=True) as driver:
        await driver.go_to("py/a")
        assert "drift +" in tree_line(driver, "a")
        (root / "ctxtui.toml").write_text('[rules]\ntoken-drift = "off"\n')
        await driver.press("R")
        await eventually(driver, lambda: "drift" not in tree_line(driver, "a"))


async def test_a_link_is_shown_beside_its_file(project: Project, run: Run) -> None:
    root = project({"AGENTS.md": "# A\n\nBe brief.\n", "GEMINI.md": "# G\n"})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    async with run(root) as driver:
        assert "AGENTS.md ← CLAUDE.md" in tree_line(driver, "AGENTS.md")
        assert "←" not in tree_line(driver, "GEMINI.md")
        await driver.pick("AGENTS.md")
        assert [pick.id for pick in driver.screen.session.picks] == ["AGENTS.md"]
        assert "2 files" in driver.text()
