"""Later processes of the same program find the cached facts. A broken cache costs time, never truth."""

import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui.core.base.packed import pack, unpack
from ctxtui.core.disk.cache import Cache, user_cache
from ctxtui.core.text.secrets import find_secrets
from tests.conftest import REPOSITORY, Project

KEY = b"a digest"
TOKEN = "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E"


def _filled(directory: Path, count: int = 300) -> Path:
    cache = Cache(directory)
    for number in range(count):
        cache.keep_fact("pass", str(number).encode(), f"found {number}".encode() * 20)
    cache.flush()
    return directory / "cache.sqlite3"


def test_what_was_found_is_known_to_the_next_process_by_kind_and_digest(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.keep_fact("one", KEY, b"found")
    assert cache.known_fact("one", KEY) == b"found"
    cache.flush()
    later = Cache(tmp_path)
    assert later.known_fact("one", KEY) == b"found"
    assert later.known_fact("two", KEY) is later.known_fact("one", b"b") is None
    later.flush()


def test_processes_that_keep_at_once_lose_nothing(tmp_path: Path) -> None:
    first, second = Cache(tmp_path), Cache(tmp_path)
    assert first.known_fact("pass", b"1") is second.known_fact("pass", b"2") is None
    first.keep_fact("pass", b"1", b"first")
    second.keep_fact("pass", b"2", b"second")
    first.flush()
    second.flush()
    later = Cache(tmp_path)
    assert (later.known_fact("pass", b"1"), later.known_fact("pass", b"2")) == (b"first", b"second")
    later.flush()


@example(4_000, b"\x80")
@given(st.integers(0, 40_000), st.binary(min_size=1, max_size=5_000))
def test_a_damaged_file_gives_what_was_found_or_nothing(project: Project, start: int, damage: bytes) -> None:
    directory = project({})
    file = _filled(directory, 100)
    data = file.read_bytes()
    start = min(start, len(data) - 1)
    file.write_bytes(data[:start] + damage + data[start + len(damage) :])
    for _ in range(2):
        cache = Cache(directory)
        for number in range(0, 100, 9):
            assert cache.known_fact("pass", str(number).encode()) in (None, f"found {number}".encode() * 20)
        cache.keep_fact("pass", b"new", b"found")
        cache.flush()


def test_a_file_that_is_no_database_is_replaced_and_a_folder_that_cannot_be_made_done_without(tmp_path: Path) -> None:
    (tmp_path / "cache.sqlite3").write_bytes(b"no database at all, but long enough to look at" * 100)
    found = []
    for folder in (tmp_path, tmp_path, tmp_path / "cache.sqlite3" / "in", tmp_path / "cache.sqlite3" / "in"):
        cache = Cache(folder)
        found.append(cache.known_fact("pass", KEY))
        cache.keep_fact("pass", KEY, b"found")
        cache.flush()
    assert found == [None, b"found", None, None]


def test_a_changed_program_finds_nothing_of_the_one_before(tmp_path: Path) -> None:
    without = shutil.ignore_patterns("*.tiktoken", "__pycache__")
    shutil.copytree(REPOSITORY / "ctxtui" / "core", tmp_path / "ctxtui" / "core", ignore=without)
    for name in ("__init__.py", "version.py"):
        shutil.copy2(REPOSITORY / "ctxtui" / name, tmp_path / "ctxtui" / name)
    code = (
        "import sys; from pathlib import Path; from ctxtui.core.disk.cache import Cache; p = Cache(Path('cache'));"
        "print(p.known_fact('pass', b'1')); p.keep_fact('pass', b'1', b'found'); p.flush()"
    )

    def run() -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        command = [sys.executable, "-c", code]
        return subprocess.check_output(command, cwd=tmp_path, env=environment, text=True).strip()

    assert [run(), run()] == ["None", "b'found'"]
    with (tmp_path / "ctxtui" / "core" / "wording.py").open("a") as file:
        file.write("\n")
    assert run() == "None"


@given(st.text(max_size=60), st.sampled_from(["", TOKEN, f"password = {TOKEN[4:]}"]), st.text(max_size=60))
def test_secrets_are_the_same_when_they_are_known(project: Project, before: str, secret: str, after: str) -> None:
    directory, text = project({}), f"{before}\n{secret}\n{after}"
    for _ in range(2):
        cache = Cache(directory)
        assert find_secrets(text, cache) == find_secrets(text)
        cache.flush()


def test_a_snapshot_is_known_for_its_state_alone_and_as_the_last_one(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    digest = cache.keep_snapshot("scans", b"a project", pack([1, "two"]), b"state")
    found = Cache(tmp_path).snapshot("scans", b"a project", b"state")
    assert (unpack(found.data), found.digest) == ([1, "two"], digest)
    assert cache.snapshot("scans", b"a project", b"another state") is None
    assert cache.snapshot("walks", b"a project") is cache.snapshot("scans", b"another") is None
    assert cache.snapshot_value("scans", b"a project") == [1, "two"]


def test_a_row_of_another_user_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Cache(tmp_path).keep_snapshot("scans", b"a project", pack("value"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    assert Cache(tmp_path).snapshot_value("scans", b"a project") is None


@pytest.mark.parametrize("value", [os.system, subprocess.Popen, eval, Cache])
def test_what_is_no_value_of_this_program_is_not_unpacked(value: object) -> None:
    assert unpack(pickle.dumps(value)) is None


def test_the_oldest_rows_go_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _filled(tmp_path, 100)
    monkeypatch.setattr("ctxtui.core.disk.cache._MOST_BYTES", 10_000)
    cache = Cache(tmp_path)
    cache.keep_fact("pass", b"new", 1)
    cache.flush()
    known = [cache.known_fact("pass", str(number).encode()) is not None for number in range(100)]
    assert (known[:50], known[50:], cache.known_fact("pass", b"new")) == ([False] * 50, [True] * 50, 1)
    cache.flush()


def test_a_row_that_was_changed_is_not_believed_and_tables_of_an_older_form_are_made_again(tmp_path: Path) -> None:
    with closing(sqlite3.connect(_filled(tmp_path, 1))) as database, database:
        ((found,),) = database.execute("SELECT row FROM facts").fetchall()
        database.execute("UPDATE facts SET row = ?", (found[:-1] + b"!",))
    assert Cache(tmp_path).known_fact("pass", b"0") is None
    with closing(sqlite3.connect(_filled(tmp_path, 1))) as database, database:
        database.executescript("DROP TABLE snapshots; CREATE TABLE snapshots (key); PRAGMA user_version = 1;")
    cache = Cache(tmp_path)
    assert cache.known_fact("pass", b"0") is None
    cache.keep_snapshot("scans", b"a project", pack(1))
    assert cache.snapshot_value("scans", b"a project") == 1
    cache.flush()


def test_nothing_is_kept_if_the_cache_is_off_or_is_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache.sqlite3").symlink_to(tmp_path / "elsewhere")
    linked = Cache(tmp_path)
    monkeypatch.setenv("CTXTUI_CACHE", "off")
    for cache in (linked, user_cache()):
        cache.keep_snapshot("scans", b"a project", pack(1))
        assert cache.snapshot_value("scans", b"a project") is None
        assert cache.directory is None
    assert not (tmp_path / "elsewhere").exists()
