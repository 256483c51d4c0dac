"""What context cost over the commits of a branch."""

import os
import subprocess
from collections import deque
from collections.abc import Sequence
from pathlib import Path

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
    assert [file.path for file in found.files] == [".context/TASKS.md", "CLAUDE.md"]
    assert [each.sources for each in found.commits] == [
        {"agents": count(_grown(1))},
        {"agents": count(_grown(5)), ".context": count("- [ ] a\n")},
        {"agents": count(_grown(5)), ".context": count("- [ ] a\n")},
        {"agents": count(_grown(2)), ".context": 0},
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


def test_a_plain_file_that_becomes_context_counts_from_then_on(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"docs/rules.md": _grown(9)})
    repo.commit({"docs/rules.md": None, "AGENTS.md": _grown(9)})
    assert [each.sources for each in _history(repo).commits] == [{}, {"agents": count(_grown(9))}]


def test_a_plain_file_counts_while_an_agent_loads_it(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"CLAUDE.md": "@docs/a.md\n", "docs/a.md": _grown(5), "docs/b.md": _grown(7)})
    repo.commit({"docs/a.md": _grown(6)})
    repo.commit({"CLAUDE.md": "@docs/b.md\n"})
    repo.commit({"docs/a.md": _grown(9)})
    found = _history(repo)
    assert _tokens(found, "docs/a.md") == [count(_grown(5)), count(_grown(6)), None, None]
    assert _tokens(found, "docs/b.md") == [None, None, count(_grown(7)), count(_grown(7))]
    assert [each.sources["files"] for each in found.commits] == [count(_grown(lines)) for lines in (5, 6, 7, 7)]
    starts = [each.starts["claude-code"] for each in found.commits]
    assert starts[1] - starts[0] == count(_grown(6)) - count(_grown(5))
    assert starts[2] == starts[3]


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


def test_files_that_are_gone_belong_to_the_source_of_their_neighbors(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    entry = "---\nentryId: {id}\ncategory: Decision\ncreatedAt: 2026-01-01T00:00:00Z\n---\n\nText.\n"
    one, two = entry.format(id="a"), entry.format(id="b")
    repo.commit({"notes/a.md": one, "notes/b.md": two})
    repo.commit({"notes/b.md": None})
    found = _history(repo)
    assert [each.sources for each in found.commits] == [{"entries": count(one) + count(two)}, {"entries": count(one)}]


def test_files_that_the_project_leaves_out_do_not_count(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": _grown(1), "old/AGENTS.md": _grown(2), ".context/TASKS.md": "- [ ] a\n"})
    scope = Scope(exclude=("old", "TASKS.md"))
    workspace = Workspace.open(repo.root, scope=scope, on_notice=lambda _: None)
    found = history(workspace, COUNTER, on_notice=lambda _: None)
    assert [file.path for file in found.files] == ["AGENTS.md"]
    assert found.commits[0].sources == {"agents": count(_grown(1))}


def test_commits_that_change_nothing_are_counted_with_the_one_before(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": _grown(1), "x.py": "1\n"}, "begin")
    for number in range(3):
        repo.commit({"x.py": f"{number}\n"})
    repo.commit({"AGENTS.md": _grown(2)}, "grow")
    repo.commit({"AGENTS.md": None, "CLAUDE.md": _grown(2)}, "move")
    repo.commit({"README.md": "plain\n"})
    found = _history(repo)
    assert [(each.costs.commit.subject, each.tokens, each.unchanged) for each in found.stretches()] == [
        ("begin", 0, 3),
        ("grow", count(_grown(2)) - count(_grown(1)), 0),
        ("move", 0, 1),
    ]
    assert len(found.commits) == found.total == 7


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
    found = history(_opened(clone), COUNTER, on_notice=notices.append)
    assert [notice.code for notice in notices] == ["shallow-history"]
    assert tuple(notices) == found.notices
    assert _tokens(found, "AGENTS.md") == [count(_grown(2)), count(_grown(3))]


def test_no_commits_and_a_folder_that_no_commit_touched(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    with pytest.raises(ContextError, match="no commits yet"):
        _history(repo)
    repo.commit({"a.md": "x"})
    (repo.root / "sub").mkdir()
    assert history(_opened(repo.root / "sub"), COUNTER) == History()


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
    repo.commit({"AGENTS.md": b"\0\0binary", "b/AGENTS.md": b"bad \xff text\n"})
    for _ in range(2):
        found = _history(repo)
        assert _tokens(found, "AGENTS.md") == [None]
        assert _tokens(found, "b/AGENTS.md") == [count("bad \ufffd text\n")]
        assert [file.path for file in found.files] == ["AGENTS.md", "b/AGENTS.md"]


def test_a_second_look_counts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Repo(tmp_path / "r")
    for lines in range(1, 6):
        repo.commit({"CLAUDE.md": f"@other.md\n{_grown(lines)}", "other.md": _grown(2 * lines)})
    cold = _history(repo)
    monkeypatch.setattr("ctxtui.core.tokens.counter.count_tokens", None)
    assert _history(repo) == cold


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
    found = _history(repo)
    assert [_figures(each) for each in found.commits] == expected


def test_the_newest_commit_costs_what_an_audit_of_the_sample_says(sample: Path) -> None:
    repo = Repo(sample)
    repo.commit()
    repo.commit({"x.py": "pass\n"})
    sources, starts = _figures(_history(repo).commits[-1])
    assert (sources, starts) == _audited(sample)


def test_what_only_the_manifest_of_a_plugin_names_counts_if_it_does_now(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    skill = "---\nname: odd\ndescription: An odd place for a skill.\n---\n\nDo it.\n"
    manifest = '{"name": "p", "skills": ["./lib/odd"], "commands": ["./lib/go.md"]}'
    repo.commit({".claude-plugin/plugin.json": manifest, "lib/odd/SKILL.md": skill, "lib/go.md": "Go.\n"})
    repo.commit({"lib/go.md": "Go on.\n", "lib/other.md": "no part of it\n"})
    found = _history(repo)
    assert _figures(found.commits[-1]) == _audited(repo.root)
    assert _tokens(found, "lib/go.md") == [count("Go.\n"), count("Go on.\n")]


def test_the_newest_commits_are_known_first_and_a_stop_keeps_what_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(tmp_path / "r")
    monkeypatch.setattr("ctxtui.audit.history.read_back._AT_ONCE", 2)
    for lines in range(1, 8):
        repo.commit({"CLAUDE.md": _grown(lines)}, str(lines))
    checks = 0

    def check() -> None:
        nonlocal checks
        checks += 1
        if checks > 6:
            raise Stopped

    with pytest.raises(Stopped):
        deque(histories(_opened(repo.root), COUNTER, check=check), maxlen=0)
    steps = histories(_opened(repo.root), COUNTER)
    first = next(steps)
    assert [each.commit.subject for each in first.commits] == ["4", "5", "6", "7"]
    *_, last = steps
    assert [each.commit.subject for each in last.commits] == list("1234567")
    assert last.commits[-len(first.commits) :] == first.commits
    assert first.total == 7


def test_commits_that_change_nothing_that_agents_read_are_not_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"CLAUDE.md": "@docs/a.md\n", "docs/a.md": _grown(2), "docs/b.md": _grown(9)})
    for number in range(6):
        repo.commit({"docs/b.md": _grown(number)})
    repo.commit({"docs/a.md": _grown(5)})
    replayed: list[int] = []

    def counted(paths: list[str], *arguments: object, **options: object) -> object:
        replayed.append(len(paths))
        return audit_agents(paths, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("ctxtui.audit.history.read_back.audit_agents", counted)
    found = _history(repo)
    assert len(found.commits) == 8
    assert len(replayed) == 2
