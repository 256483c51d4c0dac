"""The overview of a run: what it says of each repository, and of files that no ctxtui wrote or that are damaged."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.base.manual import page
from ctxtui.fleet.overview import read_overview, run_words
from ctxtui.fleet.policy import read_policy
from tests.fleet.kept import generated, keep, outcome


def test_agents_findings_and_changes_are_those_of_the_outcomes(tmp_path: Path) -> None:
    before, now = generated(200), generated(200, is_later=True)
    overview = read_overview(keep(tmp_path / "fleet.db", before, now))
    was = {each.member.name: max((agent.start for agent in each.agents), default=0) for each in before}
    assert len(overview.rows) == 200
    assert any(row.kept.error for row in overview.rows)
    for row, made in zip(overview.rows, sorted(now, key=lambda each: each.member.name), strict=True):
        assert (row.kept.name, row.kept.place) == made.member
        assert row.agents == tuple(sorted(made.agents, key=lambda each: (-each.start, each.agent)))
        assert sum(row.findings.values()) == len(made.faults)
        assert all(row.findings[fault.severity] for fault in made.faults)
        start = max((agent.start for agent in made.agents), default=0)
        assert row.start == start
        assert row.change == (None if made.error else start - was[made.member.name])


def test_a_repository_that_failed_before_or_was_counted_otherwise_has_no_change(tmp_path: Path) -> None:
    file = keep(tmp_path / "fleet.db", [outcome("a", error="gone")], [outcome("a", [("codex", 5)])])
    assert [row.change for row in read_overview(file).rows] == [None]
    keep(file, [outcome("a", [("codex", 9)])], tokenizer="cl100k_base")
    overview = read_overview(file)
    assert (overview.runs, overview.before) == ((1, 2, 3), None)
    assert [row.change for row in overview.rows] == [None]
    assert run_words(read_overview(file, 1)).startswith("run 1 of 20")


def test_a_run_that_did_not_end_says_how_far_it_is(tmp_path: Path) -> None:
    file = keep(tmp_path / "fleet.db", generated(3), generated(2), is_ended=False)
    assert read_overview(file).run.id == 1
    assert "2 of 2 repositories so far, since run 1 of 20" in run_words(read_overview(file, 2))
    with pytest.raises(NotFound, match="no run 7"):
        read_overview(file, 7)


@pytest.mark.parametrize("place", [0.3, 0.5, 0.8])
def test_damaged_pages_are_an_error_that_names_the_file(tmp_path: Path, place: float) -> None:
    file = keep(tmp_path / "fleet.db", generated(400))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    data = bytearray(file.read_bytes())
    start = int(len(data) * place)
    data[start : start + 9_000] = b"\xff" * 9_000
    file.write_bytes(data)
    with pytest.raises(ContextError, match=re.escape(str(file))):
        read_overview(file)


def test_the_policy_of_the_page_is_read(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```", page("fleet"), re.DOTALL | re.MULTILINE)
    file = tmp_path / "policy.toml"
    file.write_text(example, "utf-8")
    policy = read_policy(file)
    assert policy.limit_names == ("total", "start claude-code")
    assert policy.most == {"secret": 0, "error": 3}
    assert [(each.repository, each.name) for each in policy.exemptions] == [("legacy-*", "total")]


def test_the_page_names_every_table_of_the_results(tmp_path: Path) -> None:
    file = keep(tmp_path / "fleet.db", [outcome("api")])
    with closing(sqlite3.connect(file)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", page("fleet"), re.MULTILINE)
    assert {name.strip("`") for row in rows for name in row.split(", ")} == tables
