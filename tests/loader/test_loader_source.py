from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui import Notice, Workspace
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.loader import load_context
from ctxtui.loader.types import rank
from tests.conftest import Project


def _context(root: Path, on_notice: Callable[[Notice], object] = lambda _: None) -> list[Reference]:
    workspace = Workspace.open(root, on_notice=on_notice)
    return [reference for reference in workspace.references if reference.source == ".context"]


def test_files_come_in_loading_order_and_unknown_ones_last(project: Project) -> None:
    names = ["ZETA", "GLOSSARY", "TASKS", "AGENT_PLAYBOOK", "CONSTITUTION", "DECISIONS", "ALPHA", "DRIFT"]
    found = _context(project({f".context/{name}.md": "x" for name in names}))
    order = "CONSTITUTION TASKS DECISIONS GLOSSARY DRIFT AGENT_PLAYBOOK ALPHA ZETA"
    assert [reference.title for reference in found] == order.split()
    priorities = [reference.priority for reference in found]
    assert priorities == sorted(priorities)


def test_the_loader_loads_them_in_that_order(project: Project) -> None:
    """Also where one name begins another, as "-" comes before the dot of an ending."""
    root = project({f".context/{name}.md": "x" for name in ("api", "api-v2", "api_old", "TASKS")})
    titles = [reference.title for reference in _context(root)]
    assert titles == [file.name for file in load_context(root).files]
    assert titles == ["TASKS", "api", "api-v2", "api_old"]


def test_ids_and_strategies(project: Project) -> None:
    found = _context(project({".context/TASKS.md": "", ".context/archive/TASKS.md": "", "sub/.context/NOTES.md": ""}))
    assert [(reference.id, reference.strategy) for reference in found] == [
        (".context/TASKS", "always"),
        (".context/archive/TASKS", "lazy"),
        ("sub/.context/NOTES", "always"),
    ]


def test_only_the_constitution_of_the_top_level_is_protected(project: Project) -> None:
    names = ".context/CONSTITUTION.md .context/old/CONSTITUTION.md sub/.context/constitution.md CONSTITUTION.md"
    workspace = Workspace.open(project(dict.fromkeys(names.split(), "x")))
    protected = {reference.path for reference in workspace.references if reference.protected}
    assert protected == {".context/CONSTITUTION.md", "sub/.context/constitution.md"}


def test_hidden_files_are_listed_by_no_source(project: Project) -> None:
    """The loader does not load these drafts and locks of editors either."""
    names = (".context/.draft.md", ".context/archive/.#TASKS.md", ".context/TASKS.md")
    workspace = Workspace.open(project(dict.fromkeys(names, "x")))
    assert [reference.path for reference in workspace.references] == [".context/TASKS.md"]


def test_deeper_files_are_kept_less_long(project: Project) -> None:
    files = {".context/Z.md": "", ".context/a/TASKS.md": "", ".context/a.txt": ""}
    found = {reference.path: reference.priority for reference in _context(project(files))}
    # What is no Markdown is not context.
    assert sorted(found) == [".context/Z.md", ".context/a/TASKS.md"]
    assert found[".context/Z.md"] < found[".context/a/TASKS.md"]


def test_ignored_context_is_listed_and_marked(project: Project) -> None:
    (reference,) = _context(project({".gitignore": ".context\n", ".context/TASKS.md": "x"}))
    assert reference.ignored


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"a\0b", "unreadable-file"),
        ("---\ntags: {a: b}\n---\n", "metadata-type"),
        ("---\nid: [\n---\n# Tasks\n", "frontmatter-yaml"),
    ],
)
def test_what_is_wrong_is_told(project: Project, content: str | bytes, code: str) -> None:
    notices: list[Notice] = []
    _context(project({".context/TASKS.md": content}), notices.append)
    assert [(notice.code, notice.path) for notice in notices] == [(code, ".context/TASKS.md")]


def test_ranks_ignore_case() -> None:
    assert rank("tasks") == rank("TASKS") == 1
    assert rank("anything else") > rank("AGENT_PLAYBOOK")
