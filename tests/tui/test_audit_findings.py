"""The Audit screen at work: rules that fold, the preview of a finding, its keys, changes, filters and clicks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxtui import Workspace
from ctxtui.agents.types import MOMENTS
from ctxtui.audit.slim.known_saving import known_saving
from ctxtui.tui.audit.folds import Folds, by_tokens
from ctxtui.tui.audit.row import AuditRow, drawn, longest_names
from ctxtui.tui.audit.tabs import TABS, audited
from ctxtui.tui.screens.audit import Audit
from ctxtui.tui.widgets.item_rows import ItemRows
from ctxtui.tui.widgets.preview import Preview
from tests.audit.repositories import Repo
from tests.conftest import Project
from tests.tui.acting import answer, click, dialog_text, messages, paste
from tests.tui.conftest import Driver, Run


def rows(driver: Driver) -> ItemRows[AuditRow]:
    """The rows of the Audit screen."""
    assert isinstance(driver.app.screen, Audit)
    return driver.app.screen.rows


def to(tab: str) -> tuple[str, ...]:
    """The keys that open a tab of the Audit screen from the main one."""
    return ("A", *["right_square_bracket"] * TABS.index(tab))


async def sought(driver: Driver, words: str) -> None:
    """Filter the rows."""
    await driver.press("slash")
    await paste(driver, words)
    await driver.press("enter")


def make(project: Project) -> Path:
    """A project with a rule that has two errors, and one with two warnings."""
    return project(
        {
            "CLAUDE.md": "# Rules\n\nOne.\n\n[a](lost.md)\n\n@nil.md\n\n@none.md\n",
            "docs/CLAUDE.md": "# More\n\n[b](gone.md)\n",
            "ctxtui.toml": '[rules]\nbroken-link = "error"\n',
        }
    )


async def test_findings_are_grouped_by_rule_and_folded(project: Project, run: Run) -> None:
    async with run(make(project)) as driver:
        await driver.press("A")
        text = driver.text()
        assert "E 2 errors · W 2 warnings" in text
        assert "start " in text
        groups = {row.words: row for row in rows(driver).items if row.group}
        assert set(groups) >= {"broken-link", "broken-import"}
        # Errors are open at first, without the name of their rule; warnings are closed.
        assert "▾ E   2 broken-link" in text
        assert "▸ W   2 broken-import" in text
        errors = [row for row in rows(driver).items if groups["broken-link"].group in row.within]
        assert [row.path for row in errors] == ["CLAUDE.md", "docs/CLAUDE.md"]
        assert not any("broken-link" in row.text for row in errors)
        place = rows(driver).items.index(groups["broken-import"])
        rows(driver).move(place)
        count = rows(driver).count
        await driver.press("right")
        assert rows(driver).count == count + 2
        await driver.press("j", "j", "left")
        assert (rows(driver).count, rows(driver).cursor) == (count, place)
        await driver.press("enter")
        assert rows(driver).count == count + 2
        await driver.press("enter")
        assert rows(driver).count == count
        assert isinstance(driver.app.screen, Audit)


async def test_a_single_finding_is_shown_directly_and_notes_come_last(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press("A")
        shown = list(rows(driver).items)
        drift = next(row for row in shown if row.words == "token-drift")
        assert drift.group
        secret = next(row for row in shown if row.finding and row.finding.rule == "secret")
        assert not secret.within
        assert shown[-1].words == "notes"
        lines = [line for line in driver.text().split("\n") if "  W     " in line]
        assert len(lines) > 5
        assert len({line.index(line.split()[2]) for line in lines if len(line.split()) > 2}) == 1
        assert "blob, repeated-text" in driver.text()
        await driver.press("G", "right")
        assert [row.finding.rule for row in rows(driver).items[-2:] if row.finding] == ["blob", "repeated-text"]


async def test_the_summary_counts_what_can_be_saved_and_leads_to_it(project: Project, run: Run) -> None:
    text = "".join(f"Line {number} says something of its own.\n" for number in range(100))
    root = project(dict.fromkeys(("AGENTS.md", "CLAUDE.md", ".cursor/rules/a.mdc"), text))
    workspace = Workspace.open(root)
    saving = known_saving(workspace, audited(workspace.session()))
    assert saving is not None
    async with run(root) as driver:
        await driver.press("A")
        assert f"{saving.tokens:,} tokens of a start can be saved" in driver.text()
        await driver.press("g", "enter")
        assert "[Slim]" in driver.text()


async def test_the_lines_of_a_finding_are_previewed(project: Project, run: Run) -> None:
    root = make(project)
    (root / "CLAUDE.md").write_text("# Rules\n\n[bold]\x1b[31mred\x1b]0;x\x07 text\n\n[a](lost.md)\n")
    async with run(root, (160, 45)) as driver:
        await driver.press("A")
        await sought(driver, "lost")
        preview = driver.app.screen.query_one(Preview)
        assert preview.border_title == "CLAUDE.md:5"
        lines = preview.page.text.split("\n")
        assert "▶    5 [a](lost.md)" in lines
        assert not any(line.startswith("▶") for line in lines if "lost" not in line)
        assert "[bold]" in preview.page.text
        assert "\x1b" not in preview.page.text
        assert "▶    5 [a](lost.md)" in driver.text()
        await driver.pilot.resize_terminal(100, 40)
        await driver.settle()
        assert preview.region.y > rows(driver).region.y
        assert "▶    5 [a](lost.md)" in driver.text()
        await driver.pilot.resize_terminal(80, 24)
        await driver.settle()
        assert "▶" not in driver.text()


async def test_other_places_of_a_finding_are_listed(project: Project, run: Run) -> None:
    root = project(
        {
            ".cursor/rules/one.mdc": "---\nalwaysApply: true\n---\n# One\n",
            **{f".cursor/rules/{name}.md": f"# {name}\n" for name in ("a", "b", "c")},
        }
    )
    async with run(root) as driver:
        await driver.press("A")
        await sought(driver, "never")
        page = driver.app.screen.query_one(Preview).page
        assert page.text.startswith("also at 2 places:\n  .cursor/rules/b.md:1\n  .cursor/rules/c.md:1\n")


async def test_a_filter_belongs_to_its_tab_and_keeps_headings(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press("A")
        await sought(driver, "drift")
        found = list(rows(driver).items)
        # Two findings below their rule; the explanation of repeated-text names drift too, but is not a row.
        assert [row.words for row in found if row.group] == ["token-drift"]
        assert len(found) == 3
        await driver.press("right_square_bracket")
        assert rows(driver).count > 20
        await sought(driver, "incident")
        headings = [row for row in rows(driver).items if row.group]
        assert headings
        for row in rows(driver).items:
            assert row.group or any(heading.group in row.within for heading in headings)
        await driver.press("left_square_bracket")
        assert list(rows(driver).items) == found
        await driver.press("right_square_bracket", "escape")
        assert isinstance(driver.app.screen, Audit)
        every = [row for row in rows(driver).items if row.within == ("claude-code",)]
        await sought(driver, "Claude Code")
        # All rows below its heading, and rows of others that say so, below theirs.
        kept = list(rows(driver).items)
        assert [row for row in kept if row.within == ("claude-code",)] == every
        assert {row.within for row in kept if row.within} == {(row.group,) for row in kept if row.group}


async def test_rows_of_an_agent_are_in_the_order_of_moments(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press(*to("agents"))
        by_agent: dict[tuple[str, ...], list[str]] = {}
        for row in rows(driver).items:
            moment = row.left[0][0].strip()
            if row.within and row.name[0]:
                by_agent.setdefault(row.within, []).append(moment)
        assert len(by_agent) > 3
        for moments in by_agent.values():
            assert moments == sorted(moments, key=MOMENTS.index)


@pytest.mark.parametrize(("name", "begins"), [("out.md", "#"), ("out.json", "{"), ("out.sarif", "{")])
async def test_the_report_is_written_in_the_format_of_its_name(
    sample: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, begins: str
) -> None:
    monkeypatch.chdir(tmp_path)
    async with run(sample) as driver:
        await driver.press("A")
        await answer(driver, "e", "out.txt")
        assert "end the name with .md, .json or .sarif" in dialog_text(driver)
        await driver.press("escape")
        await answer(driver, "e", name)
        await driver.settle()
        text = (tmp_path / name).read_text()
        assert text.startswith(begins)
        assert name.endswith("md") or json.loads(text)
        (tmp_path / name).write_text("mine")
        await answer(driver, "e", name)
        await driver.settle()
        assert "already exists. Overwrite it?" in driver.text()
        await driver.press("n")
        assert (tmp_path / name).read_text() == "mine"
        assert messages(driver).count("wrote 19 findings") == 1


@pytest.mark.parametrize(("keys", "name"), [("A", "audit.md"), ("space", "context.md")])
async def test_a_link_that_leads_out_is_followed_only_by_y(
    sample: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: str, name: str
) -> None:
    monkeypatch.chdir(sample)
    (sample / name).symlink_to(tmp_path / "keys")
    async with run(sample) as driver:
        await driver.press(keys, "e", "enter")
        assert "Write there?" in driver.text()
        await driver.press("n")
        assert not (tmp_path / "keys").exists()
        assert "wrote" not in messages(driver)
        await driver.press("e", "enter", "y")
        assert (tmp_path / "keys").read_text()
        assert "wrote" in messages(driver)


async def test_what_if_offers_the_files_of_the_project(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press("A", "w", *"api !auth src")
        assert "src/api/orders.py" in driver.text()
        assert "src/api/auth.py" not in driver.text()
        await driver.press("enter")
        await driver.settle()
        assert "when an agent touches src/api/orders.py" in driver.text()
        # A click on an agent closes it, as enter does.
        await sought(driver, "api.md")
        assert rows(driver).count == 5
        await driver.press("escape")
        count = rows(driver).count
        await click(driver, "Claude Code")
        assert rows(driver).count < count
        await click(driver, "Claude Code")
        assert rows(driver).count == count


async def test_changes_since_a_branch_are_shown(tmp_path: Path, run: Run) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": "# Rules\n\n[old](lost.md)\n", "docs/a.md": "# A\n"}, "begin")
    repo.git("branch", "-M", "main")
    repo.git("checkout", "-q", "-b", "work")
    repo.commit(
        {
            "AGENTS.md": "# Rules, and more of them\n",
            ".cursor/rules/b.mdc": "---\nalwaysApply: true\n---\n[new](gone.md)\n",
        },
        "change",
    )
    async with run(repo.root) as driver:
        await driver.press(*to("changes"))
        text = driver.text()
        assert "since main (" in text
        assert "AGENTS.md" in text
        new = [row for row in rows(driver).items if row.within == ("New findings",) and "gone.md" in row.text]
        assert [(row.path, row.line) for row in new] == [(".cursor/rules/b.mdc", 4)]
        gone = [row for row in rows(driver).items if row.within == ("Findings that are gone",)]
        assert ["lost.md" in row.text for row in gone] == [True]
        assert gone[0].path is None
        await driver.press("C", *"work", "enter")
        await driver.settle()
        assert "since work (" in driver.text()
        assert "nothing changed" in driver.text()


async def test_without_a_repository_changes_say_so(project: Project, run: Run) -> None:
    async with run(make(project)) as driver:
        await driver.press(*to("changes"))
        assert "not in a git repository" in driver.text()
        await driver.press("C")
        assert "not in a git repository" in messages(driver)


async def test_the_editor_opens_at_the_line(project: Project, run: Run, tmp_path: Path) -> None:
    root, said = make(project), tmp_path / "said"
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\necho "$@" > {said}\n')
    editor.chmod(0o755)
    async with run(root, editor=str(editor)) as driver:
        driver.app.suspend = driver.app.batch_update  # type: ignore[method-assign,assignment]
        await driver.press("A")
        await sought(driver, "lost")
        await driver.press("E")
        await driver.settle()
        assert said.read_text() == f"+5 {root.resolve() / 'CLAUDE.md'}\n"
        assert {row.path for row in rows(driver).items} == {"CLAUDE.md"}


_NAMES = st.text("ab/.", min_size=1, max_size=40)


@given(
    st.lists(st.tuples(_NAMES, st.text("xyz ", max_size=30), st.none() | st.floats(0, 1)), min_size=1, max_size=6),
    st.integers(20, 200),
)
def test_rows_fit_and_the_end_of_a_name_shows(cells: list[tuple[str, str, float | None]], width: int) -> None:
    some = [
        AuditRow((("  ", ""),), ((f"{1:>6}", ""),), name=(name, ""), more=((more, ""),) if more else (), share=share)
        for name, more, share in cells
    ]
    longest = longest_names(some)
    begins = set()
    for row in some:
        left, right = drawn(row, width, longest)
        assert left[1][0].strip()[-1:] == row.name[0][-1:]
        if row.share is not None:
            begins.add(sum(cell_len(cell[0]) for cell in left[:3]))
        if row.share is not None and not row.more:
            assert sum(cell_len(cell[0]) for cell in (*left, *right)) == width - 1
    assert len(begins) <= 1


def test_the_largest_bar_fills_its_room() -> None:
    some = [
        AuditRow((), ((" 9", ""),), name=(name, ""), share=share) for name, share in (("all", 1.0), ("half", 0.5))
    ]
    bars = [drawn(row, 60, longest_names(some))[0][-1][0] for row in some]
    assert bars[0] == "█" * len(bars[0])
    assert len(bars[0]) == len(bars[1]) > 40
    assert bars[1].count("█") == len(bars[0]) // 2


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=12), st.booleans())
def test_sorting_keeps_rows_below_their_headings(made: list[tuple[int, int]], is_open: bool) -> None:
    some = [AuditRow(((str(n), ""),), tokens=n, group=str(n), is_open=is_open, words=str(n)) for n in range(3)]
    some += [AuditRow(((f"{n}", ""),), tokens=n, within=(str(group),)) for group, n in made]
    ordered = by_tokens(some)
    assert sorted(map(id, ordered)) == sorted(map(id, some))
    heading = ""
    for row in ordered:
        heading = row.group or heading
        assert row.group or row.within == (heading,)
    assert len(Folds().kept(some, "")) == (len(some) if is_open else 3)
