import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui import ContextError, Notice, Workspace
from ctxtui.core.documents import listing
from ctxtui.tui import palette
from ctxtui.workspace.scope import Scope
from tests.conftest import Project

ENTRY = "---\nentryId: {id}\ncategory: Operational\n---\nSome text.\n"
DOMAIN = "---\nid: {id}\nloadingStrategy: onDemand\n---\n# Text\n"


def _open(root: Path) -> tuple[Workspace, list[Notice]]:
    notices: list[Notice] = []
    return Workspace.open(root, on_notice=notices.append), notices


def _sources(workspace: Workspace) -> dict[str, str]:
    return {reference.path: reference.source for reference in workspace.references}


def _codes(notices: list[Notice]) -> list[tuple[str, str | None]]:
    return sorted((notice.code, notice.path) for notice in notices)


@pytest.mark.parametrize("kind", ["missing", "file"])
def test_only_folders_are_opened(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "file":
        place.write_text("x")
    with pytest.raises(ContextError, match="place") as caught:
        Workspace.open(place)
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
    assert workspace.tree.tokens == 0
    assert workspace.tree.children == ()


def test_opening_and_counting_write_nothing_into_the_project(project: Project) -> None:
    root = project({"AGENTS.md": "# A\n"})
    workspace, _ = _open(root)
    assert workspace.tree.tokens > 0
    workspace.session().pick("AGENTS.md").payload()
    workspace.reader.ledger.flush()
    assert [path.name for path in root.rglob("*")] == ["AGENTS.md"]


def test_a_path_belongs_to_the_first_source_that_claims_it(project: Project) -> None:
    root = project(
        {
            "lib/index.md": "# Index\n",
            "lib/loading_protocol.md": "# Protocol\n",
            "lib/python/index.md": "# Python\n",
            "lib/python/AGENTS.md": DOMAIN.format(id="x"),
            "lib/.context/TASKS.md": "# Tasks\n",
            ".context/TASKS.md": "# Tasks\n",
            ".context/entry.md": ENTRY.format(id="in-context"),
            "notes/a.md": ENTRY.format(id="a"),
            "notes/CLAUDE.md": ENTRY.format(id="b"),
            "notes/readme.md": "# No entry\n",
            "CLAUDE.md": "# Rules\n",
            "README.md": "# Project\n",
        }
    )
    assert _sources(_open(root)[0]) == {
        "lib/index.md": "catalog",
        "lib/loading_protocol.md": "catalog",
        "lib/python/index.md": "catalog",
        "lib/python/AGENTS.md": "catalog",
        "lib/.context/TASKS.md": "catalog",
        ".context/TASKS.md": ".context",
        ".context/entry.md": ".context",
        "notes/a.md": "entries",
        "notes/CLAUDE.md": "entries",
        "notes/readme.md": "files",
        "CLAUDE.md": "agents",
        "README.md": "files",
    }


def test_sources_are_shown_agents_first_and_files_last(sample: Path) -> None:
    shown = list(dict.fromkeys(reference.source for reference in _open(sample)[0].references))
    assert shown == ["agents", ".context", "catalog", "entries", "files"]


def test_a_link_to_a_claimed_file_is_not_listed_again(project: Project) -> None:
    root = project({"AGENTS.md": "# A\n", "docs/a.md": "# A\n"})
    (root / "copy.txt").symlink_to("AGENTS.md")
    (root / "CLAUDE.md").symlink_to("docs/a.md")
    assert _sources(_open(root)[0]) == {"AGENTS.md": "agents", "CLAUDE.md": "agents"}


def test_ids_are_readable(project: Project) -> None:
    root = project(
        {
            "lib/index.md": "",
            "lib/cross_domain.md": "",
            "lib/python/index.md": "# P\n",
            "lib/python/deep/a.md": "# A\n",
            ".context/TASKS.md": "",
            "sub/.context/TASKS.md": "",
            "notes/x.md": ENTRY.format(id="abc-123"),
            "docs/50%#1.md": "",
        }
    )
    workspace, _ = _open(root)
    assert {reference.path: reference.id for reference in workspace.references} == {
        "lib/index.md": "lib/index.md",
        "lib/cross_domain.md": "lib/cross_domain.md",
        "lib/python/index.md": "python/index",
        "lib/python/deep/a.md": "python/deep/a",
        ".context/TASKS.md": ".context/TASKS",
        "sub/.context/TASKS.md": "sub/.context/TASKS",
        "notes/x.md": "entries/abc-123",
        "docs/50%#1.md": "docs/50%25%231.md",
    }
    assert workspace.session().pick("docs/50%25%231.md").payload().missing == ()


def test_two_owners_of_an_id_both_stay_with_a_notice(project: Project) -> None:
    root = project({f"notes/{name}.md": ENTRY.format(id="same") for name in "abc"})
    workspace, notices = _open(root)
    assert [reference.id for reference in workspace.references] == ["entries/same", "notes/b.md", "notes/c.md"]
    assert _codes(notices) == [("duplicate-id", "notes/b.md"), ("duplicate-id", "notes/c.md")]
    assert len(workspace.by_id) == 3


@pytest.mark.parametrize(
    "files",
    [
        {"notes/a.md": ENTRY.format(id="x"), "entries/x": "plain"},
        {"lib/cross_domain.md": "", "lib/python/index.md": "", "python/index": "plain"},
        {".context/TASKS.md": "", ".context/TASKS": "plain"},
        {
            "a/cross_domain.md": "",
            "a/b/index.md": "",
            "a/b/c.md": "",
            "c/cross_domain.md": "",
            "c/b/index.md": "",
            "b/c": "",
        },
    ],
    ids=["entry", "catalog", "context", "two-catalogs"],
)
def test_an_id_that_is_the_path_of_another_file_loses_none(project: Project, files: dict[str, str]) -> None:
    workspace, notices = _open(project(files))
    listed = {reference.path for reference in workspace.references}
    assert len(workspace.by_id) == len(workspace.references)
    assert {workspace.by_id[id_].path for id_ in workspace.by_id} == listed
    assert "duplicate-id" in {notice.code for notice in notices} or len(files) > len(listed)


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


@given(st.dictionaries(_NAMES, _CONTENTS, max_size=8))
def test_every_file_is_listed_once_under_an_id_of_its_own(project: Project, files: dict[str, str]) -> None:
    workspace, _ = _open(project(files))
    listed = [reference.path for reference in workspace.references]
    assert sorted(listed) == sorted(files)
    assert len(workspace.by_id) == len(listed)


def test_a_file_in_the_root_and_broken_metadata_are_lived_with(project: Project) -> None:
    root = project(
        {".context/TASKS.md": "---\nday: !!timestamp nope\n---\n# Tasks\n", "CLAUDE.md": "---\na: !!bool x\n---\n"}
    )
    assert len(_open(root)[0].references) == 2


def test_what_cannot_be_read_becomes_a_notice(project: Project) -> None:
    root = project(
        {
            "picture.png": b"\x89PNG\0",
            "bin": "#!/bin/sh\n",
            "docs/binary.md": b"a\0b",
            ".context/binary.md": b"a\0b",
            "docs/broken.md": b"# A\n\xff\n",
            "docs/fine.md": "# Fine\n",
        }
    )
    workspace, notices = _open(root)
    assert ("binary-files", None) in _codes(notices)
    assert ("unreadable-file", ".context/binary.md") in _codes(notices)
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
    notices = workspace.reader.count_batch(workspace.references, counter)
    assert sorted(_codes(notices)) == [
        ("binary-file", "d.txt"),
        ("unreadable-file", "b.md"),
        ("unreadable-file", "c.md"),
    ]
    known = workspace.reader.known(workspace.by_id["a.md"], counter)
    assert known is not None
    assert known.counts.units == 3
    assert workspace.tree.tokens == 3


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
    root = tmp_path / os.fsdecode(b"caf\xe9")
    root.mkdir()
    (root / "a.md").write_text("# A\n")
    workspace, _ = _open(root)
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


@pytest.mark.parametrize("scope", [Scope(include=("!",)), Scope(exclude=("a\\",)), Scope(exclude=("!",))])
def test_a_glob_that_cannot_be_read_is_refused(project: Project, scope: Scope) -> None:
    with pytest.raises(ContextError) as caught:
        Workspace.open(project({"a.md": ""}), scope=scope)
    assert caught.value.category == "invalid_request"


def test_agent_files_and_context_are_listed_also_where_git_ignores_them(project: Project) -> None:
    root = project(
        {
            ".gitignore": "CLAUDE.local.md\n.context/\n",
            "CLAUDE.md": "x",
            "CLAUDE.local.md": "x",
            ".context/TASKS.md": "x",
        }
    )
    assert sorted(_open(root)[0].by_id) == [".context/TASKS", "CLAUDE.local.md", "CLAUDE.md"]


def test_a_reload_is_a_new_snapshot_and_leaves_the_old_one(project: Project) -> None:
    root = project({"a.md": "# A\n"})
    workspace, _ = _open(root)
    (root / "b.md").write_text("# B\n")
    (root / "a.md").write_text("# A\nmore\n")
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
    assert list(dict.fromkeys(each.source for each in Workspace.open(sample).references)) == list(listing.SOURCES)
    assert list(palette.SOURCES) == [*listing.SOURCES, "prompt"]
