"""`ls` in short forms: folders with sums, and ids with tokens; `search --json` without fields that say nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Ctxtui


def listed(text: str) -> dict[str, int]:
    rows = [line.split("\t") for line in text.splitlines()]
    return {row[0]: int(row[1] or 0) for row in rows}


@pytest.mark.parametrize("depth", [1, 2, 3, 9])
def test_folders_have_the_sums_of_their_files(ctxtui: Ctxtui, depth: int) -> None:
    files = json.loads(ctxtui("ls", "--json", "-q").stdout)["result"]
    folders = listed(ctxtui("ls", "--depth", str(depth), "-q").stdout)
    assert sum(folders.values()) == sum(each["tokens"] for each in files)
    for id_, tokens in folders.items():
        if id_.endswith("/"):
            assert id_.count("/") == depth
            assert tokens == sum(each["tokens"] for each in files if f"{each['path']}".startswith(id_))
    shown = json.loads(ctxtui("ls", "--depth", str(depth), "--json", "-q").stdout)["result"]
    assert [row["id"] for row in shown] == list(folders)
    assert sum(row.get("files", 1) for row in shown) == len(files)


def test_a_folder_is_picked_by_the_id_in_its_row(ctxtui: Ctxtui, sample: Path) -> None:
    (sample / "c#/50%23").mkdir(parents=True)
    (sample / "c#/50%23/a.md").write_text("told\n")
    for depth, id_ in ((1, "c#/"), (2, "c#/50%23/")):
        assert id_ in listed(ctxtui("ls", "--depth", str(depth), "-q").stdout)
        assert "told" in ctxtui("build", "--pick", id_).stdout


def test_short_json_is_the_tokens_by_id(ctxtui: Ctxtui) -> None:
    files = json.loads(ctxtui("ls", "--json", "-q").stdout)["result"]
    short = ctxtui("ls", "--json", "--short", "-q").stdout
    assert json.loads(short)["result"] == {each["id"]: each["tokens"] for each in files}
    assert len(short.splitlines()) < len(files) + 8
    assert listed(ctxtui("ls", "--short", "-q").stdout) == json.loads(short)["result"]
    assert ctxtui("ls", "--depth", "0").returncode == 2


def test_a_hit_says_of_a_plain_file_only_what_it_says_and_the_skill_begins_with_what_costs_least(
    ctxtui: Ctxtui,
) -> None:
    found = json.loads(ctxtui("search", "deploy", "--in", "text", "--json", "-q").stdout)["result"]
    plain = next(each for each in found if each["id"].startswith("docs/"))
    assert set(plain["reference"]) == {"id", "title", "path"}
    [catalog, *_] = json.loads(ctxtui("search", "fastapi", "--json", "-q").stdout)["result"]
    assert {"domain", "sections", "crossDomainTriggers", "loadingStrategy"} <= set(catalog["reference"])
    text = ctxtui("skill", "install", "--agent", "claude-code").stdout
    assert text.index("ctxtui search") < text.index("ctxtui ls")
    assert "ls --json" not in text
