"""The index on disk: always up to date, shared by processes, healed where damaged, kept where interrupted."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
from platformdirs import user_cache_path

from ctxtui.core.base.notices import Notice
from ctxtui.retrieval import ContextSnippet, FilesystemProvider, RetrievalError
from tests.bench.corpus import generate
from tests.conftest import Project
from tests.retrieval.retrieval_helpers import codes, paths, request, search, searching

WORDS = [f"zu{first}o{second}u" for first in "bdfgklm" for second in "nprstvz"]
ASK = """
import json, sys
from ctxtui.retrieval import *
provider = FilesystemProvider(on_notice=lambda notice: print(notice, file=sys.stderr))
asked = ContextRetrievalRequest(sys.argv[2], "s", "s", sys.argv[1], "filesystem", 50)
print(json.dumps([snippet_json(snippet) for snippet in provider.search(asked).snippets]))
provider.close()
"""


@pytest.fixture
def provider() -> Iterator[FilesystemProvider]:
    """A provider that lives as long as the test."""
    with searching() as made:
        yield made


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree that takes a while to index."""
    root = tmp_path_factory.mktemp("large")
    generate(root, 165)
    return root


def _found(provider: FilesystemProvider, root: Path, prompt: str = "alpha") -> list[str]:
    return sorted(hit.snippet.path for hit in provider.search(request(root, prompt, limit=50)).hits)


def _database() -> Path:
    (file,) = (user_cache_path("ctxtui") / "retrieval").glob("*.sqlite3")
    return file


def _indexed() -> int:
    with closing(sqlite3.connect(f"file:{_database()}?mode=ro", uri=True)) as database:
        return int(database.execute("SELECT count(*) FROM files").fetchone()[0])


def test_what_changes_on_disk_changes_the_next_answer(project: Project, provider: FilesystemProvider) -> None:
    root = project({"a.md": "alpha", "b.md": "beta", "empty/.gitkeep": ""})
    (root / "empty/.gitkeep").unlink()

    def written(name: str, text: str) -> list[str]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
        return _found(provider, root)

    assert _found(provider, root) == ["a.md"]
    assert written("b.md", "alpha too") == ["a.md", "b.md"]
    assert written("b.md", "gamma now") == ["a.md"]
    assert _found(provider, root, "gamma") == ["b.md"]
    (root / "a.md").rename(root / "c.md")
    assert _found(provider, root) == ["c.md"]
    (root / "empty/deep").mkdir()
    assert _found(provider, root) == ["c.md"]
    assert written("empty/deep/d.md", "alpha") == ["c.md", "empty/deep/d.md"]
    assert written("new/er/e.md", "alpha") == ["c.md", "empty/deep/d.md", "new/er/e.md"]
    assert written(".gitignore", "new/\n") == ["c.md", "empty/deep/d.md"]
    assert written(".gitignore", "c.md\n") == ["empty/deep/d.md", "new/er/e.md"]
    (root / "empty/deep/d.md").unlink()
    assert _found(provider, root) == ["new/er/e.md"]


def test_rapid_changes_of_the_same_size_are_never_missed(project: Project, provider: FilesystemProvider) -> None:
    root = project({"a.md": "nothing"})
    for before, word in pairwise(WORDS):
        (root / "a.md").write_text(word)
        assert _found(provider, root, word) == ["a.md"]
        assert _found(provider, root, before) == []


def _settle(provider: FilesystemProvider, root: Path) -> None:
    """Have a tree indexed at a time when its files are old enough for their times to be trusted."""
    while max(file.stat().st_ctime for file in root.rglob("*")) > time.time() - 0.15:
        _found(provider, root)
    _found(provider, root)


def test_a_second_start_writes_only_what_changed(project: Project, provider: FilesystemProvider) -> None:
    root = project({f"{number}.md": f"alpha {number}" for number in range(20)})
    _settle(provider, root)
    with closing(sqlite3.connect(_database())) as database:
        version, ids = "PRAGMA data_version", "SELECT path, id FROM files"
        before, known = database.execute(version).fetchone(), dict(database.execute(ids))
        assert len(paths(root, "alpha", 50)) == 20
        assert database.execute(version).fetchone() == before
        (root / "3.md").write_text("beta")
        assert len(paths(root, "alpha", 50)) == 19
        after = dict(database.execute(ids))
        assert [path for path in known if known[path] != after[path]] == ["3.md"]


def test_the_disk_is_looked_at_again_only_after_the_given_age(project: Project, provider: FilesystemProvider) -> None:
    root = project({"a.md": "alpha"})
    assert _found(provider, root) == ["a.md"]
    (root / "b.md").write_text("alpha")
    asked = request(root, "alpha")
    assert len(provider.search(asked, max_age=1000).hits) == 1
    assert len(provider.search(asked).hits) == 2


def test_text_that_changed_since_is_shown_as_it_is_now_or_left_out(
    project: Project, provider: FilesystemProvider
) -> None:
    root = project({"a.md": "# A\n\nalpha old\n", "b.md": "alpha", "c.md": "alpha"})
    assert _found(provider, root) == ["a.md", "b.md", "c.md"]
    (root / "a.md").write_text("# A\n\nalpha new\n")
    (root / "b.md").write_text("beta")
    (root / "c.md").unlink()
    result = provider.search(request(root, "alpha"), max_age=1000)
    assert [hit.snippet.content for hit in result.hits] == ["# A\n\nalpha new"]
    assert codes(result) == ["changed-file", "unreadable-file"]


@pytest.mark.parametrize("when", ["before", "beside", "instead"])
def test_a_place_that_cannot_be_written_is_told_and_lived_with(
    project: Project, provider: FilesystemProvider, when: str
) -> None:
    root = project({"a.md": "alpha"})
    cache = user_cache_path("ctxtui")
    if when == "before":
        cache.parent.mkdir(parents=True)
        cache.write_text("a file")
    else:
        _found(provider, root)
        provider.close()
        file = _database()
        if when == "instead":
            for each in file.parent.iterdir():
                each.unlink()
            file.mkdir()
        else:
            file.with_name(f"{file.name}-wal").mkdir()
    result = provider.search(request(root))
    assert [hit.snippet.path for hit in result.hits] == ["a.md"]
    assert codes(result) in (["index-unavailable"], [])
    assert codes(result) or when == "beside"
    (root / "b.md").write_text("alpha")
    assert _found(provider, root) == ["a.md", "b.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_cache_is_told_and_lived_with(project: Project, provider: FilesystemProvider) -> None:
    user_cache_path("ctxtui").mkdir(parents=True, mode=0o500)
    result = provider.search(request(project({"a.md": "alpha"})))
    assert (codes(result), len(result.hits)) == (["index-unavailable"], 1)


def test_each_notice_is_told_once(project: Project) -> None:
    said: list[Notice] = []
    root = project({"a.md": "alpha", "x.pem": "alpha"})
    with searching(on_notice=said.append) as provider:
        for _ in range(3):
            assert codes(provider.search(request(root))) == ["secret-file"]
    assert [notice.code for notice in said] == ["secret-file"]


@pytest.mark.parametrize(
    "damaged",
    {
        "garbage": lambda _: b"this is no database " * 400,
        "empty": lambda _: b"",
        "header": lambda data: b"\xff" * 100 + data[100:],
        "cut": lambda data: data[: len(data) // 2],
        "inside": lambda data: data[:4096] + b"\xa5" * (len(data) - 4096),
        "schema": lambda data: data[:100] + b"\0" * 3996 + data[4096:],
        "names": lambda data: data.replace(b"tablefilesfiles", b"table\x80ilesfiles", 1),
        "end": lambda data: data[:-4096] + b"\xa5" * 4096,
    }.items(),
    ids=lambda item: item[0],
)
def test_a_damaged_database_is_made_anew(project: Project, damaged: tuple[str, Callable[[bytes], bytes]]) -> None:
    root = project({f"{number}.md": f"# T{number}\n\nalpha {number}\n" for number in range(40)})
    before = search(root, "alpha", 50).snippets
    file = _database()
    file.write_bytes(damaged[1](file.read_bytes()))
    (root / "1.md").write_text((root / "1.md").read_text())
    for _ in range(2):
        assert search(root, "alpha", 50).snippets == before


def test_a_database_damaged_while_it_is_used_is_made_anew(project: Project, provider: FilesystemProvider) -> None:
    root = project({f"{number}.md": f"# T{number}\n\nalpha {number}\n" for number in range(40)})
    before = provider.search(request(root, limit=50)).snippets
    file = _database()
    for suffix in ("", "-wal"):
        place = file.with_name(file.name + suffix)
        if place.exists():
            place.write_bytes(b"\xa5" * place.stat().st_size)
    (root / "new.md").write_text("# New\n\nbeta\n")
    assert _found(provider, root, "beta") == ["new.md"]
    assert {each.path for each in provider.search(request(root, limit=50)).snippets} == {each.path for each in before}


def test_a_database_of_another_version_is_made_anew(project: Project) -> None:
    root = project({"a.md": "alpha"})
    before = search(root, "alpha").snippets
    with closing(sqlite3.connect(_database())) as database, database:
        database.execute("UPDATE meta SET version = 'older'")
        database.execute("DROP TABLE chunks")
    assert search(root, "alpha").snippets == before


def test_a_database_that_names_files_outside_gives_nothing_away(
    project: Project, provider: FilesystemProvider
) -> None:
    outside = project({"secret.md": "alpha outside"})
    root = project({"a.md": "alpha", "x.pem": "alpha"})
    provider.search(request(root))
    with closing(sqlite3.connect(_database())) as database, database:
        for path in (f"../{outside.name}/secret.md", str(outside / "secret.md"), "x.pem", "a\0b"):
            database.execute("DELETE FROM files WHERE path = ?", (path,))
            database.execute("UPDATE files SET path = ? WHERE path LIKE '%a%' AND problem = ''", (path,))
            database.commit()
            assert provider.search(request(root), max_age=1000).hits == ()


def test_stores_that_nobody_used_for_long_are_deleted(project: Project) -> None:
    assert paths(project({"a.md": "alpha"}), "alpha") == ["a.md"]
    old = _database()
    os.utime(old, (0, 0))
    assert paths(project({"a.md": "alpha"}), "alpha") == ["a.md"]
    assert not old.exists()


@pytest.mark.heavy
def test_several_processes_index_at_once(large: Path) -> None:
    command = [sys.executable, "-c", ASK, str(large), "gateway recovery"]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    runs = [subprocess.Popen(command, **pipes) for _ in range(3)]
    said = [run.communicate(timeout=60) for run in runs]
    assert [error for _, error in said] == ["", "", ""]
    first, *_ = [[snippet["id"] for snippet in json.loads(answer)] for answer, _ in said]
    assert said[0] == said[1] == said[2]
    assert first == [snippet.id for snippet in search(large, "gateway recovery", 50).snippets] != []
    assert _indexed() == 165


@pytest.mark.heavy
def test_processes_answer_alike_whatever_seeds_their_hashes(large: Path) -> None:
    command = [sys.executable, "-c", ASK, str(large), "gateway recovery rotate cache queue"]
    answers = {
        subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}).stdout
        for seed in "123"
    }
    assert len(answers) == 1


def test_one_process_sees_what_another_has_indexed(project: Project, provider: FilesystemProvider) -> None:
    root = project({"a.md": "alpha"})
    assert _found(provider, root) == ["a.md"]
    (root / "b.md").write_text("alpha")
    subprocess.run([sys.executable, "-c", ASK, str(root), "alpha"], capture_output=True, check=True)
    assert len(provider.search(request(root), max_age=1000).hits) == 2


def test_a_process_that_is_killed_while_it_indexes_leaves_a_usable_index(large: Path, tmp_path: Path) -> None:
    expected = [snippet.id for snippet in search(large, "gateway recovery", 50).snippets]
    for each in _database().parent.iterdir():
        each.unlink()
    run = subprocess.Popen([sys.executable, "-c", ASK, str(large), "gateway"], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and run.poll() is None:
        try:
            if _indexed():
                break
        except (ValueError, sqlite3.Error):
            continue
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert 0 < _indexed() <= 165
    assert [snippet.id for snippet in search(large, "gateway recovery", 50).snippets] == expected


def test_a_deadline_is_honored_and_the_next_call_gets_further(large: Path) -> None:
    provider = FilesystemProvider(deadline=0.06, on_notice=lambda _: None)
    done, took = [], []
    answer = None
    while not isinstance(answer, list):
        answer, seconds = asyncio.run(_outcome(provider, large))
        took.append(seconds)
        done.append(_indexed())
        assert isinstance(answer, list) or (answer.category, answer.retryable) == ("timeout", True)
    provider.close()
    assert answer
    assert len(done) > 1
    assert done == sorted(done)
    assert min(took) < 0.06 + 0.3


async def _outcome(provider: FilesystemProvider, root: Path) -> tuple[list[ContextSnippet] | RetrievalError, float]:
    start = time.monotonic()
    try:
        return await provider.retrieve(request(root, "gateway recovery")), time.monotonic() - start
    except RetrievalError as error:
        return error, time.monotonic() - start


async def test_a_cancelled_request_stops_its_thread_and_keeps_what_was_done(
    large: Path, provider: FilesystemProvider
) -> None:
    task = asyncio.create_task(provider.retrieve(request(large, "gateway recovery")))
    await asyncio.sleep(0.05)
    start = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - start < 1
    assert await provider.retrieve(request(large, "gateway recovery"))


def test_a_search_that_is_cancelled_ends_with_a_timeout(large: Path, provider: FilesystemProvider) -> None:
    asked = count()

    with pytest.raises(RetrievalError) as caught:
        provider.search(request(large, "gateway"), is_cancelled=lambda: next(asked) >= 30)
    assert caught.value.category == "timeout"
    assert 0 < _indexed() < 165
    assert provider.search(request(large, "gateway")).hits


def test_with_patience_the_answer_comes_from_what_is_indexed_so_far(
    large: Path, provider: FilesystemProvider
) -> None:
    rounds = 1
    while "index-incomplete" in codes(provider.search(request(large, "gateway"), patience=0.05)):
        rounds += 1
    assert rounds > 1
    assert _indexed() == 165


def test_threads_share_a_provider(project: Project, provider: FilesystemProvider) -> None:
    root = project({f"{number}.md": f"alpha {word}" for number, word in enumerate(WORDS)})

    def ask(number: int) -> list[str]:
        return [
            name for step in range(10) for name in _found(provider, root, WORDS[(number * 7 + step) % len(WORDS)])
        ]

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(ask, range(4)))
    assert found == [[f"{(number * 7 + step) % len(WORDS)}.md" for step in range(10)] for number in range(4)]


def test_nothing_is_written_into_the_project(project: Project) -> None:
    root = project({"a.md": "alpha", "sub/b.md": "alpha"})
    before = sorted(root.rglob("*"))
    assert len(paths(root, "alpha")) == 2
    assert sorted(root.rglob("*")) == before
    assert _database().parent.stat().st_mode & 0o077 == 0
