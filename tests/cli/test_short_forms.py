"""`ls` in short forms: folders with sums, and ids with tokens; `search --json` without fields that say nothing."""

import json
from pathlib import Path

from tests.cases import cases
from tests.conftest import Asked


def listed(text: str) -> dict[str, int]:
    return {row[0]: int(row[1] or 0) for row in (line.split("\t") for line in text.splitlines())}


@cases("depth", [1, 2, 3, 9])
def test_folders_have_the_sums_of_their_files(cli: Asked, depth: int) -> None:
    files = cli("ls", "--json", "-q").result
    folders = listed(cli("ls", "--depth", str(depth), "-q").out)
    assert sum(folders.values()) == sum(each["tokens"] for each in files)
    for id_, tokens in folders.items():
        if id_.endswith("/"):
            assert id_.count("/") == depth
            assert tokens == sum(each["tokens"] for each in files if each["path"].startswith(id_))
    shown = cli("ls", "--depth", str(depth), "--json", "-q").result
    assert [row["id"] for row in shown] == list(folders)
    assert sum(row.get("files", 1) for row in shown) == len(files)


def test_a_folder_is_picked_by_the_id_in_its_row(cli: Asked, sample: Path) -> None:
    (sample / "c#/50%23").mkdir(parents=True)
    (sample / "c#/50%23/a.md").write_text("told\n")
    for depth, id_ in ((1, "c#/"), (2, "c#/50%23/")):
        assert id_ in listed(cli("ls", "--depth", str(depth), "-q").out)
        assert "told" in cli("build", "--pick", id_).out


def test_short_json_is_the_tokens_by_id(cli: Asked) -> None:
    files = cli("ls", "--json", "-q").result
    short = cli("ls", "--json", "--short", "-q").out
    assert json.loads(short)["result"] == {each["id"]: each["tokens"] for each in files}
    assert len(short.splitlines()) < len(files) + 8
    assert listed(cli("ls", "--short", "-q").out) == json.loads(short)["result"]
    cli("ls", "--depth", "0", status=2)


def test_a_hit_says_of_a_plain_file_only_what_it_says(cli: Asked) -> None:
    found = cli("search", "deploy", "--in", "text", "--json", "-q").result
    plain = next(each for each in found if each["id"].startswith("docs/"))
    assert set(plain["reference"]) == {"id", "title", "path"}
    [catalog, *_] = cli("search", "fastapi", "--json", "-q").result
    assert {"domain", "sections", "crossDomainTriggers", "loadingStrategy"} <= set(catalog["reference"])
    # The skill begins with what costs least.
    text = cli("skill", "install", "--agent", "claude-code", status=2).out
    assert text.index("ctxtui search") < text.index("ctxtui ls")
    assert "ls --json" not in text
