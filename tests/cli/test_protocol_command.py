"""`ctxtui protocol`: bytes on stdout, narration on stderr, refusals."""

import json
from pathlib import Path

from ctxtui.catalog.source import find_catalogs
from ctxtui.core import get_counter
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.conftest import Asked, Ctxtui, Project


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
    assert result["triggers"] == ["auth"]
    assert result["maxFiles"] == 2
    assert set(result["files"][0]) == {"id", "title", "step", "reason", "estimatedTokens"}
    assert result["tokens"] == sum(file["estimatedTokens"] for file in result["files"])
    assert {"beyond-budget", "over-budget"} <= {notice["code"] for notice in document["notices"]}
    assert all(each["reason"] for each in result["leftOut"])


def test_what_is_left_out_is_shown(sample: Path, asked: Asked) -> None:
    out, _ = asked("protocol", "python", "-C", str(sample), "--max-files", "2")
    assert "  -  python/testing_patterns" in out


@cases(
    ("words", "status", "said"),
    [
        ("pythn", 3, "\n  did you mean python?\n"),
        ("python --max-files -1", 2, "--max-files -1 is negative"),
        *((f"python {option} nowhere", 2, "does not exist") for option in ("-C", "--project", "--catalog")),
        *((f"python {option} README.md", 2, "is a file") for option in ("-C", "--project", "--catalog")),
    ],
)
def test_wrong_words_are_told(ctxtui: Ctxtui, words: str, status: int, said: str) -> None:
    done = ctxtui("protocol", *words.split())
    assert (done.returncode, said in done.stderr) == (status, True)


def test_several_catalogs_are_named(project: Project, asked: Asked) -> None:
    files = {f"{root}/{name}": "" for root in ("one", "two") for name in ("cross_domain.md", "python/index.md")}
    place = project(files)
    assert find_catalogs(place) == ["one", "two"]
    words = ("protocol", "python", "-C", str(place))
    assert f"{place / 'one'}, {place / 'two'}" in asked(*words, status=2).err
    asked(*words, "--catalog", str(place / "two"))


def test_a_catalog_below_the_project_that_is_looked_at(sample: Path, project: Project, asked: Asked) -> None:
    words = ("protocol", "python", "-C", str(project({"a.py": ""})))
    assert "no domain catalog" in asked(*words, status=3).err
    asked(*words, "--project", str(sample))


def test_hostile_texts_do_not_reach_the_terminal(project: Project, asked: Asked) -> None:
    files = {
        "lib/cross_domain.md": "",
        "lib/x/index.md": "# X\n",
        "lib/loading_protocol.md": "## Step 1: \x1b[31mred\u202e\n",
    }
    out, err = asked("protocol", "x", "-C", str(project(files)))
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


def test_what_git_ignores_is_built_and_what_is_binary_left_out(sample: Path, ctxtui: Ctxtui) -> None:
    Repo(sample)
    (sample / ".gitignore").write_text("context_library/python/\n")
    done = ctxtui("protocol", "python", "--build")
    assert (done.returncode, "# Common Python Issues" in done.stdout) == (0, True)
    (sample / "context_library/python/common_issues.md").write_bytes(b"\0\1")
    done = ctxtui("protocol", "python", "--build")
    assert (done.returncode, "# Common Python Issues" in done.stdout) == (0, False)
