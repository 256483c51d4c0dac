"""Seed 002, "Caching": optional, by path and time, safe while files change."""

import os
from pathlib import Path

import pytest

from ctxtui.core import Notice, get_counter
from ctxtui.core.disk.root import Root
from ctxtui.loader import ContextCache, LoadedContext, LoaderOptions, load_context
from ctxtui.loader import api as load
from ctxtui.loader.discovery import ContextPlace
from tests.conftest import Project


def _age(root: Path, seconds: int = 100) -> None:
    """Project files look as if they were written long ago."""
    for file in (root / ".context").iterdir():
        status = file.stat()
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns - seconds * 1_000_000_000))


def _load(
    root: Path, cache: ContextCache | None, budget: int = 8000, notices: list[Notice] | None = None
) -> LoadedContext:
    receive = (notices if notices is not None else []).append
    return load_context(LoaderOptions(root, token_budget=budget, cache=cache, on_notice=receive))


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


def test_there_is_no_cache_by_default(project: Project, parses: list[str]) -> None:
    root = project({".context/A.md": "a"})
    assert _load(root, None) == _load(root, None)
    assert len(parses) == 2


def test_unchanged_files_are_parsed_once(project: Project, parses: list[str]) -> None:
    root, cache = project({".context/A.md": "a", ".context/B.md": "b"}), ContextCache()
    first = _load(root, cache)
    second = _load(root, cache)
    assert parses == [".context/A.md", ".context/B.md"]
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
        text = f"{number:03}"
        (root / ".context/A.md").write_text(text)
        assert _load(root, cache).files[0].content == text


def test_a_new_time_alone_parses_nothing(project: Project, parses: list[str]) -> None:
    root, cache = project({".context/A.md": "a"}), ContextCache()
    _load(root, cache)
    _age(root)
    _load(root, cache)
    assert parses == [".context/A.md"]


def test_added_and_vanished_files_are_seen(project: Project) -> None:
    root, cache = project({".context/A.md": "a", ".context/TASKS.md": "t"}), ContextCache()
    _load(root, cache)
    (root / ".context/TASKS.md").unlink()
    (root / ".context/Z.md").write_text("z")
    found = _load(root, cache)
    assert [file.name for file in found.files] == ["A", "Z"]
    assert found.missing[1] == "TASKS.md"
    assert "TASKS" not in found.summary


def test_a_file_that_vanishes_between_listing_and_reading_is_told(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project({".context/A.md": "a"})
    monkeypatch.setattr(ContextPlace, "names", lambda self: ["A", "TASKS"])
    for cache in (None, ContextCache()):
        notices: list[Notice] = []
        found = _load(root, cache, notices=notices)
        assert [file.name for file in found.files] == ["A"]
        assert [(notice.code, notice.path) for notice in notices] == [("unreadable-file", ".context/TASKS.md")]
        assert "TASKS.md" in found.missing


def test_budget_and_counter_have_summaries_of_their_own(project: Project) -> None:
    root, cache = project({".context/A.md": "- [ ] some words\n" * 100}), ContextCache()
    assert _load(root, cache).truncated is False
    small = _load(root, cache, 50)
    assert small.truncated
    assert small.token_count <= 50
    exact = load_context(LoaderOptions(root, counter=get_counter(), cache=cache))
    assert exact.token_count == get_counter().count(exact.summary)
    assert exact.files[0].token_count == get_counter().count(exact.files[0].content)


def test_notices_are_told_at_each_load(project: Project) -> None:
    root, cache = project({".context/A.md": b"\xff\n" * 500}), ContextCache()
    told: list[list[str]] = []
    for _ in range(2):
        notices: list[Notice] = []
        _load(root, cache, 50, notices)
        told.append([notice.code for notice in notices])
    assert told == [["invalid-text", "truncated"]] * 2


def test_one_cache_serves_several_projects(project: Project) -> None:
    cache = ContextCache()
    one, two = project({".context/A.md": "one"}), project({".context/A.md": "two"})
    assert [_load(root, cache).files[0].path for root in (one, two)] == [
        str(root / ".context/A.md") for root in (one, two)
    ]
    assert "two" in _load(two, cache).summary
