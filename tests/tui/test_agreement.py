"""What the app shows is what the commands and the audit say."""

from __future__ import annotations

import re

import pytest

from ctxtui import Workspace
from ctxtui.audit import audit
from ctxtui.core import get_counter
from tests.conftest import Project
from tests.tui.acting import tree_line
from tests.tui.conftest import Run

BODY = "# A\n\n" + "One line of a pattern that is long enough to count for something.\n" * 40
EXACT = get_counter().count(BODY)
DECLARED = {
    "none": 0,
    "right": EXACT,
    "half": EXACT // 2 + 10,
    "far": EXACT // 3 - 10,
    "least": EXACT - 200,
    "more": EXACT + 201,
    "twice": EXACT * 2,
    "triple": EXACT * 3,
}


@pytest.mark.parametrize("name", ["o200k_base", "heuristic"])
async def test_badges_of_drift_are_the_findings_of_the_audit(project: Project, run: Run, name: str) -> None:
    files = {f"know/py/{key}.md": f"---\nestimatedTokens: {tokens}\n---\n{BODY}" for key, tokens in DECLARED.items()}
    root = project({"know/index.md": "# Index\n", "know/py/index.md": "# Python\n", **files})
    found = audit(Workspace.open(root), get_counter(name)).findings
    shares = {}
    for finding in found:
        if finding.rule == "token-drift" and finding.path:
            share = re.search(r"\(([-+]\d+) %\)", finding.message)
            shares[finding.path] = f"drift {share[1]}%" if share else "drift"
    assert len(shares) > 2
    async with run(root, (120, 50)) as driver:
        driver.screen.desk.change(driver.screen.session.with_budget(tokenizer=name))
        await driver.settle()
        await driver.go_to("py/right")
        for path in files:
            badge = re.search(r"drift(?: [-+]\d+%)?", tree_line(driver, path[8:-3]))
            assert (badge[0] if badge else None) == shares.get(path), path


async def test_a_link_is_shown_beside_its_file(project: Project, run: Run) -> None:
    root = project({"AGENTS.md": "# A\n\nBe brief.\n", "GEMINI.md": "# G\n"})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    async with run(root) as driver:
        assert "AGENTS.md ← CLAUDE.md" in tree_line(driver, "AGENTS.md")
        assert "←" not in tree_line(driver, "GEMINI.md")
        await driver.go_to("AGENTS.md")
        await driver.press("space")
        assert [pick.id for pick in driver.screen.session.picks] == ["AGENTS.md"]
        assert "2 files" in driver.text()
