"""The list of agents and commands that can get the payload."""

from pathlib import Path

import pytest

from ctxtui.session.saved.app_state import last_command, save_last_command
from ctxtui.tui.launch import Outcome
from tests.cli.test_run_agents import install
from tests.conftest import Project
from tests.tui.acting import answer, told_text
from tests.tui.conftest import Driver, Run


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH, with three agents."""
    folder = tmp_path / "programs"
    for name in ("claude", "aider", "cursor-agent"):
        install(folder, name)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def _outcome(value: object) -> tuple[str, str | None]:
    assert isinstance(value, Outcome)
    return value.kind, value.command


async def test_agents_are_listed_with_how_they_get_the_payload(programs: Path, driver: Driver) -> None:
    await driver.press("@AGENTS.md", "space", "vertical_line")
    for size in ((160, 45), (80, 24)):
        await driver.resize(*size)
        shown = driver.text()
        assert "claude        as an argument, a conversation" in shown
        assert "aider         as a file, one answer" in shown
        assert shown.index("claude") < shown.index("cursor-agent") < shown.index("aider")
        assert "codex" not in shown
    await driver.press("enter")
    assert _outcome(driver.app.return_value) == ("run", "claude")


async def test_a_large_payload_says_why_it_is_no_argument(project: Project, programs: Path, run: Run) -> None:
    async with run(project({"big.md": "# Big\n\n" + "word and word\n" * 12_000})) as driver:
        await driver.press("@big.md", "space", "vertical_line")
        assert "cursor-agent  not possible: 168 kB exceeds an argument" in driver.text()
        assert "claude        on stdin, one answer: 168 kB exceeds an argument" in driver.text()
        await answer(driver, "backspace", "cursor-agent")
        assert "cursor-agent cannot take the payload: 168 kB exceeds an argument" in told_text(driver)
        assert driver.app.return_value is None


async def test_without_a_terminal_for_it_no_conversation_is_offered(sample: Path, programs: Path, run: Run) -> None:
    async with run(sample, can_talk=False) as driver:
        await driver.press("@AGENTS.md", "space", "vertical_line")
        assert "claude        on stdin, one answer" in driver.text()


async def test_what_was_used_last_comes_first(sample: Path, programs: Path, run: Run) -> None:
    save_last_command("aider")
    async with run(sample) as driver:
        await driver.pick("AGENTS.md")
        await answer(driver, "vertical_line", "wc -c")
        assert _outcome(driver.app.return_value) == ("run", "wc -c")
    assert last_command() == "wc -c"
    async with run(sample) as driver:
        await driver.press("@AGENTS.md", "space", "vertical_line", "enter")
        assert _outcome(driver.app.return_value) == ("run", "wc -c")


async def test_a_typed_command_is_never_taken_for_what_is_said_about_an_agent(programs: Path, driver: Driver) -> None:
    await driver.pick("AGENTS.md")
    await answer(driver, "vertical_line", "answer")
    assert _outcome(driver.app.return_value) == ("run", "answer")


async def test_without_agents_a_command_can_be_typed(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    await driver.press("@AGENTS.md", "space", "vertical_line")
    assert "no known agent is on the PATH" in driver.text()
    await answer(driver, "backspace", "llm")
    assert "llm is not on the PATH" in told_text(driver)
