"""What agents start with comes from the audit if one is kept, and is judged otherwise: the same either way."""

import asyncio
import threading
from typing import Any

import pytest

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.workers.process import WorkProcess
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.whole import keep_measured
from ctxtui.session.agent_start import agent_starts, start_texts
from ctxtui.session.dashboard import starts_in
from ctxtui.session.session import Session
from ctxtui.tui.audit.tabs import audit_project
from ctxtui.tui.work.findings import Findings
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project
from tests.tui.acting import answer
from tests.tui.conftest import Run
from tests.tui.test_desk import BareHost, IdleHost

FILES = {
    "AGENTS.md": "# Work\n\nBe brief.\n",
    "CLAUDE.md": "@AGENTS.md\n",
    "packages/app/CLAUDE.md": "# App\n",
    ".claude/skills/pay/SKILL.md": "---\nname: pay\ndescription: Pays.\n---\nPay.\n",
    "ctxtui.toml": "",
}


@pytest.fixture
def session(project: Project, monkeypatch: pytest.MonkeyPatch) -> Session:
    # An audit is kept if no file is so new that it could change unseen.
    monkeypatch.setattr("ctxtui.core.disk.content._RACY_NS", 0)
    return Workspace.open(project(FILES), on_notice=lambda _notice: None).session()


@pytest.mark.parametrize("cwd", ["", "packages/app"])
async def test_a_kept_audit_says_what_agents_start_with(session: Session, cwd: str) -> None:
    judged = Findings(IdleHost(), lambda: None)
    expected = await judged.starts(session, cwd)
    assert judged.report is None
    assert expected == starts_in(session, cwd) != ()
    assert await judged.starts(session, cwd) is expected

    reported = Findings(IdleHost(), lambda: None)
    reported.accept(audit_project(session), session, "")
    assert await reported.starts(session, "") == starts_in(session, "")

    recalled = Findings(IdleHost(), lambda: None)
    assert await recalled.starts(session, "") == starts_in(session, "")
    assert recalled.report is not None
    assert await recalled.starts(session, cwd) == expected


async def test_agents_start_though_their_folder_is_gone_or_the_audit_is_configured_wrongly(session: Session) -> None:
    assert await Findings(IdleHost(), lambda: None).starts(session, "packages/gone") == starts_in(session, "")
    (session.workspace.root / "ctxtui.toml").write_text('[rules]\nno-such-rule = "off"\n', "utf-8")
    workspace = Workspace.open(session.workspace.root, on_notice=lambda _notice: None)
    with pytest.raises(ContextError):
        audit_project(workspace.session())
    found = await Findings(IdleHost(), lambda: None).starts(workspace.session(), "")
    assert [start.agent for start in found] == [start.agent for start in starts_in(session, "")]


@pytest.mark.parametrize("cwd", ["", "packages/app", "packages/gone"])
async def test_large_projects_ask_a_process(session: Session, monkeypatch: pytest.MonkeyPatch, cwd: str) -> None:
    monkeypatch.setattr("ctxtui.tui.work.findings.LARGE", 1)
    expected = starts_in(session, "" if cwd.endswith("gone") else cwd)
    monkeypatch.setattr("ctxtui.session.dashboard.starts_in", lambda *_: pytest.fail("judged here"))
    findings = Findings(IdleHost(), lambda: None)
    starts = asyncio.ensure_future(findings.starts(session, cwd))
    await asyncio.sleep(0)
    findings.request(session, cwd)
    assert await starts == expected != ()
    findings.close()


async def test_an_audit_in_a_process_ends_with_the_app(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxtui.tui.work.findings.LARGE", 1)
    monkeypatch.setattr("ctxtui.tui.work.findings.IDLE", 0.0)
    monkeypatch.setattr("ctxtui.tui.work.findings._audited", lambda *_: pytest.fail("audited here"))
    host, started = BareHost(), threading.Event()
    run = WorkProcess.run

    def told(*given: Any) -> Any:
        started.set()
        return run(*given)

    monkeypatch.setattr(WorkProcess, "run", told)
    findings = Findings(host, lambda: None)
    findings.request(session, "")
    assert await asyncio.to_thread(started.wait, 20)
    findings.close()
    await host.settle()
    assert findings.report is None


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
