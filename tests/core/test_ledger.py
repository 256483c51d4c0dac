import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.lru import Memo
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.content import Stamp
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.ledger import Entry, Ledger
from ctxtui.core.tokens.spans import count_text
from tests.cases import cases
from tests.core.texts import true_count

BASIS = "o200k_base"
TEXT = "intro\n# A\ntext\n## B\nmore\n"
OLD = Stamp(1_000, 1_000, len(TEXT))
WARM = """
import sys
from ctxtui import Workspace
workspace = Workspace.open(sys.argv[1])
print(workspace.tree.tokens, "tiktoken" in sys.modules)
workspace.reader.ledger.flush()
"""


def _entry(text: str = TEXT, stamp: Stamp = OLD, damage: int = 0) -> Entry:
    return Entry(stamp, digest_of(text.encode()), count_text(get_counter(BASIS), text), damage)


def _recorded(ledger: Ledger) -> Ledger:
    """A ledger that was given an entry and finds it."""
    ledger.record(BASIS, "a.md", _entry())
    ledger.flush()
    assert ledger.known_entry(BASIS, "a.md", OLD) == _entry()
    return ledger


@pytest.fixture
def notices() -> list[Notice]:
    return []


def test_another_ledger_finds_what_was_flushed(tmp_path: Path, notices: list[Notice]) -> None:
    first = Ledger(tmp_path / "cache", "/root", notices.append)
    entry = _entry(damage=3)
    first.record(BASIS, "a.md", entry)
    first.flush()
    second = Ledger(tmp_path / "cache", "/root", notices.append)
    assert second.known_entry(BASIS, "a.md", OLD) == entry
    found = second.known_contents(BASIS, [entry.digest])[entry.digest]
    assert (found.counts, found.damage) == (entry.counts, 3)
    assert not notices


def test_only_the_very_version_of_the_very_file_is_found(tmp_path: Path) -> None:
    _recorded(Ledger(tmp_path, "/root"))
    second, other = Ledger(tmp_path, "/root"), Ledger(tmp_path, "/other")
    for stamp in (Stamp(1_001, 1_000, len(TEXT)), Stamp(1_000, 1_001, len(TEXT))):
        assert second.known_entry(BASIS, "a.md", stamp) is None
    assert second.known_entry(BASIS, "b.md", OLD) is second.known_entry("cl100k_base", "a.md", OLD) is None
    assert other.known_entry(BASIS, "a.md", OLD) is None
    assert other.known_contents(BASIS, [_entry().digest])


def test_a_file_that_may_still_change_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # No matter how slow the machine is.
    monkeypatch.setattr("ctxtui.core.disk.content._RACY_NS", 10**15)
    first = Ledger(tmp_path / "cache", "/root")
    (tmp_path / "now.md").write_text(TEXT)
    stamp = Stamp.of((tmp_path / "now.md").stat())
    future = Stamp(stamp.mtime_ns + 10**12, stamp.ctime_ns, stamp.size)
    first.record(BASIS, "now.md", _entry(stamp=future))
    first.flush()
    second = Ledger(tmp_path / "cache", "/root")
    assert second.known_entry(BASIS, "now.md", future) is None
    assert second.known_contents(BASIS, [_entry().digest])


def test_without_a_directory_or_a_name_in_unicode_it_remembers_while_it_lives(tmp_path: Path) -> None:
    _recorded(Ledger(None, "/root"))
    ledger = Ledger(tmp_path, os.fsdecode(b"/caf\xe9"), lambda notice: None)
    assert ledger.known_entry(BASIS, "a.md", OLD) is None
    _recorded(ledger)


def _fill(directory: Path) -> Path:
    ledger = Ledger(directory, "/root")
    for number in range(300):
        ledger.record(BASIS, f"{number}.md", _entry(f"{number}\n{TEXT}"))
    ledger.flush()
    return directory / "cache.sqlite3"


@cases(
    "damage",
    [
        lambda data: b"this is no database " * 400,
        lambda data: b"SQLite format 3\0" + b"\xff" * 8000,
        lambda data: data[:4096] + b"\xa5" * (len(data) - 4096),
        lambda data: data.replace(b"tablefactsfacts", b"table\x80actsfacts", 1),
        lambda data: data[:5000],
    ],
)
def test_a_damaged_database_is_healed_by_the_next_start(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    file = _fill(tmp_path)
    file.write_bytes(damage(file.read_bytes()))
    for _ in range(2):
        _recorded(Ledger(tmp_path, "/root", lambda notice: None))
    assert Ledger(tmp_path, "/root").known_entry(BASIS, "a.md", OLD) == _entry()


def test_a_file_in_the_directorys_place_is_told_once_and_lived_with(tmp_path: Path, notices: list[Notice]) -> None:
    (tmp_path / "cache").write_text("not a folder")
    _recorded(Ledger(tmp_path / "cache", "/root", notices.append))
    assert [notice.code for notice in notices] == ["cache-unavailable"]
    assert (tmp_path / "cache").read_text() == "not a folder"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory_is_told_once_and_lived_with(tmp_path: Path, notices: list[Notice]) -> None:
    (tmp_path / "cache").mkdir(mode=0o500)
    _recorded(Ledger(tmp_path / "cache", "/root", notices.append))
    assert [notice.code for notice in notices] == ["cache-unavailable"]


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    code = f"""
import sys
from pathlib import Path
from ctxtui.core.disk.content import Stamp
from ctxtui.core.tokens.spans import Counts
from ctxtui.core.base.digest import digest_of
from ctxtui.core.tokens.ledger import Entry, Ledger
name = sys.argv[1]
ledger = Ledger(Path({str(tmp_path)!r}), "/root", lambda notice: print(notice))
for number in range(40):
    path = f"{{name}}-{{number}}.md"
    ledger.record("o200k_base", path, Entry(Stamp(1, 1, 1), digest_of(path.encode()), Counts(number)))
    ledger.flush()
"""
    words, out = [sys.executable, "-c", code], subprocess.PIPE
    runs = [subprocess.Popen([*words, name], stdout=out, stderr=subprocess.STDOUT) for name in "abcd"]
    assert [run.communicate(timeout=50)[0] for run in runs] == [b""] * 4
    after = Ledger(tmp_path, "/root")
    for name in "abcd":
        found = [after.known_entry("o200k_base", f"{name}-{number}.md", Stamp(1, 1, 1)) for number in range(40)]
        assert [entry.counts.units for entry in found] == [*range(40)]


def test_a_second_start_shows_exact_numbers_without_a_tokenizer(sample: Path) -> None:
    def start() -> list[str]:
        return subprocess.check_output([sys.executable, "-c", WARM, str(sample)], text=True).split()

    total, built = start()
    assert built == "True"
    assert start() == [total, "False"]
    assert int(total) > 1000


def test_a_changed_file_is_counted_anew_by_the_next_start(project: Callable[..., Path]) -> None:
    root = project({"a.md": "# A\n"})
    first = Workspace.open(root)
    assert first.tree.tokens == true_count("# A\n")
    first.reader.ledger.flush()
    (root / "a.md").write_text("# B and more\n")
    assert Workspace.open(root).tree.tokens == true_count("# B and more\n")


def test_a_schema_that_is_damaged_while_it_is_used_never_raises(tmp_path: Path, notices: list[Notice]) -> None:
    file = _fill(tmp_path)
    ledger = Ledger(tmp_path, "/root", notices.append)
    file.write_bytes(file.read_bytes().replace(b"tablefactsfacts", b"table\x80actsfacts", 1))
    assert ledger.known_contents(BASIS, [digest_of(b"a")]) == {}
    ledger.keep_count(BASIS, digest_of(b"a"), 3)
    assert ledger.kept_count(BASIS, digest_of(b"a")) == 3
    _recorded(ledger)
    assert not notices


@cases("damage", ["size = 'x'", "size = NULL", "digest = 7", "mtime = 1.5", "size = -1"])
def test_a_damaged_row_is_counted_again_and_the_others_are_known(tmp_path: Path, damage: str) -> None:
    file = _fill(tmp_path)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = replace(sql, 'size INTEGER NOT NULL', 'size')")
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(f"UPDATE files SET {damage} WHERE path = '7.md'")
    ledger = Ledger(tmp_path, "/root", lambda notice: pytest.fail(notice.message))
    assert ledger.known_size(BASIS, "7.md", OLD) is ledger.known_entry(BASIS, "7.md", OLD) is None
    assert ledger.known_size(BASIS, "8.md", OLD) is not None
    ledger.record(BASIS, "7.md", _entry())
    ledger.flush()
    assert Ledger(tmp_path, "/root").known_entry(BASIS, "7.md", OLD) == _entry()


def test_a_value_is_made_once_and_a_failure_is_not_remembered() -> None:
    memo: Memo[str, int] = Memo(3)
    with pytest.raises(ZeroDivisionError):
        memo.get("a", lambda: 1 // 0)
    assert [memo.get("a", lambda: 1), memo.get("a", lambda: 2)] == [1, 1]


def test_the_one_not_used_longest_is_forgotten_first() -> None:
    memo: Memo[str, str] = Memo(10, len)
    for key in ("a", "b", "c"):
        memo.get(key, lambda key=key: key * 3)  # type: ignore[misc]
    memo.get("a", lambda: "again")
    memo.get("d", lambda: "dddd")
    assert memo.get("a", lambda: "made anew") == "aaa"
    assert memo.get("b", lambda: "made anew") == "made anew"
    # One value above the bound is kept.
    memo.get("e", lambda: "longer than that")
    assert memo.get("e", lambda: "made anew") == "longer than that"


def test_threads_get_the_same_value() -> None:
    memo: Memo[str, object] = Memo(10)
    barrier = threading.Barrier(4)

    def ask(_: int) -> object:
        barrier.wait()
        return memo.get("a", object)

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(ask, range(4))
    assert all(other is first for other in others)
