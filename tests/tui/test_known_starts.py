"""The app shows what is known of starts beyond an estimate, and what they cost in dollars."""

from __future__ import annotations

from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.whole import keep_measured
from ctxtui.session.agent_start import agent_starts, start_texts
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project
from tests.tui.acting import answer
from tests.tui.conftest import Run

MODEL = "claude-opus-5"


async def test_start_and_audit_show_measured_starts_and_their_price(project: Project, run: Run) -> None:
    root = project({".git/HEAD": "", "CLAUDE.md": "Be brief.\n"})
    workspace = Workspace.open(root)
    (start,) = agent_starts(workspace, get_counter(MODEL))
    (text,) = start_texts(start, workspace.text) or ()
    keep_measured(workspace.reader.ledger, MODEL, text, 2_000)
    async with run(root, (200, 40)) as driver:
        assert "first request" not in driver.text()
        await answer(driver, "m", MODEL)
        await driver.press("0", "right")
        told = f"measured, ≈{start.tokens} estimated"
        for page in ("start", "audit"):
            if page == "audit":
                await driver.press("A", "]")
            shown = driver.text()
            assert "2,000" in shown, page
            assert told in shown
            assert "$0.0125 for the first request, $0.0010 later" in shown
            assert "prices of genai-prices" in shown
