from pathlib import Path

from ctxtui import Notice, Workspace
from ctxtui.core.text.metadata.reference import Reference
from tests.cases import cases
from tests.conftest import Project


def entry(id_: object, body: str = "Some text.\n") -> str:
    return f"---\nentryId: {id_}\ncategory: Operational\ntags: [a, b]\n---\n{body}"


def _entries(root: Path, notices: list[Notice] | None = None) -> list[Reference]:
    receive = (notices if notices is not None else []).append
    workspace = Workspace.open(root, on_notice=receive)
    return [reference for reference in workspace.references if reference.source == "entries"]


@cases("folder", ["entries", "context", "notes", "a/b/c"])
def test_a_folder_is_what_its_files_say_whatever_it_is_called(project: Project, folder: str) -> None:
    (reference,) = _entries(project({f"{folder}/x.md": entry("abc-123")}))
    assert (reference.id, reference.path) == ("entries/abc-123", f"{folder}/x.md")
    assert (reference.strategy, reference.details.tags) == ("onDemand", ("a", "b"))


def test_files_without_an_id_are_left_to_others(project: Project) -> None:
    root = project(
        {"notes/a.md": entry("a"), "notes/README.md": "# Notes\n", "notes/z.md": "---\nentryId: ''\n---\n"}
    )
    workspace = Workspace.open(root)
    assert {reference.path: reference.source for reference in workspace.references} == {
        "notes/a.md": "entries",
        "notes/README.md": "files",
        "notes/z.md": "files",
    }


def test_some_plain_files_before_the_entries_do_not_hide_them(project: Project) -> None:
    plain = {f"notes/0{number}.md": "# No entry\n" for number in range(5)}
    assert [reference.id for reference in _entries(project({**plain, "notes/x.md": entry("x")}))] == ["entries/x"]


def test_the_id_is_the_declared_one_not_the_files_name(project: Project) -> None:
    found = _entries(
        project({"notes/first.md": entry("second"), "notes/n.md": entry(42), "notes/odd.md": entry('"a#b/c d"')})
    )
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


def test_entries_written_with_crlf_are_entries(project: Project) -> None:
    (reference,) = _entries(project({"notes/x.md": entry("x").replace("\n", "\r\n")}))
    assert (reference.id, reference.title) == ("entries/x", "Some text.")


def test_broken_metadata_are_read_as_far_as_they_go_and_told(project: Project) -> None:
    notices: list[Notice] = []
    (reference,) = _entries(project({"notes/x.md": "---\nentryId: x\nbad: [\n---\nText\n"}), notices)
    assert reference.id == "entries/x"
    assert [(notice.code, notice.path) for notice in notices] == [("frontmatter-yaml", "notes/x.md")]


def test_ignored_entries_are_left_out(project: Project) -> None:
    assert _entries(project({".gitignore": "notes/\n", "notes/x.md": entry("x")})) == []


def test_one_bad_file_hides_no_other(project: Project) -> None:
    root = project({"notes/a.md": b"a\0b", "notes/b.md": "---\nunclosed: x\n", "notes/c.md": entry("c")})
    assert [reference.id for reference in _entries(root)] == ["entries/c"]
