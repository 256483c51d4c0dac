"""One repository examined: what the audit says, nothing of the user's, no secret, and an error instead of an end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_type_hints

import pytest

from ctxtui import Workspace
from ctxtui.audit.run import run_audit
from ctxtui.core import get_counter
from ctxtui.core.disk.copies import copies_folder
from ctxtui.fleet import outcome as bounds
from ctxtui.fleet.examine import FleetOrder, examine
from ctxtui.fleet.outcome import LEFT_OUT
from ctxtui.fleet.types import Member, Outcome
from ctxtui.session.budget import Budget
from ctxtui.session.saved.config import Config
from tests.audit.repositories import Repo
from tests.audit.weigh_helpers import in_home
from tests.caching import kept
from tests.cases import cases
from tests.conftest import Project
from tests.remote.conftest import Served, daemon

__all__ = ["daemon"]

FILES = {
    "AGENTS.md": "# Rules\n\nSee [more](gone.md).\n\nUse `uv`.\n",
    "CLAUDE.md": "@AGENTS.md\n",
    ".claude/rules/one.md": "# One\n\nA rule.\n",
}


def _examined(root: Path, **order: object) -> Outcome:
    return examine(Member(root.name, str(root)), FleetOrder(**order))  # type: ignore[arg-type]


def _timeless(found: Outcome) -> tuple[object, ...]:
    return tuple(value for name, value in zip(get_type_hints(Outcome), found, strict=True) if name != "seconds")


def test_it_says_what_the_audit_says(project: Project) -> None:
    repo = Repo(project(FILES))
    commit = repo.commit()
    found = _examined(repo.root)
    report = run_audit(Workspace.open(repo.root), Budget(), Config())
    assert (found.error, found.commit) == ("", commit)
    assert (found.files, found.tokens) == (report.totals.files, report.totals.tokens)
    assert found.bytes == sum(len(text.encode()) for text in FILES.values())
    assert {each.agent: each.start for each in found.agents} == {each.agent: each.tokens for each in report.starts}
    assert len(found.agents) > 1
    faults, told = ([(each.rule, each.message, each.key) for each in of] for of in (found.faults, report.findings))
    assert faults == told != []
    count = get_counter().count
    assert {file.path: file.tokens for file in found.context} == {path: count(text) for path, text in FILES.items()}
    for file in found.context:
        assert sum(block.tokens for block in file.blocks) == file.tokens
        assert 0 < file.start <= file.tokens


def test_nothing_of_the_user_counts(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(FILES)
    before = _timeless(_examined(root))
    config = 'user = true\nexclude = ["**"]\ntokenizer = "cl100k_base"\n'
    in_home({".claude/CLAUDE.md": "# Mine\n\nAll day.\n", "XDG_CONFIG_HOME/ctxtui/config.toml": config})
    monkeypatch.setenv("CTXTUI_TOKENIZER", "heuristic")
    assert _timeless(_examined(root)) == before


def test_the_project_chooses_its_files_but_not_what_counts(project: Project) -> None:
    config = 'exclude = [".claude/**"]\ntokenizer = "heuristic"\nbudget = "1"\n'
    found = _examined(project({**FILES, "ctxtui.toml": config}))
    assert {file.path for file in found.context} == {"AGENTS.md", "CLAUDE.md"}
    assert found.tokens == sum(get_counter().count(FILES[path]) for path in ("AGENTS.md", "CLAUDE.md"))


KINDS = ("scans", "files", "audits")


def test_it_drives_out_nothing_of_the_users_projects(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxtui.core.disk.content._RACY_NS", 0)
    run_audit(Workspace.open(project(FILES)), Budget(), Config())
    before = [kept(kind) for kind in KINDS]
    assert all(before)
    assert not _examined(project({**FILES, "AGENTS.md": "# Others\n"})).error
    assert [kept(kind) for kind in KINDS] == before
    run_audit(Workspace.open(project({"AGENTS.md": "# Own again\n"})), Budget(), Config())
    assert [kept(kind) for kind in KINDS] == [count + 1 for count in before]


def test_what_cannot_be_audited_is_an_error_in_one_line(project: Project, tmp_path: Path) -> None:
    wrong = {
        project({"ctxtui.toml": "exclude = 7\n"}): "ctxtui.toml:1",
        project({"ctxtui.toml": "[limits]\ntotal = 'much'\n"}): "total",
        project({"ctxtui.toml": b"\xff"}): "UTF-8",
        tmp_path / "gone": "does not exist",
        project({"file": ""}) / "file": "is a file",
    }
    for root, said in wrong.items():
        found = _examined(root)
        assert said in found.error
        assert found.error.isprintable()
        assert (found.files, found.agents, found.faults, found.context) == (0, (), (), ())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_where_a_file_should_be_does_not_hold_it_up(project: Project) -> None:
    root = project(FILES)
    os.mkfifo(root / "GEMINI.md")
    found = _examined(root)
    assert (found.error, found.files) == ("", len(FILES))


def test_a_repository_without_anything_is_no_error_and_time_that_is_over_is_one(project: Project) -> None:
    found = _examined(project({"src/a.py": "a = 1\n"}))
    assert (found.error, found.commit, found.files, found.agents) == ("", "", 0, ())
    assert _examined(project(FILES), seconds=0.0).error == "took more than 0 seconds"


def test_no_secret_gets_into_what_is_found(project: Project) -> None:
    key = "AKIA" + "Q7RZ4M2KX9PLT3WB"
    word = "v3lvet" + "Harbor19"
    text = f"# Runbook\n\naws_access_key_id = {key}\n\nThe admin password: {word}\n\n[a]({word}.md) and `{key}`\n"
    found = _examined(project({"AGENTS.md": text, f"docs/{key}.md": "x", "CLAUDE.md": f"@docs/{key}.md\n@{word}.md"}))
    assert any(fault.rule == "secret" for fault in found.faults)
    assert key not in repr(found)
    assert word not in repr(found)
    assert len({file.path for file in found.context}) == len(found.context) == 3


def test_what_is_kept_of_one_is_bounded_and_says_so(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_FAULTS", 3)
    monkeypatch.setattr(bounds, "MOST_FILES", 2)
    links = "".join(f"[a](gone{number}/a.md)\n" for number in range(20))
    rules = {f".claude/rules/{number}.md": f"# {number}\n\n[b](missing{number}/a.md)\n" for number in range(9)}
    found = _examined(project({"AGENTS.md": f"# A\n\n{links}", **rules, ".claude/rules/long.md": "word " * 999 * 9}))
    assert len(found.context) == 2
    assert found.files == 11
    assert [fault.rule for fault in found.faults[3:]] == [LEFT_OUT, LEFT_OUT]
    assert all(len(fault.message) <= 500 for fault in found.faults)


def test_a_remote_one_is_fetched_and_removed(daemon: Served) -> None:
    repo = daemon.repository("examined")
    commit = repo.commit(FILES)
    address = daemon.address("examined")
    found = examine(Member("acme", address), FleetOrder())
    assert _timeless(found)[1:] == _timeless(_examined(repo.root))[1:]
    assert found.commit == commit
    assert list(copies_folder().iterdir()) == []
    for wrong, said in ((daemon.address("nobody"), "was not found"), (f"{address}//x", "no folder")):
        assert said in examine(Member("gone", wrong), FleetOrder()).error
    assert list(copies_folder().iterdir()) == []


@cases(
    ("asked", "counts_as"),
    [
        ({}, "o200k_base"),
        ({"model": "gpt-5"}, "o200k_base"),
        *(({"tokenizer": name}, name) for name in ("cl100k_base", "heuristic")),
        ({"model": "claude-sonnet-4-5"}, "claude-sonnet-4-5"),
    ],
)
def test_models_that_count_alike_are_compared(asked: dict[str, str], counts_as: str) -> None:
    order = FleetOrder(**asked)  # type: ignore[arg-type]
    assert order.counts_as == counts_as
    assert get_counter(counts_as).key == order.budget.counter.key
