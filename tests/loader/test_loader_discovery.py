"""Seed 002, "Discovery Rules": where a context directory is looked for, and what is in it."""

import os
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.base.notices import Notice
from ctxtui.loader import ContextNotFound, LoaderOptions, has_context, load_context
from tests.conftest import Project
from tests.core.texts import refused


def _names(root: Path, notices: list[Notice] | None = None, **options: Any) -> list[str]:
    receive = (notices if notices is not None else []).append
    return [file.name for file in load_context(LoaderOptions(root, on_notice=receive, **options)).files]


def _told(root: Path) -> tuple[list[str], list[str]]:
    """The names of the files and the codes of the notices."""
    notices: list[Notice] = []
    return _names(root, notices), [notice.code for notice in notices]


def test_the_start_is_the_current_folder_unless_given(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({".context/A.md": "", "sub/.context/B.md": "", "docs/ai/C.md": ""})
    monkeypatch.chdir(root)
    assert [file.name for file in load_context().files] == ["A"]
    # A directory beside the start wins, and another name can be given.
    assert _names(root / "sub") == ["B"]
    assert _names(root, context_dir="docs/ai") == ["C"]


@pytest.mark.parametrize(("depth", "found"), [(0, True), (5, True), (6, False)])
def test_up_to_five_parents_are_searched(project: Project, depth: int, found: bool) -> None:
    root = project({".context/A.md": "", ".git/HEAD": ""})
    start = root.joinpath(*"abcdef"[:depth])
    start.mkdir(parents=True, exist_ok=True)
    assert has_context(start) is found
    if found:
        assert _names(start) == ["A"]
    else:
        with pytest.raises(ContextNotFound):
            _names(start)


@pytest.mark.parametrize("git", ["sub/.git/HEAD", "sub/.git"])
def test_the_search_stops_after_the_level_of_a_git_boundary(project: Project, git: str) -> None:
    root = project({".context/A.md": "", git: "gitdir: x", "sub/deep/x": ""})
    assert not has_context(root / "sub/deep")
    inside = project({"sub/.context/A.md": "", git: "gitdir: x", "sub/deep/x": ""})
    assert _names(inside / "sub/deep") == ["A"]


def test_the_error_names_where_it_looked(project: Project) -> None:
    root = project({".git/HEAD": "", "sub/x": ""})
    with pytest.raises(ContextNotFound) as caught:
        load_context(LoaderOptions(root / "sub"))
    assert caught.value.category == "invalid_request"
    assert caught.value.looked == (root / "sub", root)
    assert str(root / "sub") in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("start", ["absent", "file.md", "a\0b"])
def test_a_start_that_is_no_folder_is_not_found(project: Project, start: str) -> None:
    root = project({".context/A.md": "", "file.md": ""})
    assert not has_context(f"{root}/{start}")
    with pytest.raises(ContextNotFound):
        load_context(LoaderOptions(f"{root}/{start}"))
    # The search ends at the root of the file system.
    assert not has_context("/")


def test_only_markdown_at_the_top_level_is_loaded(project: Project) -> None:
    files = ["A.md", "b.txt", "archive/C.md", ".hidden.md", ".#LOCK.md", "folder.md/x"]
    assert _told(project({f".context/{name}": "" for name in files})) == (["A"], [])


def test_files_come_in_priority_order_and_unknown_ones_last(project: Project) -> None:
    names = ["ZETA", "GLOSSARY", "tasks", "AGENT_PLAYBOOK", "CONSTITUTION", "DECISIONS", "ALPHA", "DRIFT"]
    root = project({f".context/{name}.md": "x" for name in names})
    order = ["CONSTITUTION", "tasks", "DECISIONS", "GLOSSARY", "DRIFT", "AGENT_PLAYBOOK", "ALPHA", "ZETA"]
    assert _names(root) == order


def test_a_priority_order_of_ones_own_with_or_without_suffix(project: Project) -> None:
    root = project({f".context/{name}.md": "x" for name in ("A", "B", "C")})
    found = load_context(LoaderOptions(root, priority_order=("C.md", "X", "a", "Y.md", "x.md")))
    assert [file.name for file in found.files] == ["C", "A", "B"]
    assert found.missing == ("X.md", "Y.md")
    assert found.summary.index("C.md") < found.summary.index("A.md") < found.summary.index("B.md")


def test_missing_names_what_is_expected_and_absent_in_order(project: Project) -> None:
    found = load_context(project({f".context/{name}.md": "" for name in ("tasks", "GLOSSARY", "Z")}))
    absent = "CONSTITUTION DECISIONS CONVENTIONS ARCHITECTURE LEARNINGS DEPENDENCIES DRIFT AGENT_PLAYBOOK"
    assert found.missing == tuple(f"{name}.md" for name in absent.split())
    # An empty directory is a context, too.
    root = project({".context/archive/x": ""})
    found = load_context(root)
    assert (found.files, found.summary, len(found.missing)) == ((), "# Project Context\n", 10)
    assert has_context(root)


def test_links_inside_the_project_are_followed(project: Project) -> None:
    root = project({"docs/GUIDE.md": "# Guide\n", "shared/TASKS.md": "- [ ] a\n", ".git/HEAD": "", "sub/x": ""})
    (root / "sub/.context").symlink_to("../shared")
    (root / "shared/GUIDE.md").symlink_to("../docs/GUIDE.md")
    found = load_context(LoaderOptions(root / "sub"))
    assert [file.name for file in found.files] == ["TASKS", "GUIDE"]
    assert found.files[1].parsed.title == "Guide"


def test_a_directory_that_leads_out_of_the_project_is_told_and_passed_by(project: Project) -> None:
    outside = project({"context/SECRET.md": "secret"})
    root = project({".git/HEAD": ""})
    (root / ".context").symlink_to(outside / "context")
    notices: list[Notice] = []
    with pytest.raises(ContextNotFound):
        _names(root, notices)
    assert [notice.code for notice in notices] == ["outside-project"]
    assert not has_context(root)
    # So is a file of that name.
    root = project({".context/A.md": "", "sub/.context": "a file"})
    assert _told(root / "sub") == (["A"], ["no-directory"])
    # Neither is a name that leads out read.
    start = project({"sub/y": "", "x/A.md": ""}) / "sub"
    for name in ("../x", "/etc"):
        with pytest.raises(ContextNotFound):
            _names(start, context_dir=name)


def test_files_that_lead_out_or_nowhere_are_told_and_missing(project: Project) -> None:
    outside = project({"SECRET.md": "secret"})
    root = project({".context/A.md": "x"})
    (root / ".context/TASKS.md").symlink_to(outside / "SECRET.md")
    (root / ".context/DRIFT.md").symlink_to("nowhere.md")
    os.mkfifo(root / ".context/GLOSSARY.md")
    notices: list[Notice] = []
    found = load_context(LoaderOptions(root, on_notice=notices.append))
    assert [file.name for file in found.files] == ["A"]
    names = {"TASKS.md", "DRIFT.md", "GLOSSARY.md"}
    assert {(each.code, each.path) for each in notices} == {("unreadable-file", f".context/{name}") for name in names}
    assert names <= set(found.missing)
    assert "secret" not in found.summary


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="whoever may read everything sees no denial")
def test_what_may_not_be_read_is_told(project: Project) -> None:
    root = project({".context/TASKS.md": "x", ".context/A.md": "x"})
    (root / ".context/TASKS.md").chmod(0)
    assert _told(root) == (["A"], ["unreadable-file"])
    (root / ".context").chmod(0)
    with refused("unauthorized"):
        _names(root)
    (root / ".context").chmod(0o755)


def test_file_names_of_any_bytes(project: Project) -> None:
    root = project({".context/A.md": "x"})
    (Path(os.fsdecode(os.fsencode(root) + b"/.context/b\xff\n# c.md"))).write_text("y")
    found = load_context(root)
    assert len(found.files) == 2
    assert "\n# c" not in found.summary
    found.summary.encode()
