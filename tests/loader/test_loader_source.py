from collections.abc import Callable
from pathlib import Path

from ctxtui import Notice, Workspace
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.loader import load_context
from ctxtui.loader.types import rank
from tests.conftest import Project


def _context(root: Path, on_notice: Callable[[Notice], None] = lambda _: None) -> list[Reference]:
    workspace = Workspace.open(root, on_notice=on_notice)
    return [reference for reference in workspace.references if reference.source == ".context"]


def test_files_come_in_loading_order_and_unknown_ones_last(project: Project) -> None:
    """Also where one name begins another, as "-" comes before the dot of an ending."""
    order = "CONSTITUTION TASKS DECISIONS GLOSSARY DRIFT AGENT_PLAYBOOK ALPHA ZETA api api-v2 api_old".split()
    root = project({f".context/{name}.md": "x" for name in reversed(order)})
    found = _context(root)
    assert [reference.title for reference in found] == [file.name for file in load_context(root).files] == order
    priorities = [reference.priority for reference in found]
    assert priorities == sorted(priorities)
    assert rank("tasks") == rank("TASKS") == 1
    assert rank("anything else") > rank("AGENT_PLAYBOOK")


def test_ids_and_strategies(project: Project) -> None:
    found = _context(project({".context/TASKS.md": "", ".context/archive/TASKS.md": "", "sub/.context/NOTES.md": ""}))
    assert [reference.id for reference in found] == [".context/TASKS", ".context/archive/TASKS", "sub/.context/NOTES"]
    assert [reference.strategy for reference in found] == ["always", "lazy", "always"]


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
    # What is ignored is listed and marked.
    (reference,) = _context(project({".gitignore": ".context\n", ".context/TASKS.md": "x"}))
    assert reference.ignored


def test_what_is_wrong_is_told(project: Project) -> None:
    notices: list[Notice] = []
    files = {"TASKS": b"a\0b", "A": "---\ntags: {a: b}\n---\n", "B": "---\nid: [\n---\n# Tasks\n"}
    _context(project({f".context/{name}.md": content for name, content in files.items()}), notices.append)
    codes = {"TASKS": "unreadable-file", "A": "metadata-type", "B": "frontmatter-yaml"}
    assert {(each.path, each.code) for each in notices} == {(f".context/{name}.md", codes[name]) for name in codes}
    assert len(notices) == 3
