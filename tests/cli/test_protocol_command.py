"""`ctxtui protocol`: bytes on stdout, narration on stderr, refusals."""

import json
from pathlib import Path

from ctxtui.catalog.source import find_catalogs
from ctxtui.core import get_counter
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.cli.streams import Refused
from tests.conftest import Asked, Project


def test_it_walks_the_steps_with_reasons(sample: Path, asked: Asked) -> None:
    out, err = asked("protocol", "python", "-C", str(sample))
    lines = out.splitlines()
    assert [line for line in lines if line[:1].isdigit()] == [
        "1. Read the Domain Index: 4 files, 2 workflows, 7 hints",
        "2. Load the Always Files: 2 files",
        "3. Detect the Project: framework fastapi; libraries sqlalchemy, pydantic, pyjwt; tests pytest",
        "4. Load What Was Detected: 4 files, 1 loaded by an earlier step",
        "5. Look Across Domains: 1 file, 1 loaded by an earlier step, triggers: sql_queries, auth_code",
    ]
    assert any(line.startswith("  +  python/fastapi_patterns") and "fastapi: from fastapi" in line for line in lines)
    assert "triggers taken from the project: sql_queries, auth_code" in err
    assert "5 files within 6" in err


def test_the_seeds_example_on_the_real_catalog(corpora: Path, sample: Path, asked: Asked) -> None:
    catalog = corpora / "forge-v030" / "forge-plugin" / "context"
    said = asked("protocol", "python", "--catalog", str(catalog), "--project", str(sample), "--json")
    assert [(file["id"], file["step"]) for file in said.result["files"]] == [
        ("python/common_issues", 2),
        ("python/context_detection", 2),
        ("python/fastapi_patterns", 4),
        ("security/security_guidelines", 5),
    ]
    assert said.result["detection"]["framework"] == "fastapi"
    assert (said.result["leftOut"], said.notices) == ([], [])


def test_json_is_one_document_without_contents(sample: Path, asked: Asked) -> None:
    words = ("python", "-C", str(sample), "--json", "--trigger", "auth", "--max-files", "2", "-q")
    out, err = asked("protocol", *words)
    document = json.loads(out)
    assert err == ""
    assert set(document) == {"result", "notices"}
    result = document["result"]
    assert (result["triggers"], result["maxFiles"]) == (["auth"], 2)
    assert set(result["files"][0]) == {"id", "title", "step", "reason", "estimatedTokens"}
    assert result["tokens"] == sum(file["estimatedTokens"] for file in result["files"])
    assert {"beyond-budget", "over-budget"} <= {notice["code"] for notice in document["notices"]}
    assert all(each["reason"] for each in result["leftOut"])
    # As text, what is left out is shown.
    assert "  -  python/testing_patterns" in asked("protocol", "python", "-C", str(sample), "--max-files", "2").out


@cases(
    ("words", "status", "said"),
    [
        ("pythn", 3, "\n  did you mean python?\n"),
        ("python --max-files -1", 2, "--max-files -1 is negative"),
        *((f"python {option} nowhere", 2, "does not exist") for option in ("-C", "--project", "--catalog")),
        *((f"python {option} README.md", 2, "is a file") for option in ("-C", "--project", "--catalog")),
    ],
)
def test_wrong_words_are_told(cli: Asked, words: str, status: int, said: str) -> None:
    assert said in cli("protocol", *words.split(), status=status).err


def test_the_catalog_is_named_where_there_are_several_or_none(sample: Path, project: Project, asked: Asked) -> None:
    files = {f"{root}/{name}": "" for root in ("one", "two") for name in ("cross_domain.md", "python/index.md")}
    place = project(files)
    assert find_catalogs(place) == ["one", "two"]
    words = ("protocol", "python", "-C", str(place))
    assert f"{place / 'one'}, {place / 'two'}" in asked(*words, status=2).err
    asked(*words, "--catalog", str(place / "two"))
    words = ("protocol", "python", "-C", str(project({"a.py": ""})))
    assert "no domain catalog" in asked(*words, status=3).err
    asked(*words, "--project", str(sample))


def test_hostile_texts_do_not_reach_the_terminal(project: Project, asked: Asked) -> None:
    files = {"lib/cross_domain.md": "", "lib/x/index.md": "# X\n"}
    root = project({**files, "lib/loading_protocol.md": "## Step 1: \x1b[31mred\u202e\n"})
    assert not {"\x1b", "\u202e"} & set("".join(asked("protocol", "x", "-C", str(root))))


def test_what_is_loaded_can_be_built(cli: Asked, refused: Refused) -> None:
    out, err = cli("protocol", "python", "--build")
    assert out.startswith("<!-- source: python/common_issues.md -->\n")
    assert f"{get_counter().count(out):,} tokens (o200k_base) in 5 blocks" in err
    refused("protocol", "python", "--build", "--budget", "1k", status=1)
    cli("protocol", "schema", "--build", status=2)


def test_what_git_ignores_is_built_and_what_is_binary_left_out(sample: Path, cli: Asked) -> None:
    Repo(sample)
    (sample / ".gitignore").write_text("context_library/python/\n")
    assert "# Common Python Issues" in cli("protocol", "python", "--build").out
    (sample / "context_library/python/common_issues.md").write_bytes(b"\0\1")
    assert "# Common Python Issues" not in cli("protocol", "python", "--build").out
