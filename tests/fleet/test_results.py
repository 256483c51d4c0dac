"""The file with the results: what is appended is read back, a killed run goes on, and foreign files are refused."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.fleet.results.append import append, begin, end
from ctxtui.fleet.results.read import find_run, repositories, run_before, runs
from ctxtui.fleet.results.schema import is_results, open_to_read, open_to_write
from ctxtui.fleet.types import AgentStart, Block, ContextFile, Fault, Member, Outcome

BLOCKS = (Block(b"one", 1, 7, "# Rules"), Block(b"two", 3, 5, "Write tests."))


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


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "fleet.db"
    with closing(open_to_write(path)) as connection:
        run = begin(connection, "1", "o200k", b"members", 2)
        append(connection, run.id, "o200k", [outcome("b", rules()), Outcome(Member("a", "/srv/a"), "is gone")])
        end(connection, run.id)
    with closing(open_to_read(path)) as connection:
        found = repositories(connection, 1)
        assert [(each.name, each.error, each.tokens, each.commit) for each in found] == [
            ("a", "is gone", 0, ""),
            ("b", "", 12, "1a2b"),
        ]
        assert find_run(connection).size == 2
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM runs")


def test_the_tables_that_follow_from_values_are_those_of_version_1(tmp_path: Path) -> None:
    with closing(open_to_write(tmp_path / "fleet.db")) as connection:
        tables = {
            table: " ".join(
                f"{name}:{kind}" for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})")
            )
            for table in ("repositories", "agents", "findings")
        }
    assert tables == {
        "repositories": "id:INTEGER run:INTEGER name:TEXT place:TEXT error:TEXT commit:TEXT files:INTEGER"
        " tokens:INTEGER bytes:INTEGER seconds:REAL",
        "agents": "repository:INTEGER agent:TEXT start:INTEGER home:INTEGER lost:INTEGER",
        "findings": "repository:INTEGER rule:TEXT severity:TEXT message:TEXT path:TEXT line:INTEGER tokens:INTEGER"
        " key:TEXT",
    }


def test_what_files_say_is_kept_once(tmp_path: Path) -> None:
    with closing(open_to_write(tmp_path / "fleet.db")) as connection:
        for members in (b"one", b"two"):
            run = begin(connection, "1", "o200k", members, 2)
            append(connection, run.id, "o200k", [outcome("a", rules()), outcome("b", rules(), rules("CLAUDE.md"))])
            end(connection, run.id)
        counted = [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("files", "contents", "blocks", "texts")
        ]
        assert counted == [6, 1, 2, 2]


def test_a_run_that_was_killed_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "fleet.db"
    with closing(open_to_write(path)) as connection:
        run = begin(connection, "1", "o200k", b"members", 2)
        append(connection, run.id, "o200k", [outcome("a", rules())])
    with closing(open_to_write(path)) as connection:
        assert begin(connection, "1", "o200k", b"members", 2) == (run.id, frozenset({"a"}))
        append(connection, run.id, "o200k", [outcome("a", rules()), outcome("b", rules())])
        assert [each.name for each in repositories(connection, run.id)] == ["a", "b"]
        assert connection.execute("SELECT count(*) FROM agents").fetchone() == (2,)
        end(connection, run.id)
        assert begin(connection, "1", "o200k", b"members", 2).id == run.id + 1


@pytest.mark.parametrize("changed", ["program", "tokenizer", "members", "fresh"])
def test_a_run_about_something_else_is_a_new_one(tmp_path: Path, changed: str) -> None:
    with closing(open_to_write(tmp_path / "fleet.db")) as connection:
        begin(connection, "1", "o200k", b"members", 2)
        words = {"program": "1", "tokenizer": "o200k"} | (
            {changed: "2"} if changed in ("program", "tokenizer") else {}
        )
        members = b"others" if changed == "members" else b"members"
        run = begin(connection, **words, members=members, size=2, fresh=changed == "fresh")
        assert run == (2, frozenset())


def test_the_last_run_that_ended_is_the_one_that_is_read(tmp_path: Path) -> None:
    with closing(open_to_write(tmp_path / "fleet.db")) as connection:
        with pytest.raises(NotFound, match="no run"):
            find_run(connection)
        for members, tokenizer in ((b"1", "o200k"), (b"2", "cl100k"), (b"3", "o200k")):
            end(connection, begin(connection, "1", tokenizer, members, 1).id)
        begin(connection, "1", "o200k", b"4", 1)
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
