"""What agents start with comes from the audit if one is kept, and is judged otherwise: the same either way."""

from __future__ import annotations

import pytest

from ctxtui.core.errors import ContextError
from ctxtui.session.session import Session
from ctxtui.tui.audit.tabs import audited
from ctxtui.tui.work.findings import Findings
from ctxtui.tui.work.start import starts_in
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project
from tests.tui.test_desk import IdleHost

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
    monkeypatch.setattr("ctxtui.core.files.content._RACY_NS", 0)
    return Workspace.open(project(FILES), on_notice=lambda _notice: None).session()


@pytest.mark.parametrize("cwd", ["", "packages/app"])
async def test_a_kept_audit_says_what_agents_start_with(session: Session, cwd: str) -> None:
    judged = Findings(IdleHost(), lambda: None)
    expected = await judged.starts(session, cwd)
    assert judged.report is None
    assert expected == starts_in(session, cwd) != ()
    assert await judged.starts(session, cwd) is expected

    reported = Findings(IdleHost(), lambda: None)
    reported.take(audited(session), session, "")
    assert await reported.starts(session, "") == starts_in(session, "")

    recalled = Findings(IdleHost(), lambda: None)
    assert await recalled.starts(session, "") == starts_in(session, "")
    assert recalled.report is not None
    assert await recalled.starts(session, cwd) == expected


async def test_agents_start_though_the_audit_is_configured_wrongly(session: Session) -> None:
    (session.workspace.root / "ctxtui.toml").write_text('[rules]\nno-such-rule = "off"\n', "utf-8")
    workspace = Workspace.open(session.workspace.root, on_notice=lambda _notice: None)
    with pytest.raises(ContextError):
        audited(workspace.session())
    found = await Findings(IdleHost(), lambda: None).starts(workspace.session(), "")
    assert [start.agent for start in found] == [start.agent for start in starts_in(session, "")]


async def test_agents_start_at_the_root_if_their_folder_is_gone(session: Session) -> None:
    findings = Findings(IdleHost(), lambda: None)
    assert await findings.starts(session, "packages/gone") == starts_in(session, "")
