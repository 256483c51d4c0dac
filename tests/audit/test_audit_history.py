"""What context cost over the commits of a branch."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from platformdirs import user_cache_path

from ctxtui import Workspace
from ctxtui.agents import audit_agents
from ctxtui.audit.history.history import History, history
from ctxtui.audit.types import Settings
from ctxtui.core import get_counter
from ctxtui.core.errors import ContextError
from ctxtui.core.notices import Notice
from tests.audit.repositories import Repo

COUNTER = get_counter()
count = COUNTER.count


def _history(repo: Repo, **options: object) -> History:
    return history(repo.root, COUNTER, on_notice=lambda _: None, **options)  # type: ignore[arg-type]


def _tokens(found: History, path: str) -> list[int | None]:
    (file,) = (file for file in found.files if file.path == path)
    return [file.at(position) for position in range(len(found.commits))]


def _grown(lines: int) -> str:
    return "".join(f"Line {number} of a rule that grows.\n" for number in range(lines))


def test_tokens_of_files_sources_and_agents_over_commits(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"CLAUDE.md": _grown(1), "README.md": "plain\n", "x.py": "pass\n"}, "first")
    repo.commit({"CLAUDE.md": _grown(5), ".context/TASKS.md": "- [ ] a\n"}, "second")
    repo.commit({"x.py": "no context\n"}, "third")
    last = repo.commit({"CLAUDE.md": _grown(2), ".context/TASKS.md": None, "README.md": "plainer\n"}, "fourth")
    found = _history(repo)
    assert [each.commit.subject for each in found.commits] == ["first", "second", "third", "fourth"]
    assert found.commits[-1].commit.id == last
    assert found.commits[0].commit.author == "Ada"
    assert (found.commits[1].commit.time - found.commits[0].commit.time).total_seconds() == 3600
    assert _tokens(found, "CLAUDE.md") == [count(_grown(lines)) for lines in (1, 5, 5, 2)]
    assert _tokens(found, ".context/TASKS.md") == [None, count("- [ ] a\n"), count("- [ ] a\n"), None]
    assert [file.path for file in found.files] == [".context/TASKS.md", "CLAUDE.md", "README.md"]
    assert [each.sources for each in found.commits] == [
        {"agents": count(_grown(1)), "files": count("plain\n")},
        {"agents": count(_grown(5)), "files": count("plain\n"), ".context": count("- [ ] a\n")},
        {"agents": count(_grown(5)), "files": count("plain\n"), ".context": count("- [ ] a\n")},
        {"agents": count(_grown(2)), "files": count("plainer\n"), ".context": 0},
    ]
    assert found.commits[1].tokens == count(_grown(5)) + count("- [ ] a\n")
    starts = [each.starts["claude-code"] for each in found.commits]
    assert starts == [count(_grown(lines).rstrip()) for lines in (1, 5, 5, 2)] or starts == _tokens(
        found, "CLAUDE.md"
    )


def test_the_commits_that_made_it_grow_come_first(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": _grown(3)}, "begin")
    repo.commit({"AGENTS.md": _grown(5)}, "a little")
    repo.commit({"AGENTS.md": _grown(50)}, "much")
    repo.commit({"AGENTS.md": _grown(10)}, "saved")
    jumps = _history(repo).jumps()
    assert [(jump.commit.subject, jump.path) for jump in jumps] == [
        ("much", "AGENTS.md"),
        ("a little", "AGENTS.md"),
        ("saved", "AGENTS.md"),
    ]
    assert [jump.tokens for jump in jumps] == [
        count(_grown(50)) - count(_grown(5)),
        count(_grown(5)) - count(_grown(3)),
        count(_grown(10)) - count(_grown(50)),
    ]


def test_moves_are_followed_also_when_edited(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"CLAUDE.md": _grown(20)})
    repo.commit({"CLAUDE.md": None, "AGENTS.md": _grown(20)}, "exactly")
    repo.commit({"AGENTS.md": None, ".claude/rules/all.md": _grown(22)}, "and edited")
    found = _history(repo)
    (file,) = found.files
    assert [(step.path, step.tokens) for step in file.steps] == [
        ("CLAUDE.md", count(_grown(20))),
        ("AGENTS.md", count(_grown(20))),
        (".claude/rules/all.md", count(_grown(22))),
    ]
    assert [jump.commit.subject for jump in found.jumps()] == ["and edited"]
    assert [each.sources["agents"] for each in found.commits] == [count(_grown(lines)) for lines in (20, 20, 22)]


def test_a_plain_file_that_becomes_context_moves_between_the_sums(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"docs/rules.md": _grown(9)})
    repo.commit({"docs/rules.md": None, "AGENTS.md": _grown(9)})
    assert [each.sources for each in _history(repo).commits] == [
        {"files": count(_grown(9))},
        {"files": 0, "agents": count(_grown(9))},
    ]


def test_a_file_that_comes_back_is_the_same_file(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    for text in ("one\n", None, "one\n"):
        repo.commit({"AGENTS.md": text})
    assert _tokens(_history(repo), "AGENTS.md") == [2, None, 2]


def test_a_file_is_counted_once_however_many_links_lead_to_it(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.write({".agents/rules/base.md": _grown(4), ".agents/skills/s/SKILL.md": _grown(3)})
    (repo.root / "AGENTS.md").symlink_to(".agents/rules/base.md")
    (repo.root / ".claude").mkdir()
    (repo.root / ".claude/skills").symlink_to("../.agents/skills")
    repo.commit()
    repo.commit({".agents/rules/base.md": _grown(6), ".agents/skills/s/SKILL.md": _grown(5)})
    (repo.root / ".claude/skills").unlink()
    repo.commit({"AGENTS.md": None})
    found = _history(repo)
    assert [file.path for file in found.files] == [".agents/rules/base.md", ".agents/skills/s/SKILL.md"]
    assert _tokens(found, ".agents/rules/base.md") == [count(_grown(lines)) for lines in (4, 6, 6)]
    assert _tokens(found, ".agents/skills/s/SKILL.md") == [count(_grown(lines)) for lines in (3, 5, 5)]
    sums = [count(_grown(4)) + count(_grown(3)), *[count(_grown(6)) + count(_grown(5))] * 2]
    assert [sum(each.sources.values()) for each in found.commits] == sums


def test_a_file_that_becomes_a_link_leaves_the_sums(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": _grown(4), "CLAUDE.md": _grown(3)})
    (repo.root / "CLAUDE.md").unlink()
    (repo.root / "CLAUDE.md").symlink_to("AGENTS.md")
    repo.commit()
    found = _history(repo)
    assert _tokens(found, "CLAUDE.md") == [count(_grown(3)), None]
    assert [each.sources for each in found.commits] == [
        {"agents": count(_grown(4)) + count(_grown(3))},
        {"agents": count(_grown(4))},
    ]


def test_only_some_files_and_no_agents(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": "a\n", "docs/a.md": "b\n", "docs/b/c.md": "c\n", "docsx.md": "d\n"})
    found = _history(repo, paths=["docs/", "./AGENTS.md"])
    assert [file.path for file in found.files] == ["AGENTS.md", "docs/a.md", "docs/b/c.md"]
    assert found.commits[0].starts == {}
    assert found.commits[0].sources == {"agents": 2, "files": 4}
    assert len(_history(repo, paths=["."]).files) == 4
    assert _history(repo, paths=["doc", "docs/a"]).files == ()


def test_sources_of_now_tell_catalogs_and_entries(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"know/py/a.md": "a\n", "know/py/gone.md": "b\n"})
    repo.commit({"know/py/gone.md": None})
    found = _history(repo, sources={"know/py/a.md": "catalog"})
    assert [each.sources for each in found.commits] == [{"catalog": 4}, {"catalog": 2}]


def test_the_last_commits_only_and_their_first_is_no_jump(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    for lines in range(1, 6):
        repo.commit({"AGENTS.md": _grown(lines)}, str(lines))
    found = _history(repo, max_commits=2)
    assert [each.commit.subject for each in found.commits] == ["4", "5"]
    assert [jump.commit.subject for jump in found.jumps()] == ["5"]


def test_a_shallow_clone_says_where_its_history_begins(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    for lines in range(1, 4):
        repo.commit({"AGENTS.md": _grown(lines)})
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth=2", f"file://{repo.root}", str(clone)], check=True)
    notices: list[Notice] = []
    found = history(clone, COUNTER, on_notice=notices.append)
    assert [notice.code for notice in notices] == ["shallow-history"]
    assert tuple(notices) == found.notices
    assert _tokens(found, "AGENTS.md") == [count(_grown(2)), count(_grown(3))]


def test_no_commits_and_a_folder_that_no_commit_touched(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    with pytest.raises(ContextError, match="no commits yet"):
        _history(repo)
    repo.commit({"a.md": "x"})
    (repo.root / "sub").mkdir()
    assert history(repo.root / "sub", COUNTER) == History()


def test_merges_count_where_they_came_in(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": _grown(1)})
    repo.git("checkout", "-q", "-b", "side")
    for lines in (2, 3):
        repo.commit({"AGENTS.md": _grown(lines)}, "on the side")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "merged", "side")
    assert [(jump.commit.subject, jump.after) for jump in _history(repo).jumps()] == [("merged", count(_grown(3)))]


def test_hostile_subjects_are_shown_as_text(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": "x\n"}, "red\x1b[31m and \u202eback")
    assert _history(repo).commits[0].commit.subject == "red\u241b[31m and \ufffdback"


def test_binary_and_unreadable_contents_are_no_texts(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    (repo.root / os.fsdecode(b"\xff.md")).write_text("x")
    repo.commit({"AGENTS.md": b"\0\0binary", "b.md": b"bad \xff text\n"})
    for _ in range(2):
        found = _history(repo)
        assert _tokens(found, "AGENTS.md") == [None]
        assert _tokens(found, "b.md") == [count("bad \ufffd text\n")]
        assert [file.path for file in found.files] == ["AGENTS.md", "b.md"]


def test_a_second_look_counts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Repo(tmp_path / "r")
    for lines in range(1, 6):
        repo.commit({"CLAUDE.md": f"@other.md\n{_grown(lines)}", "other.md": _grown(2 * lines)})
    cold = _history(repo)
    monkeypatch.setattr("ctxtui.core.tokens.counter.count_tokens", None)
    assert _history(repo) == cold


@pytest.mark.parametrize("damage", [b"", b"not a database", b"SQLite format 3\0"])
def test_a_damaged_cache_costs_time_and_nothing_else(tmp_path: Path, damage: bytes) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"CLAUDE.md": _grown(3)})
    cold = _history(repo)
    (file,) = user_cache_path("ctxtui").glob("starts-*.sqlite3")
    file.write_bytes(damage)
    again = _history(repo)
    assert (again.commits, again.files) == (cold.commits, cold.files)
    assert {notice.code for notice in again.notices} <= {"cache-unavailable"}
    assert _history(repo).notices == ()


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"CLAUDE.md": _grown(3)})
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    found = _history(repo)
    assert _tokens(found, "CLAUDE.md") == [count(_grown(3))]
    assert "cache-unavailable" in {notice.code for notice in found.notices}


def test_agents_are_what_the_settings_say(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"CLAUDE.md": _grown(3), "app/CLAUDE.md": _grown(4)})
    at_root, below = (_history(repo, settings=Settings(cwd=cwd)).commits[0].starts for cwd in ("", "app"))
    assert below["claude-code"] > at_root["claude-code"]


_TEXTS = st.sampled_from([None, "one\n", "# Two\n\nwords\n", "@AGENTS.md\n"])
_PATHS = ("AGENTS.md", "CLAUDE.md", ".context/TASKS.md", ".claude/rules/r.md", "docs/x.md")


@settings(max_examples=8)
@given(st.lists(st.tuples(*[_TEXTS] * len(_PATHS)), min_size=1, max_size=4))
def test_every_commit_costs_what_its_files_cost(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str | None, ...]]
) -> None:
    repo = Repo(tmp_path_factory.mktemp("rows") / "r")
    written: dict[str, str] = {}
    expected = []
    for row in rows:
        files = {path: text for path, text in zip(_PATHS, row, strict=True) if text is not None}
        repo.commit({**{path: None for path in written if path not in files}, **files, "always": str(len(expected))})
        written = files
        contexts = audit_agents(list(files), files.get, count)
        starts = {each.agent.id: each.start_tokens for each in contexts}
        expected.append((sum(count(text) for text in files.values()), starts))
    found = _history(repo)
    assert [(sum(each.sources.values()), each.starts) for each in found.commits] == expected
    workspace = Workspace.open(repo.root, on_notice=lambda _: None)
    assert {file.path: file.at(len(rows) - 1) for file in found.files if file.at(len(rows) - 1) is not None} == {
        each.path: workspace.tokens(each, COUNTER) for each in workspace.references if each.path != "always"
    }
