"""Seed 004, 5: nothing outside the requested root is ever read or named, and hostile trees do no harm."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from ctxtui.core.disk.content import MAX_BYTES as READABLE
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.listing import Listing
from ctxtui.retrieval import FilesystemProvider, RetrievalError
from ctxtui.retrieval.index.passages import SearchResult
from ctxtui.retrieval.index.prepare import MAX_BYTES
from ctxtui.workspace.listing import listing_of
from ctxtui.workspace.scope import EVERYTHING, Scope
from tests.cases import cases
from tests.conftest import Project
from tests.retrieval.retrieval_helpers import codes, hits, paths, request, retrieve, search, searching, told


def _category(provider: FilesystemProvider, root: Path | str) -> str:
    with pytest.raises(RetrievalError) as caught:
        retrieve(root, "alpha", provider)  # type: ignore[arg-type]
    assert str(root) not in f"{caught.value.message} {caught.value.hint}"
    return caught.value.category


def _found(provider: FilesystemProvider, root: Path | str) -> list[str]:
    return sorted(each.path for each in retrieve(root, "alpha", provider))  # type: ignore[arg-type]


def test_only_roots_within_the_allowed_ones_are_searched(project: Project, tmp_path: Path) -> None:
    allowed = project({"a.md": "alpha", "sub/b.md": "alpha"})
    beside = project({"a.md": "alpha"})
    (allowed / "link").symlink_to(beside)
    outer = (beside, tmp_path, "/", f"{allowed}/..", f"{allowed}/sub/../..", allowed / "link", f"{allowed}x")
    with searching([allowed]) as provider:
        for inside in (allowed, allowed / "sub", f"{allowed}/sub/../sub", f"{beside}/../{allowed.name}"):
            assert _found(provider, inside)
        for outside in outer:
            assert _category(provider, outside) == "invalid_request"
    with searching([]) as provider:
        assert _category(provider, allowed) == "invalid_request"
    # An allowed root may be reached by a link.
    (tmp_path / "link").symlink_to(allowed)
    with searching([tmp_path / "link"]) as provider:
        assert _found(provider, allowed) == _found(provider, tmp_path / "link") != []


def test_the_users_home_may_be_written_as_a_tilde(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    home = project({"notes/a.md": "alpha", "other/b.md": "alpha"})
    monkeypatch.setenv("HOME", str(home))
    for allowed in ("~/notes", [home / "notes"]):
        with searching(allowed) as provider:
            assert _found(provider, "~/notes") == ["a.md"]
            for outside in ("~", "~/", "~/other", "~/notes/..", "~root", "~/notes/~"):
                assert _category(provider, outside) == "invalid_request"
    with searching() as free:
        assert _found(free, "~") == ["notes/a.md", "other/b.md"]
        assert _category(free, "~root") == "invalid_request"


def test_links_that_leave_the_root_are_not_followed_and_told(project: Project) -> None:
    outside = project({"secret.md": "alpha outside", "folder/deep.md": "alpha outside"})
    root = project({"a.md": "alpha"})
    (root / "file.md").symlink_to(outside / "secret.md")
    (root / "folder").symlink_to(outside / "folder")
    (root / "chain.md").symlink_to("file.md")
    result = search(root, "alpha outside")
    assert [hit.snippet.path for hit in result.hits] == ["a.md"]
    assert {notice.path for notice in told(result, "link-outside")} == {"file.md", "folder", "chain.md"}


def test_a_file_behind_a_link_inside_is_found_once_by_its_real_path(project: Project) -> None:
    root = project({"docs/a.md": "alpha"})
    (root / "link.md").symlink_to("docs/a.md")
    (root / "folder").symlink_to("docs")
    assert paths(root, "alpha") == ["docs/a.md"]


def test_a_file_that_becomes_a_link_out_of_the_root_is_no_longer_found(project: Project) -> None:
    outside = project({"secret.md": "alpha"})
    root = project({"a.md": "alpha", "sub/b.md": "alpha", "c.md": "alpha"})
    with searching() as provider:
        assert len(provider.search(request(root)).hits) == 3
        (root / "a.md").unlink()
        (root / "a.md").symlink_to(outside / "secret.md")
        (root / "sub").rename(root.parent / f"{root.name}-moved")
        (root / "sub").symlink_to(outside)
        # Also where the disk is not looked at again, files are checked when they are opened.
        for max_age in (60.0, 0.0):
            assert [hit.snippet.path for hit in provider.search(request(root), max_age=max_age).hits] == ["c.md"]


def test_a_path_that_changes_hands_all_the_time_never_gives_away_what_is_outside(project: Project) -> None:
    outside = project({"docs/a.md": "alpha OUTSIDE"})
    root = project({"docs/a.md": "alpha inside", "b.md": "alpha"})
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (root / "docs").rename(root / "kept")
            (root / "docs").symlink_to(outside / "docs")
            (root / "docs").unlink()
            (root / "kept").rename(root / "docs")

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for _ in range(40):
            with searching() as provider:
                assert not any("OUTSIDE" in each.content for each in provider.search(request(root)).snippets)
                assert provider.search(request(root, "OUTSIDE")).hits == ()
    finally:
        stop.set()
        swapping.join()


def _bound(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(place))


IRREGULAR: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "device": lambda place: place.symlink_to("/dev/zero"),
    "socket": _bound,
    "folder": Path.mkdir,
    "loop": lambda place: place.symlink_to(place.name),
}
LIMITED = """
import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
from ctxtui.retrieval import *
asked = ContextRetrievalRequest('alpha', 's', 's', sys.argv[1], 'filesystem')
provider = FilesystemProvider(on_notice=lambda _: None)
print(*(snippet.path for snippet in provider.search(asked).snippets)); provider.close()
"""


@cases("kind", IRREGULAR)
def test_what_is_no_regular_file_never_blocks(project: Project, kind: str) -> None:
    """In a process of its own, which can be ended when it hangs or eats all memory."""
    root = project({"a.md": "alpha"})
    IRREGULAR[kind](root / "b.md")
    run = subprocess.run([sys.executable, "-c", LIMITED, str(root)], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout.split()) == (0, ["a.md"]), run.stderr[-300:]


def test_ignored_files_are_not_searched_and_hidden_context_is(project: Project) -> None:
    searched = [".context/TASKS.md", ".cursor/rules/a.mdc", ".cursorrules", ".hidden.md", "src/a.py"]
    ignored = ["build/a.md", "a.log", ".hidden/a.md", "node_modules/a/readme.md", ".git/config"]
    root = project({**dict.fromkeys([*searched, *ignored], "alpha"), ".gitignore": "build/\n*.log\n"})
    # The second time, the context among the hidden files is known.
    for _ in range(2):
        assert sorted(paths(root, "alpha", 50)) == searched


def test_binary_files_are_passed_by_and_large_ones_told(project: Project) -> None:
    assert MAX_BYTES < READABLE
    large = "alpha " * (MAX_BYTES // 6 + 1)
    root = project({"a.md": "alpha", "b.md": b"alpha\0", "c.png": "alpha", "large.md": large, "empty.md": ""})
    result = search(root, "alpha")
    assert [hit.snippet.path for hit in result.hits] == ["a.md"]
    assert [(notice.code, notice.path) for notice in result.notices] == [("too-large", "large.md")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_makes_the_answer_smaller_and_is_told(project: Project) -> None:
    root = project({"a.md": "alpha", "b.md": "alpha", "shut/c.md": "alpha"})
    (root / "b.md").chmod(0)
    (root / "shut").chmod(0)
    try:
        result = search(root, "alpha")
    finally:
        (root / "shut").chmod(0o700)
    assert [hit.snippet.path for hit in result.hits] == ["a.md"]
    assert codes(result) == ["unreadable-file", "unreadable-folder"]


def test_a_file_that_may_be_read_again_is_found_again(project: Project) -> None:
    root = project({"a.md": "alpha"})
    target = root / "a.md"
    target.unlink()
    target.mkdir()
    assert paths(root, "alpha") == []
    target.rmdir()
    target.write_text("alpha")
    assert paths(root, "alpha") == ["a.md"]


HOSTILE: dict[str, str | bytes] = {
    "long-line.md": "# alpha\n\n" + "x" * 50_000 + " alpha " + "y" * 50_000,
    "nested.md": "> " * 800 + "alpha",
    "lists.md": "".join(" " * depth + "- alpha\n" for depth in range(300)),
    "fences.md": "# alpha\n" + "```\n" * 4_001,
    "headings.md": "# alpha\n" * 3_000,
    "underlines.md": "alpha\n" + "=" * 20_000 + "\n" + "-" * 20_000 + "x\n",
    "dashes.md": "---\n" * 8_000 + "alpha",
    "bold.md": "## " + "**a " * 800 + "\n\nalpha\n",
    "equals.py": "password" + "=" * 20_000 + "\nalpha\n" + "token: " * 10_000,
    "definitions.py": "static " * 10_000 + "\nalpha\n" + "func (" * 10_000,
    "markup.md": "# [bold]alpha[/bold] \x1b[31m\u202e alpha\n\n\x07 alpha \u2066\n",
    "breaks.md": "# alpha\x0b\x0c\u2028\u2029\x85 alpha\r\r\n\ralpha",
    "surrogates.md": b"alpha \xed\xa0\x80 \xf5\x80 alpha",
    "bom.md": b"\xef\xbb\xbf# alpha\n",
    "wide.md": "alpha " + "漢" * 20_000,
    "combining.md": "alpha e" + "\u0301" * 20_000,
    "yaml.md": "---\n" + "a: &a [" + "*a," * 5_000 + "\n---\n\nalpha\n",
    "name with 'quotes' and % and #.md": "alpha",
    "[bold]name[/bold].md": "alpha",
    "new\nline.md": "alpha",
    "-rf.md": "alpha",
    "\u202egnp.md": "alpha",
}


def test_a_hostile_tree_is_searched_like_any_other(project: Project) -> None:
    found = hits(project(HOSTILE), "alpha", 50)
    assert all(paths(project({name: text}), "alpha", 1) == [name] for name, text in HOSTILE.items())
    for hit in found:
        assert 0 < len(hit.snippet.content) <= 1_200
        assert 0 < hit.snippet.score <= 1
        assert hit.section.start <= hit.section.end
    assert len({hit.snippet.id for hit in found}) == len(found)


def test_names_that_are_no_text_are_left_out_and_told(project: Project) -> None:
    root = project({"a.md": "alpha"})
    (root / os.fsdecode(b"caf\xe9.md")).write_text("alpha")
    result = search(root, "alpha")
    assert [hit.snippet.path for hit in result.hits] == ["a.md"]
    assert codes(result) == ["unreadable-name"]
    # The contract returns less and does not fail where files are bad.
    root = project({"a.md": "alpha", "b.md": b"\xff\xfe\xff", "c.md": b"\0\0"})
    (root / "gone.md").symlink_to("nowhere")
    assert [snippet.path for snippet in retrieve(root, "alpha")] == ["a.md"]


def test_searches_of_other_globs_share_one_index(project: Project) -> None:
    files = {f"docs/{number}.md": f"# Alpha {number}\n\nalpha alpha {number}\n" for number in range(150)}
    root = project({**files, "src/a.py": "alpha = 1\n"})

    def asked(scope: Scope, patience: float | None = None) -> SearchResult:
        with searching([root], listing=listing_of(root, scope)) as provider:
            return provider.search(request(root), patience=patience)

    def shown(scope: Scope) -> set[str]:
        return {hit.snippet.path for hit in asked(scope).hits}

    code = Scope(exclude=("*.md",))
    partly = asked(Scope(include=("docs/",)), 0.0)
    assert partly.reached
    assert partly.reached.of == 150
    assert shown(code) == {"src/a.py"}
    assert asked(code).reached is None
    assert "src/a.py" not in shown(Scope(include=("docs/",)))
    assert len(asked(EVERYTHING).hits) > 1
    assert shown(code) == {"src/a.py"}
    (root / "docs/1.md").unlink()
    assert shown(code) == {"src/a.py"}
    assert "docs/1.md" not in shown(EVERYTHING)
    assert len([*(user_cache_path("ctxtui") / "retrieval").glob("*.sqlite3")]) == 1


def test_a_folder_swapped_for_a_link_is_not_read_through_it(project: Project) -> None:
    """Right after its files were listed, the searched folder becomes a link out of what may be searched."""
    root, outside = project({"sub/a.md": "alpha ours"}), project({"a.md": "alpha theirs"})

    def swap(_root: Path, files: Sequence[Found]) -> list[Found]:
        if not (root / "sub").is_symlink():
            (root / "sub").rename(root / "away")
            (root / "sub").symlink_to(outside)
        return list(files)

    with searching([root], listing=Listing(keep=swap)) as provider:
        assert _found(provider, root / "sub") == []
        assert _category(provider, root / "sub") == "invalid_request"
