"""The Audit screen at work: rules that fold, the preview of a finding, its keys, changes, filters and clicks."""

import json
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxtui import Workspace
from ctxtui.audit.slim.known_saving import known_saving
from ctxtui.tui.audit.finding_rows import NOTES, PROBLEMS
from ctxtui.tui.audit.tabs import audit_project
from ctxtui.tui.screens.audit import Audit
from ctxtui.tui.widgets.fold_rows import FoldRows, Row, by_tokens, drawn, longest_names
from ctxtui.tui.widgets.preview import Preview
from tests.audit.repositories import Repo
from tests.conftest import Project
from tests.tui.acting import answer, click, dialog_text, listed, paste, to_row, to_view, told_text
from tests.tui.conftest import Driver, Run


async def sought(driver: Driver, words: str) -> None:
    await driver.press("slash")
    await paste(driver, words)
    await driver.press("enter")


def make(project: Project) -> Path:
    """A project with a rule that has two errors, and one with two warnings."""
    rules = "# Rules\n\nOne.\n\n[a](lost.md)\n\n@nil.md\n\n@none.md\n"
    config = '[rules]\nbroken-link = "error"\n'
    return project({"CLAUDE.md": rules, "docs/CLAUDE.md": "# More\n\n[b](gone.md)\n", "ctxtui.toml": config})


async def test_many_findings_of_a_rule_are_folded(project: Project, run: Run) -> None:
    root = make(project)
    (root / "CLAUDE.md").write_text("".join(f"@gone{number}.md\n\n" for number in range(4)))
    async with run(root) as driver:
        await driver.press("A")
        (group,) = [row for row in listed(driver).items if row.words == "broken-import"]
        assert "▸ △ 4 × broken-import: Imports that are missing" in driver.text()
        place, count = listed(driver).items.index(group), listed(driver).count
        listed(driver).move(place)
        await driver.press("right")
        assert listed(driver).count == count + 4
        await driver.press("j", "j", "left")
        assert (listed(driver).count, listed(driver).cursor) == (count, place)
        await driver.press("enter")
        assert listed(driver).count == count + 4
        await driver.press("enter")
        assert listed(driver).count == count
        assert isinstance(driver.app.screen, Audit)


async def test_the_whole_sentence_of_a_finding_is_on_the_screen(sample: Path, run: Run) -> None:
    report = audit_project(Workspace.open(sample).session())
    async with run(sample) as driver:
        await driver.press("A")
        for size, finding in product(((160, 45), (100, 30), (60, 20)), report.adviser.ranked(report.findings)[:6]):
            await driver.resize(*size)
            await to_row(driver, lambda row, finding=finding: row.finding == finding)
            columns = listed(driver).scrollable_content_region.width
            text = " ".join(" ".join(line[:columns] for line in driver.text().splitlines()).replace("▸", " ").split())
            advice = report.adviser.on(finding)
            for told in (advice.fact[1:], advice.cost, advice.remedy):
                assert "".join(told.split()) in "".join(text.split()), (finding, size)


async def test_errors_come_first_and_a_filter_belongs_to_its_tab_and_keeps_headings(driver: Driver) -> None:
    await driver.press("A")
    shown = list(listed(driver).items)
    severities = [row.finding.severity for row in shown if row.finding]
    errors = severities.count("error")
    assert severities[:errors] == ["error"] * errors != []
    assert shown[-1].words == NOTES
    await driver.press("G")
    assert "3 notes: " in driver.text()
    await driver.press("right")
    told = {row.finding.rule for row in listed(driver).items[-3:] if row.finding}
    assert told == {"blob", "repeated-text", "dead-glob"}
    await sought(driver, "drift")
    found = list(listed(driver).items)
    assert [row.finding.rule for row in found if row.finding] == ["token-drift"] * 2
    await driver.press("right_square_bracket")
    assert listed(driver).count > 5
    await sought(driver, "incident")
    headings = [row for row in listed(driver).items if row.group]
    assert headings
    for row in listed(driver).items:
        assert row.group or any(heading.group in row.within for heading in headings)
    await driver.press("left_square_bracket")
    assert list(listed(driver).items) == found
    await driver.press("right_square_bracket", "escape")
    assert isinstance(driver.app.screen, Audit)
    every = [row for row in driver.app.screen.all_rows if row.within == ("claude-code",)]
    await sought(driver, "Claude Code")
    # All rows below its heading, and rows of others that say so, below theirs.
    kept = list(listed(driver).items)
    assert [row for row in kept if row.within == ("claude-code",)] == every
    assert {row.within for row in kept if row.within} == {(row.group,) for row in kept if row.group}


async def test_what_can_be_saved_is_a_group_with_diffs(project: Project, run: Run) -> None:
    text = "".join(f"Line {number} says something of its own.\n" for number in range(100))
    root = project(dict.fromkeys(("AGENTS.md", "CLAUDE.md", ".cursor/rules/a.mdc"), text))
    workspace = Workspace.open(root)
    saving = known_saving(workspace, audit_project(workspace.session()))
    async with run(root) as driver:
        await driver.press("A")
        together = f"{saving.tokens:,} of {saving.before:,} tokens at the start of {saving.name}"
        assert together in listed(driver).items[0].told[0].text
        await driver.press("g", "right", "down")
        change = listed(driver).current.change
        best = change.saved[0]
        alone = f"save up to {best.tokens:,} of {best.before:,} tokens at the start of {best.name}"
        assert alone in listed(driver).items[0].told[0].text
        assert f"saves {change.saved[0].name}" in driver.text()
        assert driver.app.screen.query_one(Preview).page.text.startswith("--- ")


async def test_problems_of_reading_are_counted_once_and_everywhere(project: Project, run: Run) -> None:
    files = {f"bad{n}.md": b"# Bad \xff\n" for n in range(4)}
    # A rule tells of this one, too.
    rejected = {".context/a.md": "---\ntags: [a\n---\n# A\n"}
    root = project({**files, **rejected, "CLAUDE.md": "@gone.md\n", "x.png": b"\x89PNG\0"})
    async with run(root, audits=True) as driver:
        desk = driver.screen.desk
        told = [each for each in desk.findings.report.findings if each.is_problem]
        assert {each.code for each in desk.notices} == {"invalid-text", "frontmatter-yaml", "binary-files"}
        assert [each.rule for each in told].count("invalid-text") == 4
        assert "frontmatter-yaml" not in {each.rule for each in told}
        assert f"{len(told)} problems" in driver.text()
        assert sum(sum(each) for each in desk.findings.facts.by_path.values()) == len(told)
        await driver.press("P")
        assert driver.text().split("\n")[0].endswith(f" {len(told)} problems")
        assert "1 binary file is not listed" in driver.text()
        assert listed(driver).current.words == PROBLEMS
        await driver.press("down", "right", "down", "enter")
        # The configuration ignores findings of rules only.
        assert "ignore " not in driver.text()
        await driver.press(*"go", "enter")
        assert driver.screen.context_tree.current.id.startswith("bad")


@pytest.mark.parametrize(("above", "shown"), [(30, "▶   31 [a](gone.md)"), (100_000, "▶100001 [a](gone.md)")])
async def test_a_preview_shows_the_line_of_its_finding_in_a_low_screen(
    above: int, shown: str, project: Project, run: Run
) -> None:
    async with run(project({"AGENTS.md": "\n" * above + "[a](gone.md)\n"}), (80, 24)) as driver:
        await driver.press("A")
        await sought(driver, "gone")
        assert shown in driver.text()


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
        await driver.resize(100, 40)
        assert preview.region.y > listed(driver).region.y
        assert "▶    5 [a](lost.md)" in driver.text()
        await driver.resize(80, 18)
        assert "▶" not in driver.text()


async def test_other_places_of_a_finding_are_listed(project: Project, run: Run) -> None:
    rules = {f".cursor/rules/{name}.md": f"# {name}\n" for name in "abc"}
    async with run(project(rules | {".cursor/rules/one.mdc": "---\nalwaysApply: true\n---\n# One\n"})) as driver:
        await driver.press("A")
        await sought(driver, "never")
        page = driver.app.screen.query_one(Preview).page
        assert page.text.startswith("also at 2 places:\n  .cursor/rules/b.md:1\n  .cursor/rules/c.md:1\n")


async def test_the_report_is_written_in_the_format_of_its_name(driver: Driver, here: Path) -> None:
    await driver.press("A")
    await answer(driver, "e", "out.txt")
    assert "end the name with .md, .json or .sarif" in dialog_text(driver)
    await driver.press("escape")
    for name, begins in (("out.md", "#"), ("out.json", "{"), ("out.sarif", "{")):
        await answer(driver, "e", name)
        text = (here / name).read_text()
        assert text.startswith(begins)
        assert name.endswith("md") or json.loads(text)
    assert told_text(driver).count("wrote 19 findings") == 3
    (here / name).write_text("mine")
    await answer(driver, "e", name)
    assert "already exists. Overwrite it?" in driver.text()
    await driver.press("n")
    assert (here / name).read_text() == "mine"


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
        assert "wrote" not in told_text(driver)
        await driver.press("e", "enter", "y")
        assert (tmp_path / "keys").read_text()
        assert "wrote" in told_text(driver)


async def test_what_if_offers_the_files_of_the_project(driver: Driver) -> None:
    await driver.press(*to_view("touch"), "enter", *"api !auth src")
    assert "src/api/orders.py" in driver.text()
    assert "src/api/auth.py" not in driver.text()
    await driver.press("enter")
    assert "when an agent touches src/api/orders.py" in driver.text()
    assert ".claude/rules/api.md" in driver.text()
    # A click on an agent closes it, as enter does.
    await sought(driver, "api.md")
    assert listed(driver).count == 5
    await driver.press("escape")
    count = listed(driver).count
    await click(driver, "Claude Code")
    assert listed(driver).count < count
    await click(driver, "Claude Code")
    assert listed(driver).count == count
    await driver.press("escape", *to_view("touch"), "enter", *["backspace"] * 30, *"new.zzz", "enter")
    assert "new.zzz does not exist; this is what agents would read if it did" in driver.text()
    assert "no agent reads more when new.zzz is touched" in driver.text()


async def test_changes_since_a_branch_are_shown(tmp_path: Path, run: Run) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": "# Rules\n\n[old](lost.md)\n", "docs/a.md": "# A\n"}, "begin")
    repo.git("branch", "-M", "main")
    repo.git("checkout", "-q", "-b", "work")
    rule = "---\nalwaysApply: true\n---\n[new](gone.md)\n"
    repo.commit({"AGENTS.md": "# Rules, and more of them\n", ".cursor/rules/b.mdc": rule}, "change")
    async with run(repo.root) as driver:
        await driver.press(*to_view("changes"))
        text = driver.text()
        assert "since main (" in text
        assert "AGENTS.md" in text
        new = [row for row in listed(driver).items if row.within == ("New findings",) and "gone.md" in row.text]
        assert [(row.path, row.line) for row in new] == [(".cursor/rules/b.mdc", 4)]
        gone = [row for row in listed(driver).items if row.within == ("Findings that are gone",)]
        assert ["lost.md" in row.text for row in gone] == [True]
        assert gone[0].path is None
        await driver.press("right_square_bracket", "C", "escape")
        assert "[Findings]" in driver.text()
        await driver.press("C", *"work", "enter")
        assert "since work (" in driver.text()
        assert "nothing changed" in driver.text()


async def test_the_editor_opens_at_the_line(project: Project, run: Run, tmp_path: Path) -> None:
    root, said = make(project), tmp_path / "said"
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\necho "$@" >> {said}\n')
    editor.chmod(0o755)
    async with run(root, editor=str(editor)) as driver:
        driver.app.suspend = driver.app.batch_update  # type: ignore[method-assign,assignment]
        await driver.press("A")
        await sought(driver, "lost")
        await driver.press("E")
        assert {row.path for row in listed(driver).items} == {"CLAUDE.md"}
        # Also the file under the cursor of a picture.
        await driver.press("escape", "escape", *to_view("matrix"), "E", "down", "E")
    files = [("+5", "CLAUDE.md"), ("+1", "CLAUDE.md"), ("+1", "docs/CLAUDE.md")]
    assert said.read_text() == "".join(f"{line} {root.resolve() / name}\n" for line, name in files)


async def test_a_command_of_an_editor_that_no_shell_reads_is_told(project: Project, run: Run) -> None:
    async with run(make(project), editor="vi '") as driver:
        await driver.press("E")
        assert "your editor vi ' cannot be read as a command: No closing quotation" in told_text(driver)


_NAMES = st.text("ab/.", min_size=1, max_size=40)


@given(
    st.lists(st.tuples(_NAMES, st.text("xyz ", max_size=30), st.none() | st.floats(0, 1)), min_size=1, max_size=6),
    st.integers(20, 200),
)
def test_rows_fit_and_the_end_of_a_name_shows(cells: list[tuple[str, str, float | None]], width: int) -> None:
    some = [
        Row((("  ", ""),), ((f"{1:>6}", ""),), name=(name, ""), more=((more, ""),) if more else (), share=share)
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
    some = [Row((), ((" 9", ""),), name=(name, ""), share=share) for name, share in (("all", 1), ("half", 0.5))]
    bars = [drawn(row, 60, longest_names(some))[0][-1][0] for row in some]
    assert bars[0] == "█" * len(bars[0])
    assert len(bars[0]) == len(bars[1]) > 40
    assert bars[1].count("█") == len(bars[0]) // 2


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=12), st.booleans())
def test_sorting_keeps_rows_below_their_headings(made: list[tuple[int, int]], is_open: bool) -> None:
    some = [Row(((str(n), ""),), tokens=n, group=str(n), is_open=is_open, words=str(n)) for n in range(3)]
    some += [Row(((f"{n}", ""),), tokens=n, within=(str(group),)) for group, n in made]
    ordered = by_tokens(some)
    assert sorted(map(id, ordered)) == sorted(map(id, some))
    heading = ""
    for row in ordered:
        heading = row.group or heading
        assert row.group or row.within == (heading,)
    rows = FoldRows(id="rows")
    rows.all = some
    assert len(rows.kept()) == (len(some) if is_open else 3)
