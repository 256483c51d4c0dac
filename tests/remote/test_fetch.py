"""Fetching from real servers: what is kept, what is fetched again, what hostile repositories cannot do."""

import json
import os
import socket
import stat
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from unittest.mock import Mock

import pytest

from ctxtui.core.base.cancel import Stopped
from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.disk import copies, lay_out
from ctxtui.core.disk.copies import copies_folder, copy_around
from ctxtui.core.disk.remote import fetch
from ctxtui.core.disk.remote.address import read_address
from ctxtui.core.disk.remote.fetch import fetched
from ctxtui.core.disk.root import Root
from ctxtui.workspace.workspace import Workspace
from tests.audit.repositories import Repo
from tests.remote.conftest import Served

AGENTS = "# Acme\n\nUse `uv`.\n"


@pytest.fixture(params=["daemon", "web"])
def served(request: pytest.FixtureRequest) -> Served:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Served)
    return found


def test_the_files_of_the_newest_commit_arrive_as_they_are(served: Served) -> None:
    repo = served.repository("plain")
    repo.commit({"old.md": "old"})
    commit = repo.commit({"AGENTS.md": AGENTS, "docs/a.md": "a\r\n", "old.md": None, "data.bin": b"\0\xff"})
    said: list[str] = []
    copy = served.fetched("plain", say=said.append)
    found = [path for path in copy.root.rglob("*") if path.is_file()]
    files = {path.relative_to(copy.root).as_posix(): path.read_bytes() for path in found}
    assert files == {"AGENTS.md": AGENTS.encode(), "docs/a.md": b"a\r\n", "data.bin": b"\0\xff"}
    assert (copy.commit, copy.left_out, copy.root.name) == (commit, (), "plain")
    assert said[-1] == "writing files"


def test_a_copy_is_used_until_it_is_refreshed(served: Served) -> None:
    repo = served.repository("moving")
    first = repo.commit({"a.md": "one"})
    assert served.fetched("moving").commit == first
    second = repo.commit({"a.md": "two", "b.md": "new"})
    assert served.fetched("moving").commit == first
    copy = served.fetched("moving", refresh=True)
    assert (copy.commit, (copy.root / "a.md").read_text()) == (second, "two")
    made = (copy.root / "a.md").stat().st_mtime_ns
    assert (served.fetched("moving", refresh=True).root / "a.md").stat().st_mtime_ns == made


def test_branches_tags_and_commits_can_be_named(served: Served) -> None:
    repo = served.repository("refs")
    first = repo.commit({"a.md": "one"})
    repo.git("tag", "-a", "v1", "-m", "one")
    repo.git("branch", "work/x")
    repo.commit({"a.md": "two"})
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    for ref in ("v1", "work/x", first):
        copy = served.fetched(f"refs@{ref}")
        assert (copy.commit, (copy.root / "a.md").read_text()) == (first, "one")
        assert served.fetched(f"refs@{ref}", refresh=True).commit == first
    with pytest.raises(NotFound, match="refs@nothing"):
        served.fetched("refs@nothing")
    with pytest.raises(NotFound, match="no folder docs"):
        served.fetched("refs//docs")


def test_a_missing_repository_is_not_found(served: Served) -> None:
    with pytest.raises(NotFound, match="missing was not found"):
        served.fetched("missing")
    assert list(copies_folder().iterdir()) == []


def test_no_password_is_asked_for(web: Served) -> None:
    with pytest.raises(ContextError, match="no access to") as caught:
        web.fetched("private/acme")
    assert caught.value.category == "unauthorized"


def test_a_server_cannot_lead_to_files_of_this_machine(web: Served) -> None:
    web.repository("acme").commit({"a.md": "here"})
    with pytest.raises(ContextError):
        web.fetched("moved")


def test_nothing_is_written_into_a_copy(daemon: Served) -> None:
    daemon.repository("kept").commit({"AGENTS.md": AGENTS})
    root = daemon.fetched("kept").root
    workspace = Workspace.open(root, on_notice=lambda _notice: None)
    for write in (
        lambda: workspace.reader.root.write(".ctxtui/recipes/x.yaml", b"picks: []"),
        lambda: workspace.reader.root.create("new.md", b""),
        lambda: workspace.reader.root.remove("AGENTS.md"),
        lambda: Root(root).below("docs").write("x.md", b""),
    ):
        with pytest.raises(ContextError, match="it is read only"):
            write()
    assert [path.name for path in root.iterdir()] == ["AGENTS.md"]


def _tree(repo: Repo, *entries: tuple[str, str, str]) -> str:
    """A tree with any names, as no command of git would make it: modes, names and ids."""
    rows = (f"{mode} ".encode() + os.fsencode(name) + b"\0" + bytes.fromhex(id_) for mode, name, id_ in entries)
    data = b"".join(rows)
    return repo.git("hash-object", "-t", "tree", "--literally", "-w", "--stdin", data=data)


def _publish(repo: Repo, tree: str) -> None:
    repo.git("update-ref", "refs/heads/main", repo.git("commit-tree", tree, "-m", "hostile"))


def test_hostile_names_and_links_stay_outside(daemon: Served, tmp_path: Path) -> None:
    repo = daemon.repository("hostile")
    outside = tmp_path / "outside"
    outside.mkdir()
    blob = repo.git("hash-object", "-w", "--stdin", data=b"[core]\n\tfsmonitor = touch pwned\n")
    links = {
        name: repo.git("hash-object", "-w", "--stdin", data=target.encode())
        for name, target in {"up": "../../outside", "root": str(outside), "in": "docs/ok.md"}.items()
    }
    git = _tree(repo, ("100644", "config", blob))
    docs = _tree(repo, ("100644", "ok.md", blob))
    entries = (
        *(("40000", "..", docs), ("40000", ".GIT", git), ("40000", ".g\u200cit", git), ("40000", ".git", git)),
        *(("120000", "a", links["up"]), ("40000", "a", docs), ("40000", "docs", docs), ("40000", "git~1", git)),
        *(("120000", "in", links["in"]), ("100644", "ok.md", blob), ("120000", "root", links["root"])),
        *(("160000", "sub", blob), ("120000", "up", links["up"])),
    )
    _publish(repo, _tree(repo, *entries))
    copy = daemon.fetched("hostile")
    found = sorted(path.relative_to(copy.root).as_posix() for path in copy.root.rglob("*"))
    assert found == ["a", "a/ok.md", "docs", "docs/ok.md", "in", "ok.md"]
    assert (copy.root / "in").read_bytes() == (copy.root / "docs/ok.md").read_bytes()
    assert list(outside.iterdir()) == []
    left = ("../ok.md", ".git/config", ".GIT/config", "git~1/config", "up: a link", "root: a link", "sub: a sub")
    assert [name for name in left if name not in "\n".join(copy.left_out)] == []
    assert (copy_around(copy.root / "docs") or copy).root == copy.root


def test_nothing_of_the_repository_is_run(daemon: Served, tmp_path: Path) -> None:
    pwned = tmp_path / "pwned"
    repo = daemon.repository("running")
    files = {
        ".gitattributes": "*.md filter=evil diff=evil\n",
        ".gitmodules": f'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch {pwned}"\n',
        ".githooks/post-checkout": f"#!/bin/sh\ntouch {pwned}\n",
        "a.md": "plain\n",
    }
    repo.commit(files)
    copy = daemon.fetched("running")
    assert (copy.root / "a.md").read_text() == "plain\n"
    assert not pwned.exists()


@pytest.mark.parametrize(
    ("module", "limit", "value", "message"),
    [
        (lay_out, "MOST_FILES", 2, "3 files"),
        (lay_out, "MOST_BYTES", 100, "GB of files"),
        (fetch, "MOST_BYTES", 10_000, "GB to fetch"),
    ],
)
def test_what_is_too_large_is_refused_and_leaves_nothing(
    daemon: Served, monkeypatch: pytest.MonkeyPatch, module: object, limit: str, value: int, message: str
) -> None:
    daemon.repository("large").commit({"a.md": "a" * 60, "b.md": "b" * 60, "c.bin": os.urandom(3_000_000)})
    monkeypatch.setattr(module, limit, value)
    with pytest.raises(ContextError, match=message) as caught:
        daemon.fetched("large")
    assert caught.value.category == "invalid_request"
    assert list(copies_folder().iterdir()) == []


def test_a_tree_that_repeats_itself_without_end_is_refused(daemon: Served) -> None:
    repo = daemon.repository("bomb")
    tree = _tree(repo, ("100644", "x", repo.git("hash-object", "-w", "--stdin", data=b"x")))
    for _ in range(9):
        tree = _tree(repo, *(("40000", f"d{number}", tree) for number in range(10)))
    _publish(repo, tree)
    with pytest.raises(ContextError, match="64 MB"):
        daemon.fetched("bomb")


def test_a_fetch_can_be_ended_and_leaves_nothing(daemon: Served) -> None:
    daemon.repository("ended").commit({"a.md": "a"})
    with pytest.raises(Stopped):
        daemon.fetched("ended", check=Mock(side_effect=Stopped))
    assert list(copies_folder().iterdir()) == []


def test_two_that_fetch_at_once_share_one_copy(daemon: Served) -> None:
    daemon.repository("shared").commit({"a.md": "a"})
    with ThreadPoolExecutor(4) as pool:
        found = {copy.root for copy in pool.map(daemon.fetched, ["shared"] * 4)}
    assert [(root / "a.md").read_text() for root in found] == ["a"]
    assert len(list(copies_folder().iterdir())) == 1


def test_copies_that_nobody_opens_are_removed(daemon: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two", "three"):
        daemon.repository(name).commit({"a.md": name * 1000})
    one = daemon.fetched("one").root
    record = next(path for path in copies_folder().glob("*/copy.json"))
    long_ago = time.time() - copies.DAYS * 86_400 - 60
    os.utime(record, (long_ago, long_ago))
    two = daemon.fetched("two").root
    assert not one.exists()
    monkeypatch.setattr(copies, "MOST_BYTES", 6_000)
    three = daemon.fetched("three").root
    assert (two.exists(), three.exists()) == (False, True)


def test_a_damaged_copy_is_fetched_again(daemon: Served) -> None:
    daemon.repository("damaged").commit({"a.md": "a"})
    copy = daemon.fetched("damaged")
    record = next(path for path in copies_folder().glob("*/copy.json"))
    for damage in (b"", b"{}", b"[[[[", b'{"name": "../../..", "shown": "", "commit": "", "fetched": 0, "size": 0}'):
        record.write_bytes(damage)
        assert daemon.fetched("damaged").root == copy.root
    (copy.root / "a.md").unlink()
    copy.root.rmdir()
    assert (daemon.fetched("damaged").root / "a.md").read_text() == "a"
    # Others cannot read it.
    assert stat.S_IMODE(copies_folder().stat().st_mode) == 0o700


@pytest.mark.skipif(sys.platform != "linux", reason="only there memory is bounded")
def test_a_server_that_lists_refs_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "MOST_MEMORY", 48 * 1024**2)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with suppress(OSError):
                connection, _ = server.accept()
                with connection:
                    for number in range(10**9):
                        lines = (f"{'a' * 40} refs/heads/{number}-{each}-{'x' * 150}\n" for each in range(500))
                        connection.sendall(b"".join(b"%04x%b" % (len(line) + 4, line.encode()) for line in lines))

        threading.Thread(target=answer, daemon=True).start()
        address = read_address(f"git://127.0.0.1:{server.getsockname()[1]}/acme")
        with pytest.raises(ContextError, match="of memory to fetch") as caught:
            fetched(address)
    assert caught.value.category == "invalid_request"


def test_all_files_of_a_commit_are_listed_though_a_rule_matches_them(daemon: Served) -> None:
    repo = daemon.repository("tracked")
    repo.write({".gitignore": "*.json\nvenv\n", "a.json": "{}", "Lib/venv/b.md": "b"})
    repo.git("add", "-f", "a.json", "Lib/venv/b.md")
    repo.commit()
    copy = daemon.fetched("tracked")
    assert {each.path for each in Workspace.open(copy.root).references} == {"a.json", "Lib/venv/b.md"}
    assert {each.path for each in Workspace.open(copy.root / "Lib").references} == {"venv/b.md"}


def test_a_copy_can_be_opened_while_another_takes_its_place(tmp_path: Path) -> None:
    def made(name: str) -> Path:
        (tmp_path / name / "files" / "a").mkdir(parents=True)
        record = {"name": "a", "shown": "a", "commit": "c", "fetched": 1, "size": 1, "left_out": []}
        (tmp_path / name / "copy.json").write_text(json.dumps(record))
        return tmp_path / name

    place = made("place")
    seen: list[bool] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            seen.append((place / "copy.json").exists())

    looking = threading.Thread(target=look)
    looking.start()
    for number in range(200):
        copies.put_in_place(made(f"new-{number}"), place)
    stop.set()
    looking.join()
    assert all(seen)
    assert [each.name for each in tmp_path.iterdir()] == ["place"]
