"""`ctxtui init`: what is shown, asked and written, and that the audit and the action accept it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.text.data.yaml import load_yaml
from tests import warm
from tests.cli.asked import at_terminal
from tests.conftest import REPOSITORY, Project

WORKFLOW, HOOKS, LIMITS = FILES = (".github/workflows/context.yml", ".pre-commit-config.yaml", "ctxtui.toml")


@pytest.fixture
def folder(project: Project) -> Path:
    return project({"CLAUDE.md": "word" * 5_000, ".context/TASKS.md": "word" * 2_000})


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return warm.run(words, "", folder, {**os.environ, **environment})


def answered(folder: Path, answer: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "ctxtui.cli", "init", "--source", "acme/ctxtui@v1"]
    return at_terminal(command, folder, "[y/N]", f"{answer}\n".encode())


def states(folder: Path, *words: str) -> dict[str, tuple[str, bool]]:
    result: dict[str, Any] = json.loads(run(folder, "init", "--json", *words).stdout)["result"]
    return {each["path"]: (each["state"], each["written"]) for each in result["files"]}


def test_all_is_shown_and_written_after_a_yes(folder: Path) -> None:
    status, shown = answered(folder, "n")
    assert (status, [name for name in FILES if (folder / name).exists()]) == (0, [])
    status, _ = answered(folder, "y")
    assert status == 0
    for name in FILES:
        assert (folder / name).read_text() in shown
    assert "OWNER" not in shown


def test_without_a_terminal_and_a_yes_nothing_is_written(folder: Path) -> None:
    done = run(folder, "init")
    assert (done.returncode, "--yes answers yes" in done.stderr) == (2, True)
    assert states(folder) == dict.fromkeys(FILES, ("absent", False))
    assert not any((folder / name).exists() for name in FILES)


def test_what_is_written_is_accepted(folder: Path) -> None:
    done = run(folder, "init", "--yes")
    assert f"for OWNER and REF in {WORKFLOW} and {HOOKS}" in done.stderr
    assert (folder / LIMITS).read_text().splitlines()[1:] == [
        'total = "8k"',
        '# max_growth = "10%"',
        "",
        "[limits.start]",
        'claude-code = "6k"',
    ]
    assert [line for line in run(folder, "audit", "-q").stdout.splitlines() if line.startswith("ok")] == [
        "ok   total 7,000 <= 8,000",
        "ok   start claude-code 5,000 <= 6,000",
    ]
    assert all((folder / name).read_text().startswith("# For OWNER, put") for name in (WORKFLOW, HOOKS))
    (step,) = load_yaml((folder / WORKFLOW).read_text())[0]["jobs"]["audit"]["steps"][1:]
    place, _, ref = step["uses"].removeprefix("OWNER/ctxtui/").partition("@")
    action = load_yaml((REPOSITORY / place / "action.yml").read_text())[0]
    assert (ref, set(step["with"]) <= set(action["inputs"])) == ("REF", True)
    (entry,) = load_yaml((folder / HOOKS).read_text())[0]["repos"]
    known = load_yaml((REPOSITORY / ".pre-commit-hooks.yaml").read_text())[0]
    assert {each["id"] for each in entry["hooks"]} <= {each["id"] for each in known}
    assert states(folder, "--yes") == dict.fromkeys(FILES, ("set", False))


def test_files_that_exist_stay_and_the_rest_is_told(folder: Path) -> None:
    (folder / HOOKS).write_text("repos: []\n")
    (folder / "pyproject.toml").write_text('[tool.ctxtui.limits]\ntotal = "9k"\n')
    done = run(folder, "init", "--yes", "--source=acme/ctxtui@v1")
    assert f"{HOOKS} exists; add\n\nrepos:\n  - repo: https://github.com/acme/ctxtui\n" in done.stdout
    assert f"1 file written\n{HOOKS} exists: add what is shown\n" in done.stderr
    assert ((folder / HOOKS).read_text(), (folder / LIMITS).exists()) == ("repos: []\n", False)
    assert states(folder) == {WORKFLOW: ("set", False), HOOKS: ("other", False), LIMITS: ("set", False)}


def test_errors_of_today_are_told(folder: Path) -> None:
    (folder / ".claude" / "agents").mkdir(parents=True)
    (folder / ".claude" / "agents" / "reviewer.md").write_text("---\nname: reviewer\n---\nReview.\n")
    assert "1 error of today will fail it" in run(folder, "init", "--yes").stderr


def test_nothing_is_limited_without_context_files(project: Project) -> None:
    bare = project({"main.py": "pass\n"})
    assert list(states(bare, "--yes")) == [WORKFLOW, HOOKS]
    assert not (bare / LIMITS).exists()


def test_the_names_of_agents_are_keys(folder: Path) -> None:
    own = 'name = "M"\ndetect = ["*.md"]\nsrc = ["https://example.org"]\nchecked = 2026-11-01\n'
    rows = 'id = "m"\nfiles = ["CLAUDE.md"]\nload = "start"\n'
    agent = f'[tool.ctxtui.agents."my agent"]\n{own}\n[[tool.ctxtui.agents."my agent".rows]]\n{rows}'
    (folder / "pyproject.toml").write_text(agent)
    assert run(folder, "init", "--yes").returncode == 0
    assert "ok   start my agent 5,000 <= 6,000" in run(folder, "audit", "-q").stdout.splitlines()


def test_nothing_is_written_through_a_link(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / ".github").symlink_to(outside)
    done = run(folder, "init", "--yes")
    assert (done.returncode, ".github" in done.stderr, list(outside.iterdir())) == (2, True, [])
    assert not (folder / LIMITS).exists()


def test_the_source_is_where_pip_got_it(folder: Path, tmp_path: Path) -> None:
    installed = tmp_path / "site" / "ctxtui-0.1.0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: ctxtui\nVersion: 0.1.0\n")
    noted = {"url": "https://github.com/acme/ctxtui.git", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}}
    (installed / "direct_url.json").write_text(json.dumps(noted))
    search = os.pathsep.join([str(installed.parent), str(REPOSITORY)])
    command = [sys.executable, "-m", "ctxtui.cli", "init", "--yes"]
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": search}, check=True)
    assert "uses: acme/ctxtui/.github/actions/audit@c0ffee\n" in (folder / WORKFLOW).read_text()
    assert run(folder, "init", "--source", "acme/ctxtui").returncode == 2
