from collections.abc import Callable
from pathlib import Path

from ctxtui import Notice, Workspace
from ctxtui.core.text.metadata.reference import Reference
from tests.cases import cases
from tests.conftest import Project


def entry(id_: object, body: str = "Some text.\n") -> str:
    return f"---\nentryId: {id_}\ncategory: Operational\ntags: [a, b]\n---\n{body}"


def _entries(root: Path, on_notice: Callable[[Notice], None] = lambda _: None) -> list[Reference]:
    workspace = Workspace.open(root, on_notice=on_notice)
    return [reference for reference in workspace.references if reference.source == "entries"]


@cases("folder", ["entries", "context", "notes", "a/b/c"])
def test_a_folder_is_what_its_files_say_whatever_it_is_called(project: Project, folder: str) -> None:
    (reference,) = _entries(project({f"{folder}/x.md": entry("abc-123")}))
    assert (reference.id, reference.path) == ("entries/abc-123", f"{folder}/x.md")
    assert (reference.strategy, reference.details.tags) == ("onDemand", ("a", "b"))


def test_files_without_an_id_are_left_to_others(project: Project) -> None:
    others = {f"notes/0{number}.md": "# No entry\n" for number in range(5)}
    others |= {"notes/README.md": "# Notes\n", "notes/z.md": "---\nentryId: ''\n---\n"}
    workspace = Workspace.open(project(others | {"notes/a.md": entry("a")}))
    sources = {reference.path: reference.source for reference in workspace.references}
    assert sources == dict.fromkeys(others, "files") | {"notes/a.md": "entries"}
    # The id is the declared one, not the file's name.
    files = {"notes/first.md": entry("second"), "notes/n.md": entry(42), "notes/odd.md": entry('"a#b/c d"')}
    found = _entries(project(files))
    assert [reference.id for reference in found] == ["entries/second", "entries/42", "entries/a%23b/c d"]


@cases(
    ("body", "title"),
    [
        ("Customer pays by invoice.\nMore.\n", "Customer pays by invoice."),
        ("\n\n# A heading\n", "A heading"),
        ("", "x"),
        ("w" * 100, "w" * 72),
    ],
)
def test_a_title_is_the_first_line_of_the_body(project: Project, body: str, title: str) -> None:
    (reference,) = _entries(project({"notes/x.md": entry("x", body)}))
    assert reference.title == title


def test_entries_written_with_crlf_are_entries_and_one_bad_file_hides_no_other(project: Project) -> None:
    files: dict[str, str | bytes] = {"notes/a.md": b"a\0b", "notes/b.md": "---\nunclosed: x\n"}
    (reference,) = _entries(project(files | {"notes/x.md": entry("x").replace("\n", "\r\n")}))
    assert (reference.id, reference.title) == ("entries/x", "Some text.")


def test_broken_metadata_are_read_as_far_as_they_go_and_told_and_ignored_entries_left_out(project: Project) -> None:
    notices: list[Notice] = []
    files = {"notes/x.md": "---\nentryId: x\nbad: [\n---\nText\n", ".gitignore": "other/\n", "other/y.md": entry("y")}
    (reference,) = _entries(project(files), notices.append)
    assert reference.id == "entries/x"
    assert [(notice.code, notice.path) for notice in notices] == [("frontmatter-yaml", "notes/x.md")]
