"""The Audit screen: its tabs, going to a finding, a fix seen as a diff, written and taken back."""

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxtui.agents import audit_agents
from ctxtui.agents.project.paths import Index
from ctxtui.agents.types import MOMENTS
from ctxtui.audit.history.history import histories
from ctxtui.core.text.data.toml import load_toml
from ctxtui.tui.keys.commands import VIEWS
from ctxtui.tui.screens.audit import Audit
from ctxtui.tui.widgets.rows import ItemRows
from tests.audit.repositories import Repo
from tests.audit.transcripts import Home, answer, instructions, said, skill_listing
from tests.audit.weigh_helpers import entry, in_home, usual
from tests.conftest import Project
from tests.tui.acting import dialog_text, is_unharmed, listed, picked, to_row, to_view, told_text
from tests.tui.conftest import Driver, Run


@pytest.mark.parametrize("size", [(160, 45), pytest.param((80, 24), marks=pytest.mark.heavy)])
async def test_every_view_shows_something(sample: Path, run: Run, size: tuple[int, int]) -> None:
    expected = {
        "findings": "what looks like a credential",
        "starts": "▸ Claude Code",
        "matrix": "codex",
        "touch": "enter asks which file an agent touches",
        "servers": "no agent here starts an MCP server",
        "logs": "enter reads your own transcripts",
        "map": ".context",
        "totals": "By source",
        "history": "not in a git repository",
        "changes": "not in a git repository",
    }
    async with run(sample, size) as driver:
        await driver.press("A")
        for tab, views in VIEWS.items():
            for view in views:
                text = driver.text()
                assert f"[{tab.title()}]" in text
                assert len(views) == 1 or f"[{view}]" in text.split("\n")[1]
                assert expected[view] in text, view
                await driver.press(*["v"] * (len(views) > 1))
            await driver.press("right_square_bracket")
        await driver.press("A")
        assert driver.app.screen is driver.screen
        await driver.press("A", "slash", *"fastapi", "enter")
        await _act(driver, "go")
        assert driver.screen.context_tree.current.id == "python/fastapi_patterns#(frontmatter)"
        await driver.press(*to_view("logs"), "enter")
        assert "no starts of codex found; looked in ~/.codex/sessions" in driver.text()


async def _act(driver: Driver, name: str) -> None:
    """Choose an action on the finding under the cursor."""
    await driver.press("enter", *name, "enter")


@pytest.mark.parametrize(
    ("words", "action", "seen", "name", "old", "new"),
    [
        (
            "drift tasks",
            "set estimatedTokens to 1,656",
            ("-estimatedTokens: 600", "+estimatedTokens: 1656"),
            ".context/TASKS.md",
            "600",
            "1656",
        ),
        (
            "saves migrations",
            "tokens, after a diff",
            ('+  - "src/**"', "Could be lost: Sessions that touch no file"),
            ".claude/rules/migrations.md",
            "src/**\n",
            'src/**\npaths:\n  - "src/**"\n',
        ),
    ],
)
async def test_a_change_is_seen_written_and_taken_back(
    sample: Path, run: Run, words: str, action: str, seen: tuple[str, str], name: str, old: str, new: str
) -> None:
    file = sample / name
    before = file.read_text()
    async with run(sample) as driver:
        await driver.press("A", "slash", *words, "enter", "enter")
        # The first action is the one that mends.
        assert action in driver.text()
        await driver.press("enter")
        assert all(line in driver.text() for line in seen)
        await driver.press("n")
        assert file.read_text() == before
        await driver.press("enter", "enter", "y")
        assert file.read_text() == before.replace(old, new, 1)
        assert f"wrote {name}" in told_text(driver)
        assert listed(driver).items == []
        await driver.press("u")
        assert file.read_text() == before
        assert f"wrote {name}" not in driver.text()
        # A file that somebody else changed meanwhile is not written.
        await driver.press("enter", "enter")
        file.write_text("# Others wrote this\n")
        await driver.press("y")
        assert file.read_text() == "# Others wrote this\n"


async def test_all_numbers_are_corrected_at_once_and_rows_are_sorted_and_back(driver: Driver) -> None:
    await driver.press("A", "slash", *"drift tasks", "enter")
    await _act(driver, "all")
    assert driver.text().count("+++ ") == 2
    await driver.press("y", "escape")
    assert "token-drift" not in driver.text()
    await driver.press("right_square_bracket")
    by_agent: dict[tuple[str, ...], list[str]] = {}
    assert isinstance(driver.app.screen, Audit)
    for row in driver.app.screen.all_rows:
        if row.within and row.name[0]:
            by_agent.setdefault(row.within, []).append(row.left[0][0].strip())
    assert len(by_agent) > 3
    for moments in by_agent.values():
        assert moments == sorted(moments, key=MOMENTS.index)
    await driver.press("G", "enter")
    before = list(listed(driver).items)
    await driver.press("t")
    rows = list(listed(driver).items)
    agents = [row for row in rows if row.group]
    assert len(agents) > 3
    assert [row.tokens for row in agents] == sorted((row.tokens for row in agents), reverse=True)
    place = rows.index(agents[-1]) + 1
    within = [row for row in rows if agents[-1].group in row.within]
    assert rows[place : place + len(within)] == within
    assert [row.tokens for row in within if row.is_leaf] == sorted((row.tokens for row in within), reverse=True)
    assert rows != before
    await driver.press("t")
    assert list(listed(driver).items) == before


async def test_files_are_renamed_as_the_remedy_says_and_an_undo_leads_back(project: Project, run: Run) -> None:
    rules = {f".cursor/rules/{name}.md": f"About {name}.\n" for name in ("a", "b")}
    others = {".cursor/rules/c.mdc": "---\nalwaysApply: true\n---\nC.\n", "AGENTS.md": "See [x](gone.md).\n"}
    root = project(rules | others)
    async with run(root) as driver:
        await driver.press("A")
        await to_row(driver, lambda row: row.finding and row.finding.rule == "never-loaded")
        row = listed(driver).current
        await driver.press("enter")
        assert "rename each to end in .mdc" in driver.text()
        assert "git mv .cursor/rules/a.md .cursor/rules/a.mdc" in driver.text()
        await driver.press("enter", "y")
        assert sorted(path.name for path in (root / ".cursor/rules").iterdir()) == ["a.mdc", "b.mdc", "c.mdc"]
        assert row not in listed(driver).items
        await driver.press("u")
        assert {path: (root / path).read_text() for path in rules} == rules
        assert listed(driver).current == row
        # Messages leave the detail.
        detail = driver.app.screen.query_one("#detail")
        assert driver.app.screen.query_one("#textual-toastrack").region.bottom <= detail.region.y


async def test_a_finding_is_copied(sample: Path, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CTXTUI_CLIPBOARD", "osc52")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("ctxtui.session.delivery.clipboard._write_tty", lambda _sequence: None)
    async with run(sample) as driver:
        await driver.press("A", "slash", *"drift tasks", "enter", "y")
        text = next(tmp_path.rglob("clipboard.txt")).read_text()
        assert text.startswith(".context/TASKS.md:4: declares 600 tokens and has 1,656 (+176 %)\n")
        assert "Remedy: set estimatedTokens to 1,656" in text


async def test_a_finding_is_ignored_with_a_reason_and_taken_back(project: Project, run: Run) -> None:
    root = project({"CLAUDE.md": "@gone.md\n", "docs/CLAUDE.md": "[x](lost.md)\n"})
    config = root / "ctxtui.toml"
    async with run(root) as driver:
        await driver.press("A", "slash", *"gone", "enter")
        await _act(driver, "ignore")
        await driver.press("enter")
        assert "an ignore needs a reason" in dialog_text(driver)
        await driver.press(*"soon", "enter")
        for line in ("+++ b/ctxtui.toml", '+rules = ["broken-import"]', '+paths = ["CLAUDE.md"]', '+reason = "soon"'):
            assert line in driver.text()
        await driver.press("n")
        assert not config.exists()
        await _act(driver, "ignore")
        await driver.press(*"soon", "enter", "y")
        entry = {"rules": ["broken-import"], "paths": ["CLAUDE.md"], "reason": "soon"}
        assert load_toml(config.read_text()) == {"rules": {"ignore": [entry]}}
        assert listed(driver).items == []
        assert "1 ignored" in driver.text()
        await driver.press("u")
        assert not config.exists()
        assert [row.finding.path for row in listed(driver).items] == ["CLAUDE.md"]
        assert "ignored" not in driver.text()


async def test_an_ignore_says_what_it_leaves_out_and_stays_if_others_changed_it(project: Project, run: Run) -> None:
    root = project({"CLAUDE.md": "@gone.md\n\n@lost.md\n"})
    async with run(root) as driver:
        await driver.press("A", "slash", *"broken", "enter")
        await _act(driver, "ignore")
        await driver.press("x", "enter")
        assert "This also ignores 1 other finding of broken-import." in driver.text()
        await driver.press("y")
        (root / "ctxtui.toml").write_text("# Others wrote this\n")
        await driver.press("u")
        assert "ctxtui.toml has changed since" in told_text(driver)
    assert (root / "ctxtui.toml").read_text() == "# Others wrote this\n"


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        ('[rules]\nignore = [{paths = ["x"], reason = "y"}]\n', "cannot add an entry at the end of ctxtui.toml"),
        ("[rules\n", "ctxtui.toml"),
    ],
)
async def test_what_cannot_be_ignored_is_told(project: Project, run: Run, config: str, complaint: str) -> None:
    root = project({"AGENTS.md": "[x](gone.md)\n"})
    async with run(root) as driver:
        await driver.press("A")
        (root / "ctxtui.toml").write_text(config)
        await _act(driver, "ignore")
        await driver.press("x", "enter")
        assert complaint in told_text(driver)
        assert is_unharmed(driver)
    assert (root / "ctxtui.toml").read_text() == config


async def test_a_long_diff_is_scrolled_before_it_is_confirmed(project: Project, run: Run) -> None:
    lines = "".join(f"Line {number} has the number {number * 7} in it.\n" for number in range(80))
    twins = dict.fromkeys(("AGENTS.md", "CLAUDE.md"), f"# Same\n\n{lines}")
    root = project({**twins, ".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nBe kind.\n"})
    async with run(root, (80, 24)) as driver:
        await driver.press("A", "slash", *"saves", "enter", "enter", "enter")
        assert "-Line 79 has" not in driver.text()
        await driver.press("G")
        assert "-Line 79 has" in driver.text()
        assert "y yes" in driver.text()
        await driver.press("y")
        assert (root / "CLAUDE.md").read_text() == "@AGENTS.md\n"


async def test_limits_that_cannot_be_read_are_told(sample: Path, run: Run) -> None:
    (sample / "ctxtui.toml").write_text("[limits]\ntotl = 3\n")
    async with run(sample) as driver:
        await driver.press("A")
        assert "unknown key `totl`" in driver.text()


async def test_the_longest_start_leads_to_the_agents_in_the_folder_that_is_chosen(project: Project, run: Run) -> None:
    files = {"AGENTS.md": "# Rules\n", "pkg/AGENTS.md": "# Rules of the package\n", "pkg/x.py": ""}
    async with run(project({".git/HEAD": "ref: refs/heads/main\n", **files})) as driver:
        text = " ".join(driver.text().replace("│", " ").split())
        assert "longest start: OpenAI Codex in pkg/, 288% more instructions than at the root" in text
        rows = driver.screen.view.start
        await driver.press("3")
        rows.move(next(place for place, row in enumerate(rows.items) if row.text.startswith("longest start")))
        await driver.press("enter")
        screen = driver.app.screen
        assert isinstance(screen, Audit)
        assert (screen.tab, screen.view) == ("agents", "starts")
        assert "OpenAI Codex" in driver.text()
        await driver.press("W", *"gone", "enter")
        assert "there is no folder gone" in driver.text()
        await driver.press(*["backspace"] * 4, *"pkg", "enter")
        assert "Audit in pkg/" in driver.text()
        assert "pkg/AGENTS.md" in driver.text()
        await driver.press("escape")
        assert "What agents load at the start in pkg/" in driver.text()
        await driver.press("3")
        rows.move(next(place for place, row in enumerate(rows.items) if row.start))
        await driver.press("enter")
        assert picked(driver) == ["AGENTS.md", "pkg/AGENTS.md"]


@pytest.mark.parametrize("size", [(160, 45), pytest.param((80, 24), marks=pytest.mark.heavy)])
async def test_files_at_home_are_counted_on_request(project: Project, run: Run, size: tuple[int, int]) -> None:
    (Path.home() / ".claude").mkdir()
    (Path.home() / ".claude/CLAUDE.md").write_text("# How I work\n")
    async with run(project({"CLAUDE.md": "# Rules\n"}), size) as driver:
        await driver.press("3", "right")
        assert "not counted: system prompt and tools, your" in driver.text()
        await driver.press("tilde")
        assert "of which 5 from your home folder" in driver.text()
        assert not any(each.path.startswith("~") for each in driver.screen.desk.session.workspace.references)
        await driver.press("enter")
        assert "~/.claude/CLAUDE.md 5 (your own, at home)" in told_text(driver)
        assert picked(driver) == ["CLAUDE.md"]
        await driver.press("A", "right_square_bracket")
        assert "~/.claude/CLAUDE.md" in driver.text()
        await driver.press("tilde")
        assert "from your home folder" not in driver.text()
        await driver.press("tilde")
        await to_row(driver, lambda row: row.path == "~/.claude/CLAUDE.md")
        await driver.press("enter")
        assert "~/.claude/CLAUDE.md is not a context file of this project" in told_text(driver)


async def test_weighing_asks_shows_and_lists(project: Project, run: Run) -> None:
    root = project({"CLAUDE.md": "x", ".mcp.json": usual(small=entry("mark"))})
    mark = root / "mark"
    (root / ".mcp.json").write_text(usual(small=entry("mark", str(mark), env={"API_TOKEN": "${HOME}"})))
    async with run(root) as driver:
        await driver.press(*to_view("servers"), "enter")
        assert "small  .mcp.json:3" in driver.text()
        await driver.press("enter")
        for part in ("Weighing starts this program", "gets      API_TOKEN", "reads     HOME", "digest"):
            assert part in driver.text()
        await driver.press("n")
        assert not mark.exists()
        await driver.press("enter", "enter", "y")
        assert mark.exists()
        assert "[servers]" in driver.text()
        assert "2 tools  weighed" in driver.text()
        assert "claude-code  start ≈" in driver.text()
        # The answer is kept: the next time nothing is asked.
        mark.unlink()
        await driver.press("g", "enter", "enter")
        assert mark.exists()


async def test_weighing_looks_at_home_only_if_asked(project: Project, run: Run) -> None:
    in_home({".claude.json": usual(mine=entry())})
    async with run(project({"CLAUDE.md": "x"})) as driver:
        await driver.press(*to_view("servers"))
        assert "no agent here starts an MCP server" in driver.text()
        await driver.press("enter", "enter")
        assert "~/.claude.json:3" in driver.text()


async def test_what_does_not_fit_a_dialog_is_not_asked(project: Project, run: Run) -> None:
    root = project({"CLAUDE.md": "x", ".mcp.json": usual(small=entry("good", *map(str, range(500))))})
    async with run(root, (80, 24)) as driver:
        await driver.press(*to_view("servers"), "enter", "enter")
        assert "ctxtui audit --weigh-mcp small shows it" in told_text(driver)
        assert "Start it?" not in driver.text()


async def test_the_history_folds_commits_that_change_nothing(tmp_path: Path, run: Run) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": "One.\n"}, "begin")
    for number in range(3):
        repo.commit({"x.py": f"{number}\n"}, "code")
    repo.commit({"AGENTS.md": "One, two.\n"}, "grow")
    async with run(repo.root) as driver:
        await driver.press(*to_view("totals"))
        assert "By source" in driver.text()
        await driver.key("right_square_bracket")
        assert listed(driver).items == [], "the rows of another view"
        await driver.settle()
        rows = [row.text.split() for row in listed(driver).items]
        assert rows[0][-1] == "grow"
        assert rows[1] == ["3", "commits", "without", "change"]
        assert rows[2][-1] == "begin"
        assert "3 commits without change" in driver.text()


async def test_the_history_says_what_it_leaves_out(tmp_path: Path, run: Run) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"CLAUDE.md": "Of all.\n", "app/CLAUDE.md": "Of the app.\n"}, "begin")
    async with run(repo.root / "app") as driver:
        await driver.press(*to_view("history"))
        rows = [row.text for row in listed(driver).items]
        assert rows[0].startswith("starts in the history leave out 1 file above this folder (../CLAUDE.md)")
        assert rows[1].endswith("begin")


@pytest.mark.parametrize("leave", ["escape", "right_square_bracket"])
async def test_leaving_history_ends_it(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, leave: str) -> None:
    repo = Repo(tmp_path / "r")
    for number in range(4):
        repo.commit({"AGENTS.md": f"Rule {number}.\n"})
    began, go, ended = threading.Event(), threading.Event(), threading.Event()
    replayed = []

    def slow(paths: Index, *arguments: Any, **options: Any) -> Any:
        replayed.append(paths)
        if len(replayed) == 2:
            began.set()
            assert go.wait(20)
        return audit_agents(paths, *arguments, **options)

    def watched(*arguments: Any, **options: Any) -> Iterator[Any]:
        try:
            yield from histories(*arguments, **options)
        finally:
            ended.set()

    monkeypatch.setattr("ctxtui.audit.history.read_back.audit_agents", slow)
    monkeypatch.setattr("ctxtui.audit.history.read_back._AT_ONCE", 1)
    monkeypatch.setattr("ctxtui.tui.audit.tabs.histories", watched)
    async with run(repo.root) as driver:
        await driver.press("A")
        for key in to_view("history")[1:]:
            await driver.key(key)
        assert await asyncio.to_thread(began.wait, 20)
        await driver.frame()
        assert "1 of 4 commits read" in driver.text()
        await driver.key(leave)
        await driver.frame()
        go.set()
        assert await asyncio.to_thread(ended.wait, 20)
        assert len(replayed) == 2
        await driver.settle()
        assert driver.app.is_running


async def test_a_project_without_agent_files_says_so_in_every_view(project: Project, run: Run) -> None:
    async with run(project({})) as driver:
        await driver.press("A", "y", "u", "enter", "t", "E", "space", "backspace")
        assert isinstance(driver.app.screen, Audit)
    async with run(project({"a.py": "a = 1\n"})) as driver:
        for view in (each for views in VIEWS.values() for each in views):
            await driver.press(*to_view(view))
            rows = driver.app.screen.query_one("#rows", ItemRows)
            if view in ("starts", "matrix", "touch", "map", "totals"):
                assert "no agent file here: AGENTS.md, CLAUDE.md" in driver.text(), view
                assert rows.count == 0
            elif view == "findings":
                assert "nothing to mend" in driver.text()
            await driver.press("escape")


@pytest.mark.parametrize("size", [(160, 45), pytest.param((80, 24), marks=pytest.mark.heavy)])
async def test_transcripts_are_read_on_request_only(sample: Path, run: Run, size: tuple[int, int]) -> None:
    home = Home(Path(os.environ["HOME"]), sample.resolve())
    files = {home.root / "CLAUDE.md": (sample / "CLAUDE.md").read_text()}
    records = (said("hi"), instructions(files), skill_listing({"idle": "Never."}), answer((3, 9_000, 1)))
    for day in range(1, 12):
        home.claude(*records, day=day)
    async with run(sample, size) as driver:
        await driver.press(*to_view("logs"))
        assert "9,004" not in driver.text()
        await driver.press("enter")
        for words in ("claude-code  11 starts", "billed", "9,004", "missing", "docs/style.md"):
            assert words in driver.text()
        await driver.press("slash", *"unused idle", "enter")
        assert "sent in 11 starts over 10 days, used in 0" in driver.text()
        await driver.press("escape", "slash", *"equal CLAUDE", "enter", "enter")
        assert driver.app.screen is driver.screen


async def test_what_transcripts_show_unused_is_switched_off_and_on_again(sample: Path, run: Run) -> None:
    home = Home(Path(os.environ["HOME"]), sample.resolve())
    for day in range(1, 13):
        home.claude(said("hi"), skill_listing({"release-notes": "Writes."}), answer((3, 9_000, 1)), day=day)
    settings = sample / ".claude/settings.local.json"
    async with run(sample) as driver:
        await driver.press(*to_view("logs"), "enter", "slash", *"switch off", "enter", "enter")
        assert "Switch off 1 skill for Claude Code" in driver.text()
        await driver.press("enter")
        assert "called in none" in driver.text()
        await driver.press("y")
        assert "release-notes" in settings.read_text()
        assert not [row for row in listed(driver).items if row.change]
        await driver.press("u")
        assert not settings.exists()
