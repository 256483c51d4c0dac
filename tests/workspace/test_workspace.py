import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui import ContextError, Notice, Workspace
from ctxtui.core.documents import listing
from ctxtui.tui import palette
from ctxtui.workspace.plain_files import PlainSource
from ctxtui.workspace.scope import Scope
from tests.cases import cases
from tests.conftest import Project, write

ENTRY = "---\nentryId: {id}\ncategory: Operational\n---\nSome text.\n"
DOMAIN = "---\nid: {id}\nloadingStrategy: onDemand\n---\n# Text\n"


def _open(root: Path) -> tuple[Workspace, list[Notice]]:
    notices: list[Notice] = []
    return Workspace.open(root, on_notice=notices.append), notices


def _sources(workspace: Workspace) -> dict[str, str]:
    return {reference.path: reference.source for reference in workspace.references}


def _codes(notices: list[Notice]) -> list[tuple[str, str | None]]:
    return sorted((notice.code, notice.path) for notice in notices)


@cases("files", [{}, {"place": "x"}])
def test_only_folders_are_opened(project: Project, files: dict[str, str]) -> None:
    with pytest.raises(ContextError, match="place") as caught:
        Workspace.open(project(files) / "place")
    assert caught.value.category == "invalid_request"
    assert caught.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_unauthorized(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0)
    with pytest.raises(ContextError) as caught:
        Workspace.open(tmp_path / "shut")
    assert caught.value.category == "unauthorized"


def test_an_empty_folder_has_nothing(project: Project) -> None:
    workspace, notices = _open(project({}))
    assert (workspace.references, workspace.notices, notices) == ((), (), [])
    assert (workspace.tree.tokens, workspace.tree.children) == (0, ())


def test_opening_and_counting_write_nothing_into_the_project(project: Project) -> None:
    root = project({"AGENTS.md": "# A\n"})
    workspace, _ = _open(root)
    assert workspace.tree.tokens > 0
    workspace.session().pick("AGENTS.md").payload()
    workspace.reader.ledger.flush()
    assert [path.name for path in root.rglob("*")] == ["AGENTS.md"]


def test_a_path_belongs_to_the_first_source_that_claims_it(project: Project) -> None:
    sources = {
        "lib/index.md": ("# Index\n", "catalog"),
        "lib/loading_protocol.md": ("# Protocol\n", "catalog"),
        "lib/python/index.md": ("# Python\n", "catalog"),
        "lib/python/AGENTS.md": (DOMAIN.format(id="x"), "catalog"),
        "lib/.context/TASKS.md": ("# Tasks\n", "catalog"),
        ".context/TASKS.md": ("# Tasks\n", ".context"),
        ".context/entry.md": (ENTRY.format(id="in-context"), ".context"),
        "notes/a.md": (ENTRY.format(id="a"), "entries"),
        "notes/CLAUDE.md": (ENTRY.format(id="b"), "entries"),
        "notes/readme.md": ("# No entry\n", "files"),
        "CLAUDE.md": ("# Rules\n", "agents"),
        "README.md": ("# Project\n", "files"),
    }
    opened, _ = _open(project({path: text for path, (text, _) in sources.items()}))
    assert _sources(opened) == {path: source for path, (_, source) in sources.items()}


def test_a_link_to_a_claimed_file_is_not_listed_again(project: Project) -> None:
    root = project({"AGENTS.md": "# A\n", "docs/a.md": "# A\n"})
    (root / "copy.txt").symlink_to("AGENTS.md")
    (root / "CLAUDE.md").symlink_to("docs/a.md")
    assert _sources(_open(root)[0]) == {"AGENTS.md": "agents", "CLAUDE.md": "agents"}


def test_ids_are_readable(project: Project) -> None:
    ids = {
        "lib/index.md": "lib/index.md",
        "lib/cross_domain.md": "lib/cross_domain.md",
        "lib/python/index.md": "python/index",
        "lib/python/deep/a.md": "python/deep/a",
        ".context/TASKS.md": ".context/TASKS",
        "sub/.context/TASKS.md": "sub/.context/TASKS",
        "notes/x.md": "entries/abc-123",
        "docs/50%#1.md": "docs/50%25%231.md",
    }
    workspace, _ = _open(project({**dict.fromkeys(ids, ""), "notes/x.md": ENTRY.format(id="abc-123")}))
    assert {reference.path: reference.id for reference in workspace.references} == ids
    assert workspace.session().pick("docs/50%25%231.md").payload().missing == ()


def test_two_owners_of_an_id_both_stay_with_a_notice(project: Project) -> None:
    root = project({f"notes/{name}.md": ENTRY.format(id="same") for name in "abc"})
    workspace, notices = _open(root)
    assert [reference.id for reference in workspace.references] == ["entries/same", "notes/b.md", "notes/c.md"]
    assert _codes(notices) == [("duplicate-id", "notes/b.md"), ("duplicate-id", "notes/c.md")]
    assert len(workspace.by_id) == 3
    _, notices = _open(project({"notes/a.md": ENTRY.format(id="x"), "entries/x": "plain"}))
    assert [code for code, _ in _codes(notices)] == ["duplicate-id"]


_NAMES = st.sampled_from(
    [
        "AGENTS.md", "CLAUDE.md", ".context/TASKS.md", ".context/TASKS", "lib/index.md", "lib/cross_domain.md",
        "lib/python/index.md", "lib/python/a.md", "python/a", "python/a.md", "entries/x", "notes/a.md", "notes/b.md",
        "entries/x.md", "x#1.md", "x%231.md", "other/python/index.md", "other/python/a.md", "other/cross_domain.md",
    ]
)  # fmt: skip
_CONTENTS = st.sampled_from(
    ["", "# A\n", ENTRY.format(id="x"), ENTRY.format(id="python/a"), DOMAIN.format(id="a"), "---\nbad: [\n---\n"]
)


# An id that is the path of another file loses none.
@example({"notes/a.md": ENTRY.format(id="x"), "entries/x": "plain"})
@example({"lib/cross_domain.md": "", "lib/python/index.md": "", "python/index": "plain"})
@example({".context/TASKS.md": "", ".context/TASKS": "plain"})
@example(dict.fromkeys("a/cross_domain.md a/b/index.md a/b/c.md c/cross_domain.md c/b/index.md b/c".split(), ""))
@given(st.dictionaries(_NAMES, _CONTENTS, max_size=8))
def test_every_file_is_listed_once_under_an_id_of_its_own(project: Project, files: dict[str, str]) -> None:
    workspace, _ = _open(project(files))
    listed = [reference.path for reference in workspace.references]
    assert sorted(listed) == sorted(files)
    assert len(workspace.by_id) == len(listed)


def test_a_file_in_the_root_and_broken_metadata_are_lived_with(project: Project) -> None:
    files = {
        ".context/TASKS.md": "---\nday: !!timestamp nope\n---\n# Tasks\n",
        "CLAUDE.md": "---\na: !!bool x\n---\n",
    }
    assert len(_open(project(files))[0].references) == 2


def test_what_cannot_be_read_becomes_a_notice(project: Project) -> None:
    binary: dict[str, str | bytes] = {
        "picture.png": b"\x89PNG\0",
        "docs/binary.md": b"a\0b",
        ".context/binary.md": b"a\0b",
    }
    texts: dict[str, str | bytes] = {
        "bin": "#!/bin/sh\n",
        "docs/broken.md": b"# A\n\xff\n",
        "docs/fine.md": "# Fine\n",
    }
    workspace, notices = _open(project({**binary, **texts}))
    assert {("binary-files", None), ("unreadable-file", ".context/binary.md")} <= {*_codes(notices)}
    assert "picture.png" not in workspace.by_path
    assert "bin" in workspace.by_path, "a name without a dot has no ending"
    payload = workspace.session().pick("docs/fine.md").pick("docs/binary.md").pick("docs/broken.md").payload()
    assert payload.missing == ()
    assert ("binary-file", "docs/binary.md") in _codes(list(payload.notices))
    assert "\ufffd" in payload.text
    broken = workspace.document(workspace.by_id["docs/broken.md"])
    assert _codes(list(broken.notices)) == [("invalid-text", "docs/broken.md")]
    assert workspace.notices == tuple(notices)


def test_a_huge_file_is_not_listed_but_told(project: Project) -> None:
    root = project({"a.md": "# A\n"})
    with (root / "huge.txt").open("wb") as file:
        file.truncate(17 * 1024 * 1024)
    workspace, notices = _open(root)
    assert [reference.id for reference in workspace.references] == ["a.md"]
    assert _codes(notices) == [("too-large", "huge.txt")]


def test_counting_what_is_unreadable_gives_notices_and_goes_on(project: Project) -> None:
    # Opening reads no more than the beginning of a large file, so counting has to read it again.
    root = project({"a.md": "# A\n", "b.md": b"\0", "c.md": "# C\n" * 20_000, "d.txt": b"\0"})
    workspace, _ = _open(root)
    (root / "c.md").unlink()
    counter = workspace.session().budget.counter
    unread = [("binary-file", "d.txt"), ("unreadable-file", "b.md"), ("unreadable-file", "c.md")]
    assert _codes(workspace.reader.count_batch(workspace.references, counter)) == unread
    known = workspace.reader.known_entry(workspace.by_id["a.md"], counter)
    assert known.counts.units == workspace.tree.tokens == 3


def test_pipes_devices_and_odd_names_never_block_opening(project: Project) -> None:
    """In a process of its own, which can be ended where it hangs."""
    root = project({"a.md": "# A\n", "lib/python/index.md": ""})
    for name in ("AGENTS.md", "pipe.md", "lib/cross_domain.md", "lib/python/a.md"):
        os.mkfifo(root / name)
    (root / "CLAUDE.md").symlink_to("/dev/zero")
    (root / "GEMINI.md").symlink_to("GEMINI.md")
    (root / os.fsdecode(b"caf\xe9.md")).write_text("x")
    (root / "new\nline.md").write_text("x")
    code = (
        "import sys; from ctxtui import Workspace\n"
        "workspace = Workspace.open(sys.argv[1], on_notice=lambda notice: None)\n"
        "print(workspace.tree.tokens, sorted(workspace.by_id))"
    )
    run = subprocess.run([sys.executable, "-c", code, str(root)], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr[-400:]
    assert run.stdout.endswith("['a.md', 'lib/python/index.md', 'new\\nline.md']\n")


def test_a_folder_whose_name_is_no_unicode_opens(tmp_path: Path) -> None:
    workspace, _ = _open(write(tmp_path / os.fsdecode(b"caf\xe9"), {"a.md": "# A\n"}))
    assert workspace.session().pick("a.md").payload().tokens > 0


def test_ignored_files_are_listed_where_they_are_asked_for(project: Project) -> None:
    root = project({".gitignore": "local.md\n", "local.md": "x", "a.md": "x", ".env": "x"})
    workspace, _ = _open(root)
    assert sorted(workspace.by_id) == ["a.md"]
    everything = workspace.reload(scope=Scope(with_ignored=True))
    assert sorted(everything.by_id) == [".env", ".gitignore", "a.md", "local.md"]
    assert everything.by_id["local.md"].ignored
    assert sorted(everything.reload().by_id) == sorted(everything.by_id)
    assert sorted(workspace.by_id) == ["a.md"]


def test_globs_keep_and_leave_files_of_every_source(project: Project) -> None:
    files = {"AGENTS.md": "", "docs/a.md": "", "docs/b.txt": "", "docs/deep/c.md": "", ".context/TASKS.md": ""}
    root = project(files)

    def listed(**scope: tuple[str, ...]) -> list[str]:
        return sorted(Workspace.open(root, scope=Scope(**scope)).by_path)  # type: ignore[arg-type]

    assert listed() == sorted(files)
    assert listed(include=("docs/",)) == ["docs/a.md", "docs/b.txt", "docs/deep/c.md"]
    assert listed(include=("*.md",), exclude=("docs/*.md",)) == [".context/TASKS.md", "AGENTS.md", "docs/deep/c.md"]
    assert listed(exclude=("*",)) == []


@cases("scope", [Scope(include=("!",)), Scope(exclude=("a\\",)), Scope(exclude=("!",))])
def test_a_glob_that_cannot_be_read_is_refused(project: Project, scope: Scope) -> None:
    with pytest.raises(ContextError) as caught:
        Workspace.open(project({"a.md": ""}), scope=scope)
    assert caught.value.category == "invalid_request"


def test_agent_files_and_context_are_listed_also_where_git_ignores_them(project: Project) -> None:
    files = dict.fromkeys(("CLAUDE.md", "CLAUDE.local.md", ".context/TASKS.md"), "x")
    workspace, _ = _open(project({".gitignore": "CLAUDE.local.md\n.context/\n", **files}))
    assert sorted(workspace.by_id) == [".context/TASKS", "CLAUDE.local.md", "CLAUDE.md"]


def test_a_reload_is_a_new_snapshot_and_leaves_the_old_one(project: Project) -> None:
    workspace, _ = _open(project({"a.md": "# A\n"}))
    write(workspace.root, {"b.md": "# B\n", "a.md": "# A\nmore\n"})
    again = workspace.reload()
    assert sorted(workspace.by_id) == ["a.md"]
    assert sorted(again.by_id) == ["a.md", "b.md"]
    assert again.by_id["a.md"].stamp != workspace.by_id["a.md"].stamp
    assert again.tree.tokens == again.session().budget.counter.count("# A\nmore\n") + 3


def test_an_unknown_id_is_answered_with_the_nearest(project: Project) -> None:
    workspace, _ = _open(project({"docs/runbook.md": "x"}))
    with pytest.raises(ContextError) as caught:
        workspace.require("docs/runbok.md")
    assert caught.value.hint == "did you mean docs/runbook.md?"


def test_notices_without_a_receiver_go_to_the_log(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    Workspace.open(project({"a.png": b"\0"}))
    assert [(record.name, record.levelname) for record in caplog.records] == [("ctxtui", "WARNING")]
    assert "binary" in caplog.text


def test_each_source_has_a_place_in_the_tree_and_a_look(sample: Path) -> None:
    shown = list(dict.fromkeys(each.source for each in Workspace.open(sample).references))
    assert shown == list(listing.SOURCES) == ["agents", ".context", "catalog", "entries", "files"]
    assert list(palette.SOURCES) == [*listing.SOURCES, "prompt"]


def test_a_source_without_a_row_in_the_table_fails_at_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlainSource, "name", "boards")
    with pytest.raises(AssertionError, match="SOURCES lacks boards"):
        Workspace.open(project({"a.md": "# A\n"}))
