"""What context cost over the commits of a branch."""

import os
import subprocess
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import Mock, patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxtui import Workspace
from ctxtui.agents import audit_agents
from ctxtui.audit.history.history import CommitCosts, History, histories
from ctxtui.audit.run import run_audit
from ctxtui.audit.types import Settings
from ctxtui.core import get_counter
from ctxtui.core.base.cancel import Stopped
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.session.saved.config import Config
from ctxtui.workspace.scope import Scope
from tests.audit.repositories import Repo, history

COUNTER = get_counter()
count = COUNTER.count


def _history(repo: Repo, **options: object) -> History:
    return history(_opened(repo.root), COUNTER, on_notice=lambda _: None, **options)  # type: ignore[arg-type]


def _opened(root: Path) -> Workspace:
    return Workspace.open(root, on_notice=lambda _: None)


def _tokens(found: History, path: str) -> list[int | None]:
    (file,) = (file for file in found.files if file.path == path)
    return [file.at(position) for position in range(len(found.commits))]


def _grown(lines: int) -> str:
    return "".join(f"Line {number} of a rule that grows.\n" for number in range(lines))


def test_tokens_of_files_sources_and_agents_over_commits(repo: Repo) -> None:
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
    assert [file.path for file in found.files] == [".context/TASKS.md", "CLAUDE.md"]
    assert [each.sources for each in found.commits] == [
        {"agents": count(_grown(1))},
        {"agents": count(_grown(5)), ".context": count("- [ ] a\n")},
        {"agents": count(_grown(5)), ".context": count("- [ ] a\n")},
        {"agents": count(_grown(2)), ".context": 0},
    ]
    assert found.commits[1].tokens == count(_grown(5)) + count("- [ ] a\n")
    starts = [each.starts["claude-code"] for each in found.commits]
    assert starts == [count(_grown(each).rstrip()) for each in (1, 5, 5, 2)] or starts == _tokens(found, "CLAUDE.md")


def _cost(lines: int) -> int:
    return count(_grown(lines))


def test_the_commits_that_made_it_grow_come_first(repo: Repo) -> None:
    for subject, lines in {"begin": 3, "a little": 5, "much": 50, "saved": 10}.items():
        repo.commit({"AGENTS.md": _grown(lines)}, subject)
    assert [(jump.commit.subject, jump.path, jump.tokens) for jump in _history(repo).jumps()] == [
        ("much", "AGENTS.md", _cost(50) - _cost(5)),
        ("a little", "AGENTS.md", _cost(5) - _cost(3)),
        ("saved", "AGENTS.md", _cost(10) - _cost(50)),
    ]


def test_moves_are_followed_also_when_edited(repo: Repo) -> None:
    repo.commit({"docs/rules.md": _grown(20)}, "plain")
    repo.commit({"docs/rules.md": None, "CLAUDE.md": _grown(20)}, "context from now on")
    repo.commit({"CLAUDE.md": None, "AGENTS.md": _grown(20)}, "exactly")
    repo.commit({"AGENTS.md": None, ".claude/rules/all.md": _grown(22)}, "and edited")
    found = _history(repo)
    (file,) = found.files
    places = [("CLAUDE.md", _cost(20)), ("AGENTS.md", _cost(20)), (".claude/rules/all.md", _cost(22))]
    assert [(step.path, step.tokens) for step in file.steps] == places
    assert [jump.commit.subject for jump in found.jumps()] == ["context from now on", "and edited"]
    assert [each.sources for each in found.commits] == [{}, *({"agents": _cost(lines)} for lines in (20, 20, 22))]


def test_a_plain_file_counts_while_an_agent_loads_it(repo: Repo) -> None:
    repo.commit({"CLAUDE.md": "@docs/a.md\n", "docs/a.md": _grown(5), "docs/b.md": _grown(7)})
    for files in ({"docs/a.md": _grown(6)}, {"CLAUDE.md": "@docs/b.md\n"}, {"docs/a.md": _grown(9)}):
        repo.commit(files)
    found = _history(repo)
    assert _tokens(found, "docs/a.md") == [_cost(5), _cost(6), None, None]
    assert _tokens(found, "docs/b.md") == [None, None, _cost(7), _cost(7)]
    assert [each.sources["files"] for each in found.commits] == [_cost(lines) for lines in (5, 6, 7, 7)]
    starts = [each.starts["claude-code"] for each in found.commits]
    assert starts[1] - starts[0] == _cost(6) - _cost(5)
    assert starts[2] == starts[3]


def test_a_file_that_comes_back_is_the_same_file(repo: Repo) -> None:
    for text in ("one\n", None, "one\n"):
        repo.commit({"AGENTS.md": text})
    assert _tokens(_history(repo), "AGENTS.md") == [2, None, 2]


def test_a_file_is_counted_once_however_many_links_lead_to_it(repo: Repo) -> None:
    base, skill = ".agents/rules/base.md", ".agents/skills/s/SKILL.md"
    repo.write({base: _grown(4), skill: _grown(3)})
    (repo.root / "AGENTS.md").symlink_to(base)
    (repo.root / ".claude").mkdir()
    (repo.root / ".claude/skills").symlink_to("../.agents/skills")
    repo.commit()
    repo.commit({base: _grown(6), skill: _grown(5)})
    repo.commit({"AGENTS.md": None, ".claude/skills": None})
    found = _history(repo)
    assert [file.path for file in found.files] == [base, skill]
    assert _tokens(found, base) == [_cost(lines) for lines in (4, 6, 6)]
    assert _tokens(found, skill) == [_cost(lines) for lines in (3, 5, 5)]
    assert [sum(each.sources.values()) for each in found.commits] == [_cost(4) + _cost(3), *[_cost(6) + _cost(5)] * 2]


def test_a_file_that_becomes_a_link_leaves_the_sums(repo: Repo) -> None:
    repo.commit({"AGENTS.md": _grown(4), "CLAUDE.md": _grown(3)})
    (repo.root / "CLAUDE.md").unlink()
    (repo.root / "CLAUDE.md").symlink_to("AGENTS.md")
    repo.commit()
    found = _history(repo)
    assert _tokens(found, "CLAUDE.md") == [_cost(3), None]
    assert [each.sources for each in found.commits] == [{"agents": _cost(4) + _cost(3)}, {"agents": _cost(4)}]


def test_files_that_are_gone_belong_to_the_source_of_their_neighbors(repo: Repo) -> None:
    entry = "---\nentryId: {id}\ncategory: Decision\ncreatedAt: 2026-01-01T00:00:00Z\n---\n\nText.\n"
    one, two = entry.format(id="a"), entry.format(id="b")
    repo.commit({"notes/a.md": one, "notes/b.md": two})
    repo.commit({"notes/b.md": None})
    found = _history(repo)
    assert [each.sources for each in found.commits] == [{"entries": count(one) + count(two)}, {"entries": count(one)}]


def test_files_that_the_project_leaves_out_do_not_count(repo: Repo) -> None:
    repo.commit({"AGENTS.md": _grown(1), "old/AGENTS.md": _grown(2), ".context/TASKS.md": "- [ ] a\n"})
    workspace = Workspace.open(repo.root, scope=Scope(exclude=("old", "TASKS.md")), on_notice=lambda _: None)
    found = history(workspace, COUNTER, on_notice=lambda _: None)
    assert [file.path for file in found.files] == ["AGENTS.md"]
    assert found.commits[0].sources == {"agents": count(_grown(1))}


def test_commits_that_change_nothing_are_counted_with_the_one_before(repo: Repo) -> None:
    repo.commit({"AGENTS.md": _grown(1), "x.py": "1\n"}, "begin")
    for number in range(3):
        repo.commit({"x.py": f"{number}\n"})
    repo.commit({"AGENTS.md": _grown(2)}, "grow")
    repo.commit({"AGENTS.md": None, "CLAUDE.md": _grown(2)}, "move")
    repo.commit({"README.md": "plain\n"})
    found = _history(repo)
    stretches = [(each.costs.commit.subject, each.tokens, each.unchanged) for each in found.stretches()]
    assert stretches == [("begin", 0, 3), ("grow", _cost(2) - _cost(1), 0), ("move", 0, 1)]
    assert len(found.commits) == found.total == 7


def test_the_last_commits_only_or_those_of_a_shallow_clone(repo: Repo, tmp_path: Path) -> None:
    for lines in range(1, 6):
        repo.commit({"AGENTS.md": _grown(lines)}, str(lines))
    found = _history(repo, max_commits=2)
    assert [each.commit.subject for each in found.commits] == ["4", "5"]
    # The first is no jump.
    assert [jump.commit.subject for jump in found.jumps()] == ["5"]
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth=2", f"file://{repo.root}", str(clone)], check=True)
    notices: list[Notice] = []
    found = history(_opened(clone), COUNTER, on_notice=notices.append)
    assert [notice.code for notice in notices] == ["shallow-history"]
    assert tuple(notices) == found.notices
    assert _tokens(found, "AGENTS.md") == [_cost(4), _cost(5)]


def test_no_commits_and_a_folder_that_no_commit_touched(repo: Repo) -> None:
    with pytest.raises(ContextError, match="no commits yet"):
        _history(repo)
    repo.commit({"a.md": "x"})
    (repo.root / "sub").mkdir()
    assert history(_opened(repo.root / "sub"), COUNTER) == History()


def test_merges_count_where_they_came_in(repo: Repo) -> None:
    repo.commit({"AGENTS.md": _grown(1)})
    repo.git("checkout", "-q", "-b", "side")
    for lines in (2, 3):
        repo.commit({"AGENTS.md": _grown(lines)}, "on the side")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "merged", "side")
    assert [(jump.commit.subject, jump.after) for jump in _history(repo).jumps()] == [("merged", count(_grown(3)))]


def test_hostile_subjects_binary_and_unreadable_contents(repo: Repo) -> None:
    (repo.root / os.fsdecode(b"\xff.md")).write_text("x")
    repo.commit({"AGENTS.md": b"\0\0binary", "b/AGENTS.md": b"bad \xff text\n"}, "red\x1b[31m and \u202eback")
    for _ in range(2):
        found = _history(repo)
        assert found.commits[0].commit.subject == "red\u241b[31m and \ufffdback"
        assert _tokens(found, "AGENTS.md") == [None]
        assert _tokens(found, "b/AGENTS.md") == [count("bad \ufffd text\n")]
        assert [file.path for file in found.files] == ["AGENTS.md", "b/AGENTS.md"]


def test_a_second_look_counts_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for lines in range(1, 6):
        repo.commit({"CLAUDE.md": f"@other.md\n{_grown(lines)}", "other.md": _grown(2 * lines)})
    cold = _history(repo)
    monkeypatch.setattr("ctxtui.core.tokens.counter.count_tokens", None)
    assert _history(repo) == cold


def test_a_cache_that_cannot_be_written(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit({"CLAUDE.md": _grown(3)})
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    found = _history(repo)
    assert _tokens(found, "CLAUDE.md") == [count(_grown(3))]
    assert "cache-unavailable" in {notice.code for notice in found.notices}


def test_agents_are_what_the_settings_say(repo: Repo) -> None:
    repo.commit({"CLAUDE.md": _grown(3), "app/CLAUDE.md": _grown(4)})
    at_root, below = (_history(repo, settings=Settings(cwd=cwd)).commits[0].starts for cwd in ("", "app"))
    assert below["claude-code"] > at_root["claude-code"]


_TEXTS = st.sampled_from([None, "one\n", "\ufeffone\n", "# Two\n\nwords\n", "@AGENTS.md\n", "@docs/x.md\n"])
_CONFIGURED = st.sampled_from([None, '{"instructions": ["docs/*.md"]}', "{}"])
_LINKED = st.sampled_from([None, "AGENTS.md", "docs/x.md"])
_PATHS = ("AGENTS.md", "CLAUDE.md", ".context/TASKS.md", ".claude/rules/r.md", "docs/x.md", "docs/y.md", "x.py")
_ROWS = st.tuples(st.tuples(*[_TEXTS] * len(_PATHS)), _CONFIGURED, _LINKED)


def _lay_out(repo: Repo, texts: Sequence[str | None], configuration: str | None, target: str | None) -> None:
    for path, text in zip((*_PATHS, "opencode.json"), (*texts, configuration), strict=True):
        (repo.root / path).unlink(missing_ok=True)
        if text is not None:
            repo.write({path: text})
    (repo.root / "GEMINI.md").unlink(missing_ok=True)
    if target:
        (repo.root / "GEMINI.md").symlink_to(target)


def _audited(root: Path) -> tuple[dict[str, int], dict[str, int]]:
    """The figures of an audit of the files as they are: tokens by source, and at the start of every agent."""
    workspace = _opened(root)
    report = run_audit(workspace, workspace.session().budget, Config(), on_notice=lambda _: None)
    starts = {each.agent.id: each.start_tokens for each in report.result.agents if not each.agent.installable}
    return {row.name: row.tokens for row in report.totals.of("source")}, starts


def _figures(costs: CommitCosts) -> tuple[dict[str, int], dict[str, int]]:
    return {source: tokens for source, tokens in costs.sources.items() if tokens}, dict(costs.starts)


_NONE = (None,) * len(_PATHS)


@settings(max_examples=10)
@given(st.lists(_ROWS, min_size=1, max_size=4))
@example([(("\ufeffone\n", *[None] * 6), None, None)])
@example([((None, None, None, None, "one\n", None, None), None, "docs/x.md"), (_NONE, None, "AGENTS.md")])
def test_every_commit_costs_what_an_audit_of_its_files_says(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[tuple[str | None, ...], str | None, str | None]]
) -> None:
    repo = Repo(tmp_path_factory.mktemp("rows") / "r")
    expected = []
    for number, row in enumerate(rows):
        _lay_out(repo, *row)
        repo.commit({"always.txt": str(number)})
        expected.append(_audited(repo.root))
    assert [_figures(each) for each in _history(repo).commits] == expected


def test_the_newest_commit_costs_what_an_audit_of_the_sample_says(sample: Path) -> None:
    repo = Repo(sample)
    repo.commit()
    repo.commit({"x.py": "pass\n"})
    assert _figures(_history(repo).commits[-1]) == _audited(sample)


def test_what_only_the_manifest_of_a_plugin_names_counts_if_it_does_now(repo: Repo) -> None:
    skill = "---\nname: odd\ndescription: An odd place for a skill.\n---\n\nDo it.\n"
    manifest = '{"name": "p", "skills": ["./lib/odd"], "commands": ["./lib/go.md"]}'
    repo.commit({".claude-plugin/plugin.json": manifest, "lib/odd/SKILL.md": skill, "lib/go.md": "Go.\n"})
    repo.commit({"lib/go.md": "Go on.\n", "lib/other.md": "no part of it\n"})
    found = _history(repo)
    assert _figures(found.commits[-1]) == _audited(repo.root)
    assert _tokens(found, "lib/go.md") == [count("Go.\n"), count("Go on.\n")]


def test_the_newest_commits_are_known_first_also_after_a_stop(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxtui.audit.history.read_back._AT_ONCE", 2)
    for lines in range(1, 8):
        repo.commit({"CLAUDE.md": _grown(lines)}, str(lines))
    with pytest.raises(Stopped):
        deque(histories(_opened(repo.root), COUNTER, check=Mock(side_effect=[None] * 6 + [Stopped])), maxlen=0)
    first, *_, last = histories(_opened(repo.root), COUNTER)
    assert [each.commit.subject for each in first.commits] == ["4", "5", "6", "7"]
    assert [each.commit.subject for each in last.commits] == list("1234567")
    assert last.commits[-len(first.commits) :] == first.commits
    assert first.total == 7


def test_commits_that_change_nothing_that_agents_read_are_not_replayed(repo: Repo) -> None:
    repo.commit({"CLAUDE.md": "@docs/a.md\n", "docs/a.md": _grown(2), "docs/b.md": _grown(9)})
    for number in range(6):
        repo.commit({"docs/b.md": _grown(number)})
    repo.commit({"docs/a.md": _grown(5)})
    with patch("ctxtui.audit.history.read_back.audit_agents", wraps=audit_agents) as replay:
        assert len(_history(repo).commits) == 8
    assert replay.call_count == 2
