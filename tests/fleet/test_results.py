"""The file with the results: what is appended is read back, a killed run goes on, and foreign files are refused."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.fleet.results.read import dumped, find_run, repositories, run_before, runs
from ctxtui.fleet.results.schema import is_results, open_to_read, open_to_write
from ctxtui.fleet.run import append_outcomes, begin_run, end_run
from ctxtui.fleet.types import AgentStart, ContextFile, Fault, Member, Outcome, TextBlock
from tests.fleet.kept import generated
from tests.fleet.results_helpers import file, results

BLOCKS = (TextBlock(b"one", 1, 7, "# Rules"), TextBlock(b"two", 3, 5, "Write tests."))


def outcome(name: str, *files: ContextFile) -> Outcome:
    return Outcome(
        Member(name, f"/srv/{name}"),
        commit="1a2b",
        files=len(files),
        tokens=sum(file.tokens for file in files),
        seconds=0.5,
        agents=(AgentStart("codex", 12),),
        faults=(Fault("broken-link", "warning", "leads nowhere", "AGENTS.md", 3, 0, "broken-link|AGENTS.md||x"),),
        context=files,
    )


def rules(path: str = "AGENTS.md") -> ContextFile:
    return ContextFile(path, "instructions", b"rules", 12, 12, BLOCKS)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """New results, opened to be written."""
    with closing(open_to_write(tmp_path / "fleet.db")) as connection:
        yield connection


def test_what_is_appended_is_read_back(tmp_path: Path, connection: sqlite3.Connection) -> None:
    run = begin_run(connection, "1", "o200k", b"members", 2)
    append_outcomes(connection, run.id, "o200k", [outcome("b", rules()), Outcome(Member("a", "/srv/a"), "is gone")])
    end_run(connection, run.id)
    with closing(open_to_read(tmp_path / "fleet.db")) as reader:
        found = [(each.name, each.error, each.tokens, each.commit) for each in repositories(reader, 1)]
        assert found == [("a", "is gone", 0, ""), ("b", "", 12, "1a2b")]
        assert find_run(reader).size == 2
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.execute("DELETE FROM runs")


def test_the_tables_that_follow_from_values_are_those_of_version_1(connection: sqlite3.Connection) -> None:
    for table, columns in {
        "repositories": "id:INTEGER run:INTEGER name:TEXT place:TEXT error:TEXT commit:TEXT files:INTEGER"
        " tokens:INTEGER bytes:INTEGER seconds:REAL",
        "agents": "repository:INTEGER agent:TEXT start:INTEGER home:INTEGER lost:INTEGER",
        "findings": "repository:INTEGER rule:TEXT severity:TEXT message:TEXT path:TEXT line:INTEGER tokens:INTEGER"
        " key:TEXT",
    }.items():
        found = connection.execute(f"PRAGMA table_info({table})")
        assert " ".join(f"{name}:{kind}" for _, name, kind, *_ in found) == columns


def test_what_files_say_is_kept_once(connection: sqlite3.Connection) -> None:
    for members in (b"one", b"two"):
        run = begin_run(connection, "1", "o200k", members, 2)
        append_outcomes(
            connection, run.id, "o200k", [outcome("a", rules()), outcome("b", rules(), rules("CLAUDE.md"))]
        )
        end_run(connection, run.id)
    for table, count in {"files": 6, "contents": 1, "blocks": 2, "texts": 2}.items():
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (count,), table


def test_a_run_that_was_killed_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "fleet.db"
    with closing(open_to_write(path)) as connection:
        run = begin_run(connection, "1", "o200k", b"members", 2)
        append_outcomes(connection, run.id, "o200k", [outcome("a", rules())])
    with closing(open_to_write(path)) as connection:
        assert begin_run(connection, "1", "o200k", b"members", 2) == (run.id, frozenset({"a"}))
        append_outcomes(connection, run.id, "o200k", [outcome("a", rules()), outcome("b", rules())])
        assert [each.name for each in repositories(connection, run.id)] == ["a", "b"]
        assert connection.execute("SELECT count(*) FROM agents").fetchone() == (2,)
        end_run(connection, run.id)
        assert begin_run(connection, "1", "o200k", b"members", 2).id == run.id + 1


@pytest.mark.parametrize("changed", [{"program": "2"}, {"tokenizer": "2"}, {"members": b"others"}, {"fresh": True}])
def test_a_run_about_something_else_is_a_new_one(connection: sqlite3.Connection, changed: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"program": "1", "tokenizer": "o200k", "members": b"members", "size": 2}
    begin_run(connection, **asked)
    assert begin_run(connection, **asked | changed) == (2, frozenset())


def test_the_last_run_that_ended_is_the_one_that_is_read(connection: sqlite3.Connection) -> None:
    with pytest.raises(NotFound, match="no run"):
        find_run(connection)
    for members, tokenizer in ((b"1", "o200k"), (b"2", "cl100k"), (b"3", "o200k")):
        end_run(connection, begin_run(connection, "1", tokenizer, members, 1).id)
    begin_run(connection, "1", "o200k", b"4", 1)
    assert [run.id for run in runs(connection)] == [1, 2, 3, 4]
    assert find_run(connection).id == 3
    assert find_run(connection, 4).ended is None
    before = run_before(connection, find_run(connection))
    assert before is not None
    assert before.id == 1
    with pytest.raises(NotFound, match="no run 9"):
        find_run(connection, 9)


def test_other_files_are_refused_and_stay_as_they_are(tmp_path: Path) -> None:
    text, other = tmp_path / "text", tmp_path / "other.db"
    text.write_text("not a database, but much longer than the header of one" * 9)
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE mine (x)")
    for path in (text, other):
        before = path.read_bytes()
        assert not is_results(path)
        for opened in (open_to_read, open_to_write):
            with pytest.raises(ContextError, match="does not hold results"):
                opened(path)
        assert path.read_bytes() == before
    with pytest.raises(NotFound):
        open_to_read(tmp_path / "missing.db")
    with pytest.raises(ContextError, match="cannot use"):
        open_to_write(tmp_path / "no folder" / "fleet.db")


def test_results_are_known_by_their_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "results"
    open_to_write(path).close()
    assert is_results(path)
    assert not is_results(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(ContextError, match="another version"):
        open_to_read(path)


HOSTILE = Outcome(
    Member("ev\u202eil\x1b[2J\n", "/srv/x"),
    commit="1a",
    seconds=1.5,
    agents=(AgentStart("codex", 3),),
    faults=(Fault("secret", "error", "said\u2028so", "A\x07.md", 1, 2, "k"),),
    context=(file("A.md", "one", "two"), file("B.md", "one")),
)


def test_runs_that_found_the_same_have_the_same_lines(tmp_path: Path) -> None:
    found = [*generated(40), HOSTILE]
    shuffled = [
        Outcome(*each[:6], each.seconds + 9, each.agents, each.faults[::-1], each.context[::-1])
        for each in Random(3).sample(found, len(found))
    ]
    with results(tmp_path, found, generated(40, is_later=True), shuffled) as connection:
        first, second, third = (list(dumped(connection, find_run(connection, number))) for number in (1, 2, 3))
    assert first == third
    assert first != second


def test_every_row_is_a_line_that_cannot_control_a_terminal(tmp_path: Path) -> None:
    with results(tmp_path, [HOSTILE, Outcome(Member("a", "/a"), "is gone")]) as connection:
        lines = list(dumped(connection, find_run(connection)))
    rows = [json.loads(line) for line in lines]
    assert all(line.endswith("}\n") and line.isascii() and line[:-1].isprintable() for line in lines)
    kinds = [row.pop("row") for row in rows]
    assert kinds == ["run", *["repository"] * 2, "agent", "finding", *["file"] * 2, *["block"] * 3]
    assert rows[1] == {
        "name": "a", "place": "/a", "error": "is gone", "commit": "", "files": 0, "tokens": 0, "bytes": 0,
    }  # fmt: skip
    assert rows[3] == {"repository": HOSTILE.member.name, "agent": "codex", "start": 3, "home": 0, "lost": 0}
    assert [row["head"] for row in rows if "head" in row and row["position"] == 1] == ["two"]
    assert not any(key in row for row in rows for key in ("id", "seconds", "began", "ended_at"))
