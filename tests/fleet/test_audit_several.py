"""`ctxtui audit A B C`: one line each, the same reports as for one, and the exit status of the worst."""

from __future__ import annotations

from pathlib import Path

from tests.cases import cases
from tests.conftest import Asked, Project

GOOD = {"AGENTS.md": "# Rules\n\nUse `uv`.\n"}
FOUND = {"AGENTS.md": "# Rules\n\nSee [more](gone.md).\n", "CLAUDE.md": "@AGENTS.md\n"}


def test_each_report_is_that_of_the_command_for_one(project: Project, asked: Asked) -> None:
    paths = [str(project(files)) for files in (GOOD, FOUND, {"ctxtui.toml": 'tokenizer = "cl100k_base"\n', **FOUND})]
    alone = [{"path": path, "error": None, "report": asked("audit", path, "--json").result} for path in paths]
    for json in (["--json"], ["--format", "json"]):
        assert asked("audit", *paths, paths[0], *json).result == {"repositories": alone}


def test_a_line_each_and_the_sums(project: Project, asked: Asked, tmp_path: Path) -> None:
    good, found, gone = project(GOOD), project(FOUND), tmp_path / "gone"
    evil = tmp_path / "a\x1b[2J\nb  99,999"
    evil.mkdir()
    out, err = asked("audit", str(good), str(found), str(gone), str(evil), status=4)
    assert "\x1b" not in out
    head, *lines = out.splitlines()
    assert head.split() == ["repository", "largest", "start", "errors", "warnings", "notes"]
    assert [line.split()[0] for line in lines[:3]] == [str(good), str(found), str(gone)]
    assert len(lines) == 4
    assert lines[2].endswith(f"not audited: {gone} does not exist")
    assert "4 repositories: " in err
    assert "1 repository could not be audited" in err


def test_any_that_fails_decides(project: Project, asked: Asked, tmp_path: Path) -> None:
    good, found = str(project(GOOD)), str(project(FOUND))
    limited = str(project({**GOOD, "ctxtui.toml": "[limits]\ntotal = 2\n"}))
    asked("audit", good, found, "--fail-on", "warning", status=1)
    assert "over its limit: total" in asked("audit", good, limited, str(tmp_path / "gone"), status=1).out


@cases(
    "words",
    (
        "-C x,--cwd x,--since main,--baseline f,--write-baseline f,--touch f,--history,--weigh-mcp x,--logs,--fix,"
        "--slim,--slim-apply x,--slim-undo,--every,--format sarif"
    ).split(","),
)
def test_what_is_for_one_project_is_refused(words: str, asked: Asked) -> None:
    said = asked("audit", "a", "b", *words.split(), status=2).err
    assert f"{words.split()[0]}" in said
    assert "is for one project" in said
