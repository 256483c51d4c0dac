"""`ctxtui protocol`: bytes on stdout, narration on stderr, refusals."""

import json
from argparse import Namespace
from pathlib import Path

import pytest

from ctxtui.catalog.source import find_catalogs
from ctxtui.cli.explore.protocol import run_protocol_command
from ctxtui.core import get_counter
from ctxtui.core.base.errors import ContextError, NotFound
from tests.conftest import Ctxtui, Project


def run(domain: str = "python", **more: object) -> int:
    arguments = {
        "domain": domain,
        "project": None,
        "catalog": None,
        "trigger": None,
        "max_files": None,
        "json": False,
        "quiet": False,
        "directory": None,
        "build": False,
        "model": None,
        "tokenizer": None,
    }
    return run_protocol_command(Namespace(**(arguments | more)))


def test_it_walks_the_steps_with_reasons(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(directory=str(sample)) == 0
    out, err = capsys.readouterr()
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


def test_the_seeds_example_on_the_real_catalog(
    corpora: Path, sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog = corpora / "forge-v030" / "forge-plugin" / "context"
    assert run(catalog=str(catalog), project=str(sample), json=True) == 0
    out, _ = capsys.readouterr()
    document = json.loads(out)
    assert [(file["id"], file["step"]) for file in document["result"]["files"]] == [
        ("python/common_issues", 2),
        ("python/context_detection", 2),
        ("python/fastapi_patterns", 4),
        ("security/security_guidelines", 5),
    ]
    assert document["result"]["detection"]["framework"] == "fastapi"
    assert document["result"]["leftOut"] == []
    assert document["notices"] == []


def test_json_is_one_document_without_contents(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(directory=str(sample), json=True, trigger=["auth"], max_files=2, quiet=True) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert err == ""
    assert set(document) == {"result", "notices"}
    result = document["result"]
    assert result["triggers"] == ["auth"]
    assert result["maxFiles"] == 2
    assert set(result["files"][0]) == {"id", "title", "step", "reason", "estimatedTokens"}
    assert result["tokens"] == sum(file["estimatedTokens"] for file in result["files"])
    assert {"beyond-budget", "over-budget"} <= {notice["code"] for notice in document["notices"]}
    assert all(each["reason"] for each in result["leftOut"])


def test_what_is_left_out_is_shown(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(directory=str(sample), max_files=2)
    assert "  -  python/testing_patterns" in capsys.readouterr().out


def test_an_unknown_domain_is_not_found(sample: Path) -> None:
    with pytest.raises(NotFound, match="no domain 'pythn'") as caught:
        run("pythn", directory=str(sample))
    assert caught.value.hint == "did you mean python?"


def test_no_catalog_is_not_found(project: Project) -> None:
    with pytest.raises(NotFound, match="no domain catalog"):
        run(directory=str(project({"a.py": ""})))


def test_several_catalogs_are_named(project: Project) -> None:
    files = {f"{root}/{name}": "" for root in ("one", "two") for name in ("cross_domain.md", "python/index.md")}
    place = project(files)
    assert find_catalogs(place) == ["one", "two"]
    with pytest.raises(ContextError) as caught:
        run(directory=str(place))
    assert not isinstance(caught.value, NotFound)
    assert f"{place / 'one'}, {place / 'two'}" in caught.value.message
    assert run(directory=str(place), catalog=str(place / "two")) == 0


def test_a_catalog_below_the_project_that_is_looked_at(sample: Path, project: Project) -> None:
    assert run(directory=str(project({"a.py": ""})), project=str(sample)) == 0


@pytest.mark.parametrize("argument", ["directory", "project", "catalog"])
def test_folders_that_are_none_are_wrong_usage(sample: Path, argument: str) -> None:
    with pytest.raises(ContextError, match="does not exist"):
        run(**({"directory": str(sample)} | {argument: str(sample / "nowhere")}))
    with pytest.raises(ContextError, match="is a file"):
        run(**({"directory": str(sample)} | {argument: str(sample / "README.md")}))


def test_hostile_texts_do_not_reach_the_terminal(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        "lib/cross_domain.md": "",
        "lib/x/index.md": "# X\n",
        "lib/loading_protocol.md": "## Step 1: \x1b[31mred\u202e\n",
    }
    assert run("x", directory=str(project(files))) == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "\u202e" not in out + err


def test_what_is_loaded_can_be_built(ctxtui: Ctxtui) -> None:
    done = ctxtui("protocol", "python", "--build")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("<!-- source: python/common_issues.md -->\n")
    assert f"{get_counter().count(done.stdout):,} tokens (o200k_base) in 5 blocks" in done.stderr
    small = ctxtui("protocol", "python", "--build", "--budget", "1k")
    assert (small.returncode, small.stdout) == (1, "")
    assert ctxtui("protocol", "schema", "--build").returncode == 2
