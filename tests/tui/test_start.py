"""Start: a dashboard that opens what it shows, and comes back with one key."""

import json
import os
import re
import shlex
import time
from pathlib import Path

import pytest

from ctxtui.session.saved.recipe import save_recipe
from ctxtui.tui.audit.tabs import audit_project
from ctxtui.tui.screens.audit import Audit
from ctxtui.tui.widgets.fold_rows import Row
from ctxtui.tui.work.findings import Findings, problem_counts
from ctxtui.workspace.workspace import Workspace
from tests import warm
from tests.audit.repositories import Repo
from tests.conftest import Project
from tests.tui.acting import answer, choices, click, eventually, find, picked, told_text
from tests.tui.conftest import Driver, Run


def said(row: Row | None) -> str:
    """The text of a row without its signs."""
    assert row is not None
    return row.name[0] or " ".join(told.text for told in row.told) or row.text


def right(driver: Driver, name: str) -> list[str]:
    """The texts at the right of a row."""
    row = next(row for row in driver.screen.view.start.items if said(row) == name)
    return [text.strip() for text, _ in row.right]


async def go_to_row(driver: Driver, name: str) -> None:
    start = driver.screen.view.start
    start.move(next(place for place, row in enumerate(start.items) if said(row) == name))
    await driver.settle()


@pytest.fixture(params=["in a thread", "in a process"])
def audits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where the audit is made."""
    monkeypatch.setattr("ctxtui.tui.work.findings.LARGE", 1 if request.param == "in a process" else 10**9)
    return str(request.param)


def audit_of(root: Path, *words: str) -> str:
    done = warm.run(["audit", *words], "", root, os.environ)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("has_warning", [True, False])
async def test_every_room_says_the_same_saving(project: Project, run: Run, has_warning: bool) -> None:
    text = "".join(f"Line {number} says something of its own.\n" for number in range(100))
    twins = dict.fromkeys(("AGENTS.md", "CLAUDE.md"), text) if has_warning else {}
    rule = f"---\nalwaysApply: true\n---\n# Ours\n\n{text}\n## Releasing\n\n{text.replace('own', 'kind')}"
    root = project({".cursor/rules/a.mdc": rule, **twins})
    headline = audit_of(root).splitlines()[0]
    found = re.search(r"; ([\d,]+ of [\d,]+) tokens can be saved for (.*) \(--slim\)$", headline)
    assert found
    ids = [each["id"] for each in json.loads(audit_of(root, "--slim", "--json"))["result"]["changes"]]
    assert len(ids) == 1 + has_warning
    async with run(root, audits=True) as driver:
        saving = f"{found[2]}: {found[1]} tokens can be saved"
        await eventually(driver, lambda: any(said(row) == saving for row in driver.screen.view.start.items))
        await driver.press("A")
        assert f"{found[1]} tokens at the start of {found[2]}" in " ".join(driver.text().split())
    words = [word for id_ in ids for word in ("--slim-apply", id_)]
    saved = json.loads(audit_of(root, *words, "--json"))["result"]["saved"][0]
    assert found[1] == f"{saved['tokens']:,} of {saved['before']:,}"


@pytest.mark.usefixtures("audits")
async def test_findings_come_by_themselves_and_open_the_audit(sample: Path, run: Run) -> None:
    report = audit_project(Workspace.open(sample, on_notice=lambda _notice: None).session())
    marked = problem_counts(report.findings)
    told = f"{report.count('error')} errors, {report.count('warning')} warnings in {len(marked)} files"
    async with run(sample, audits=True) as driver:
        assert told in driver.text()
        findings = driver.screen.context_tree.findings
        assert findings.keys() == marked.keys()
        alone = [each for each in report.findings if each.path and not each.places and each.severity != "info"]
        assert alone
        for each in alone:
            assert findings[each.path or ""][each.severity != "error"] > 0
        infos = {each.path for each in report.findings if each.severity == "info"}
        others = {place.path for each in report.findings for place in each.places} | {each.path for each in alone}
        assert not (infos - others) & findings.keys()
        await driver.press("0")
        await go_to_row(driver, told)
        await driver.press("enter")
        assert isinstance(driver.app.screen, Audit)
        assert driver.app.screen.all_rows


async def test_the_cursor_rests_on_the_first_agent_and_stays_where_it_is_moved(project: Project, run: Run) -> None:
    root = project({"AGENTS.md": "# Rules\n\nSee [this](gone.md).\n", "big.md": f"# Big\n\n{'words ' * 500}\n"})
    async with run(root, audits=True) as driver:
        start = driver.screen.view.start
        # The lines of the audit came before it.
        assert start.current.start is not None
        # Somebody who has come here acts on the row under the cursor, whatever comes above it.
        await driver.press("3")
        row = start.current
        start.show([*(Row(name=(f"line {place}", ""), ids=("big.md",)) for place in range(5)), *start.items])
        assert start.current == row
        await go_to_row(driver, "big.md")
        before = start.cursor
        (root / "AGENTS.md").write_text("# Rules\n\nBe brief.\n")
        await eventually(driver, lambda: "no errors, no warnings" in driver.text(), 20)
        assert said(start.current) == "big.md"
        assert start.cursor != before


@pytest.mark.usefixtures("audits")
async def test_a_mended_file_changes_the_findings(project: Project, run: Run) -> None:
    root = project({"AGENTS.md": "# Rules\n\nSee [this](gone.md).\n"})
    async with run(root, audits=True) as driver:
        assert "AGENTS.md" in driver.screen.context_tree.findings
        (root / "AGENTS.md").write_text("# Rules\n\nBe brief.\n")
        await eventually(driver, lambda: not driver.screen.context_tree.findings, 20)
        assert "no errors, no warnings" in driver.text()


async def test_the_audit_waits_until_nobody_acts(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxtui.tui.work.findings.IDLE", 0.5)
    desk = driver.screen.desk
    assert desk.session is not None
    findings = Findings(driver.screen, lambda: None)
    findings.request(desk.session, "")
    deadline = time.monotonic() + 0.9
    while time.monotonic() < deadline:
        findings.user_active()
        await driver.frame()
    assert findings.report is None
    await eventually(driver, lambda: findings.report is not None, 20)


async def test_remarks_are_folded_below_their_agent(driver: Driver) -> None:
    await driver.press("3")
    await go_to_row(driver, "Claude Code")
    assert "not counted" not in driver.text()
    await driver.press("right")
    assert "not counted" in driver.text()
    assert "← hides" in driver.text()
    start = driver.screen.view.start.current.start
    assert start is not None
    below = [row.text for row in driver.screen.view.start.items if row.within == ("agent claude-code",)]
    told = {path: int(tokens.replace(",", "")) for tokens, path in (row.split() for row in below[: len(start.paths)])}
    assert set(told) == set(start.paths), "its files are told with their tokens"
    assert sum(told.values()) == start.tokens
    await driver.press("down", "left")
    assert "not counted" not in driver.text()
    assert said(driver.screen.view.start.current) == "Claude Code"
    await click(driver, "▸ Claude Code")
    assert "not counted" in driver.text()
    assert picked(driver) == []
    await driver.press("down", "enter")
    assert "CLAUDE.md" in picked(driver), "a remark acts as its agent"


async def test_a_path_that_wraps_goes_on_below_itself(driver: Driver) -> None:
    await driver.resize(100, 30)
    await driver.press("3")
    await go_to_row(driver, "GitHub Copilot CLI")
    await driver.press("right")
    words = (".claude/skills/", "release-notes/SKILL.md", "and 2 smaller files")
    assert len({find(driver, text)[0] for text in words}) == 1


async def test_it_goes_when_the_cursor_moves_and_comes_back_with_a_key(driver: Driver) -> None:
    view = driver.screen.view
    await driver.press("t", "full_stop", "t")
    assert view.tab == "start"
    assert any("I finds what a task needs" in said(row) for row in view.start.items)
    await driver.press("down")
    assert view.tab == "text"
    assert "0 Start" in driver.text().splitlines()[-1]
    await driver.press("space")
    for panel in ("1", "2"):
        await driver.press(panel, "0")
        assert (view.tab, driver.screen.panel) == ("start", "view")
        await driver.press("]")


async def test_changed_files_are_listed_and_picked_at_once(project: Project, run: Run) -> None:
    root = project({f"f{number}.md": f"# {number}\n" for number in range(8)})
    Repo(root).commit()
    for number in range(7):
        (root / f"f{number}.md").write_text("# Changed\n")
        os.utime(root / f"f{number}.md", (1_700_000_000 + number,) * 2)
    async with run(root) as driver:
        assert "7 changed files" in driver.text()
        names = [said(row) for row in driver.screen.view.start.items if row.key.startswith("changed ")]
        assert names == ["f6.md", "f5.md", "f4.md", "f3.md", "f2.md"]
        await driver.press("0")
        await go_to_row(driver, "pick all 7")
        await driver.press("enter")
        assert sorted(picked(driver)) == [f"f{number}.md" for number in range(7)]
        assert "picked 7 files" in told_text(driver)
        Repo(root).commit()
        await eventually(driver, lambda: "changed files" not in driver.text())


async def test_the_newest_recipes_are_listed_and_opened(sample: Path, run: Run) -> None:
    session = Workspace.open(sample, on_notice=lambda _notice: None).session()
    for day, name in enumerate(("alpha", "beta")):
        path = save_recipe(session.pick("AGENTS.md" if day else "CLAUDE.md"), name).path
        os.utime(path, (1_700_000_000 - 86_400 * day,) * 2)
    async with run(sample) as driver:
        await driver.press("0")
        names = [said(row) for row in driver.screen.view.start.items if row.act == "recipe"]
        assert names == ["alpha", "beta"]
        await go_to_row(driver, "beta")
        await driver.press("enter")
        assert picked(driver) == ["AGENTS.md"]
        await driver.press("o")
        assert [each.split()[0] for each in choices(driver)[:2]] == ["alpha", "beta"]
        assert "saved 2023-11-1" in choices(driver)[0]


async def test_the_first_keys_are_the_users_own_until_something_is_picked(project: Project, run: Run) -> None:
    async with run(project({"AGENTS.md": "# Rules\n"}), keys={"budget": "f9"}) as driver:
        assert "f9 sets a budget" in driver.text()
        await driver.press("space", "0")
        assert "sets a budget" not in driver.text()


async def test_numbers_stay_in_every_size_and_prices_stand_beside_them_once_a_model_is_chosen(driver: Driver) -> None:
    await driver.press("0")
    await go_to_row(driver, "OpenAI Codex")
    tokens = right(driver, "OpenAI Codex")[-1]
    for size in ((160, 45), (100, 30), (80, 24), (60, 20), (40, 12)):
        await driver.resize(*size)
        lines = [line for line in driver.text().split("\n") if ">▸" in line]
        assert any(f" {tokens} " in line for line in lines), driver.text()
    await driver.resize(160, 45)
    await go_to_row(driver, "docs/runbook.md")
    assert right(driver, "docs/runbook.md")[-1] == "1,666"
    await driver.press("space")
    assert picked(driver) == ["docs/runbook.md"]
    assert not any("$" in text for text in right(driver, "Claude Code"))
    await answer(driver, "m", "gpt-5")
    await driver.press("0")
    assert any(text.startswith("$0.00") for text in right(driver, "Claude Code"))


async def test_a_saved_recipe_names_a_command_that_works_here(
    sample: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = sample.rename(tmp_path / "a b")
    for here, wanted in ((place, "ctxtui build r1 "), (tmp_path, f"ctxtui build -C {shlex.quote('a b')} r1 ")):
        monkeypatch.chdir(here)
        async with run(place) as driver:
            await driver.press("space")
            await answer(driver, "w", "r1")
            if here is not place:
                await driver.press("y")
            assert wanted in told_text(driver)


async def test_escape_leaves_a_prompt_unsaved_and_keeps_what_was_typed(driver: Driver) -> None:
    await driver.press("i", *"Why", "escape")
    assert driver.screen.session.selection.prompt is None
    assert "not saved" in told_text(driver)
    await driver.press("i")
    assert "not saved yet" in driver.text()
    await driver.press("end", "question_mark", "f2")
    assert driver.screen.session.selection.prompt is not None
    assert driver.screen.session.selection.prompt.text == "Why?"
    told = len(driver.told)
    await driver.press("i", "escape")
    assert len(driver.told) == told, "nothing was typed, so nothing is lost"


async def test_a_scrolled_start_stays_where_it_is(driver: Driver) -> None:
    await driver.resize(100, 24)
    start = driver.screen.view.start
    start.scroll_to(y=3, animate=False)
    await driver.settle()
    assert start.scroll_offset.y == 3
    await driver.press("space")
    assert start.scroll_offset.y == 3
