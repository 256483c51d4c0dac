"""What the page of the manual about fleets shows beyond commands: its policy is read, its tables are those of the file."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from ctxtui.core.base.manual import page
from ctxtui.fleet.policy import read_policy
from tests.fleet.kept import keep, outcome


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
