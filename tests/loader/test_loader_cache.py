"""Seed 002, "Caching": optional, by path and time, safe while files change."""

from pathlib import Path

import pytest

from ctxtui.core import Notice, get_counter
from ctxtui.core.disk.root import Root
from ctxtui.loader import ContextCache, LoadedContext, LoaderOptions, load_context
from ctxtui.loader import api as load
from ctxtui.loader.discovery import ContextPlace
from tests.conftest import Project


def _load(root: Path, cache: ContextCache | None, budget: int = 8000) -> LoadedContext:
    return load_context(LoaderOptions(root, token_budget=budget, cache=cache, on_notice=NOTICES.append))


NOTICES: list[Notice] = []
"""What the loads of a test told."""


@pytest.fixture(autouse=True)
def _untold() -> None:
    NOTICES.clear()


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are parsed, in order."""
    seen: list[str] = []
    real = load.load_file

    def noted(content: object, path: str, shown: str, *more: object) -> object:
        seen.append(shown)
        return real(content, path, shown, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(load, "load_file", noted)
    return seen


def test_unchanged_files_are_parsed_once_with_a_cache(project: Project, parses: list[str]) -> None:
    root, cache = project({".context/A.md": "a", ".context/B.md": "b"}), ContextCache()
    assert _load(root, None) == _load(root, None)
    assert parses == [".context/A.md", ".context/B.md"] * 2
    first = _load(root, cache)
    (root / ".context/A.md").touch()  # a new time alone parses nothing
    second = _load(root, cache)
    assert parses == [".context/A.md", ".context/B.md"] * 3
    assert first == second
    assert first.summary is second.summary
    assert first.files[0] is second.files[0]


def test_old_unchanged_files_are_not_even_read(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root, cache = project({".context/A.md": "a"}), ContextCache()
    monkeypatch.setattr("ctxtui.core.disk.content._RACY_NS", 0)
    first = _load(root, cache)
    monkeypatch.setattr(Root, "read", None)
    assert _load(root, cache) == first


def test_a_change_is_seen(project: Project, parses: list[str]) -> None:
    root, cache = project({".context/A.md": "a", ".context/B.md": "b"}), ContextCache()
    _load(root, cache)
    (root / ".context/A.md").write_text("changed")
    found = _load(root, cache)
    assert "changed" in found.summary
    assert found.files[0].content == "changed"
    assert parses == [".context/A.md", ".context/B.md", ".context/A.md"]


def test_a_change_within_one_tick_of_the_clock_is_seen(project: Project) -> None:
    root, cache = project({".context/A.md": "old"}), ContextCache()
    for number in range(30):
        (root / ".context/A.md").write_text(f"{number:03}")
        assert _load(root, cache).files[0].content == f"{number:03}"


def test_added_and_vanished_files_are_seen(project: Project) -> None:
    root, cache = project({".context/A.md": "a", ".context/TASKS.md": "t"}), ContextCache()
    _load(root, cache)
    (root / ".context/TASKS.md").unlink()
    (root / ".context/Z.md").write_text("z")
    found = _load(root, cache)
    assert [file.name for file in found.files] == ["A", "Z"]
    assert found.missing[1] == "TASKS.md"
    assert "TASKS" not in found.summary


def test_a_file_that_vanishes_before_it_is_read_is_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({".context/A.md": "a"})
    monkeypatch.setattr(ContextPlace, "names", lambda self: ["A", "TASKS"])
    for loads, cache in enumerate((None, ContextCache()), start=1):
        found = _load(root, cache)
        assert [file.name for file in found.files] == ["A"]
        assert [(notice.code, notice.path) for notice in NOTICES] == [
            ("unreadable-file", ".context/TASKS.md")
        ] * loads
        assert "TASKS.md" in found.missing


def test_budget_and_counter_have_summaries_of_their_own(project: Project) -> None:
    root, cache = project({".context/A.md": "- [ ] some words\n" * 100}), ContextCache()
    assert _load(root, cache).truncated is False
    small = _load(root, cache, 50)
    assert (small.truncated, small.token_count <= 50) == (True, True)
    exact = load_context(LoaderOptions(root, counter=get_counter(), cache=cache))
    assert exact.token_count == get_counter().count(exact.summary)
    assert exact.files[0].token_count == get_counter().count(exact.files[0].content)


def test_notices_are_told_at_each_load(project: Project) -> None:
    root, cache = project({".context/A.md": b"\xff\n" * 500}), ContextCache()
    for loads in (1, 2):
        _load(root, cache, 50)
        assert [notice.code for notice in NOTICES] == ["invalid-text", "truncated"] * loads


def test_one_cache_serves_several_projects(project: Project) -> None:
    cache = ContextCache()
    roots = {name: project({".context/A.md": name}) for name in ("one", "two")}
    for name, root in (*roots.items(), *roots.items()):
        found = _load(root, cache)
        assert (found.files[0].path, name in found.summary) == (str(root / ".context/A.md"), True)
