"""`ctxtui init`: what is shown, asked and written, and that the audit and the action accept it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctxtui.core.text.data.yaml import load_yaml
from tests.cli.asked import answered
from tests.conftest import REPOSITORY, Asked, Project

WORKFLOW, HOOKS, LIMITS = FILES = (".github/workflows/context.yml", ".pre-commit-config.yaml", "ctxtui.toml")


SOURCE = "acme/ctxtui@v1"


@pytest.fixture
def sample(project: Project) -> Path:
    """A project of 7,000 tokens."""
    return project({"CLAUDE.md": "word" * 5_000, ".context/TASKS.md": "word" * 2_000})


def states(cli: Asked, *words: str, **more: Path) -> dict[str, tuple[str, bool]]:
    result = cli("init", "--json", *words, status=(0, 2), **more).result
    return {each["path"]: (each["state"], each["written"]) for each in result["files"]}


def test_all_is_shown_and_written_after_a_yes(sample: Path) -> None:
    status, shown = answered(sample, "n", "init", "--source", SOURCE)
    assert (status, [name for name in FILES if (sample / name).exists()]) == (0, [])
    status, _ = answered(sample, "y", "init", "--source", SOURCE)
    assert (status, "OWNER" in shown) == (0, False)
    for name in FILES:
        assert (sample / name).read_text() in shown


def test_without_a_terminal_and_a_yes_nothing_is_written(cli: Asked, sample: Path) -> None:
    assert "--yes answers yes" in cli("init", status=2).err
    assert states(cli) == dict.fromkeys(FILES, ("absent", False))
    assert not any((sample / name).exists() for name in FILES)


def test_what_is_written_is_accepted(cli: Asked, sample: Path) -> None:
    assert f"for OWNER and REF in {WORKFLOW} and {HOOKS}" in cli("init", "--yes").err
    limits = 'total = "8k"\n# max_growth = "10%"\n\n[limits.start]\nclaude-code = "6k"\n'
    assert (sample / LIMITS).read_text().partition("\n")[2] == limits
    assert [line for line in cli("audit", "-q").out.splitlines() if line.startswith("ok")] == [
        "ok   total 7,000 <= 8,000",
        "ok   start claude-code 5,000 <= 6,000",
    ]
    assert all((sample / name).read_text().startswith("# For OWNER, put") for name in (WORKFLOW, HOOKS))
    (step,) = load_yaml((sample / WORKFLOW).read_text())[0]["jobs"]["audit"]["steps"][1:]
    place, _, ref = step["uses"].removeprefix("OWNER/ctxtui/").partition("@")
    action = load_yaml((REPOSITORY / place / "action.yml").read_text())[0]
    assert (ref, set(step["with"]) <= set(action["inputs"])) == ("REF", True)
    (entry,) = load_yaml((sample / HOOKS).read_text())[0]["repos"]
    known = load_yaml((REPOSITORY / ".pre-commit-hooks.yaml").read_text())[0]
    assert {each["id"] for each in entry["hooks"]} <= {each["id"] for each in known}
    assert states(cli, "--yes") == dict.fromkeys(FILES, ("set", False))


def test_files_that_exist_stay_and_the_rest_is_told(cli: Asked, sample: Path) -> None:
    (sample / HOOKS).write_text("repos: []\n")
    (sample / "pyproject.toml").write_text('[tool.ctxtui.limits]\ntotal = "9k"\n')
    out, err = cli("init", "--yes", f"--source={SOURCE}")
    assert f"{HOOKS} exists; add\n\nrepos:\n  - repo: https://github.com/acme/ctxtui\n" in out
    assert f"1 file written\n{HOOKS} exists: add what is shown\n" in err
    assert ((sample / HOOKS).read_text(), (sample / LIMITS).exists()) == ("repos: []\n", False)
    assert states(cli) == {WORKFLOW: ("set", False), HOOKS: ("other", False), LIMITS: ("set", False)}


def test_errors_of_today_are_told(cli: Asked, sample: Path) -> None:
    (sample / ".claude" / "agents").mkdir(parents=True)
    (sample / ".claude" / "agents" / "reviewer.md").write_text("---\nname: reviewer\n---\nReview.\n")
    assert "1 error of today will fail it" in cli("init", "--yes").err


def test_nothing_is_limited_without_context_files(cli: Asked, project: Project) -> None:
    bare = project({"main.py": "pass\n"})
    assert list(states(cli, "--yes", cwd=bare)) == [WORKFLOW, HOOKS]
    assert not (bare / LIMITS).exists()


def test_the_names_of_agents_are_keys(cli: Asked, sample: Path) -> None:
    own = 'name = "M"\ndetect = ["*.md"]\nsrc = ["https://example.org"]\nchecked = 2026-11-01\n'
    rows = 'id = "m"\nfiles = ["CLAUDE.md"]\nload = "start"\n'
    agent = f'[tool.ctxtui.agents."my agent"]\n{own}\n[[tool.ctxtui.agents."my agent".rows]]\n{rows}'
    (sample / "pyproject.toml").write_text(agent)
    cli("init", "--yes")
    assert "ok   start my agent 5,000 <= 6,000" in cli("audit", "-q").out.splitlines()


def test_nothing_is_written_through_a_link(cli: Asked, sample: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (sample / ".github").symlink_to(outside)
    assert ".github" in cli("init", "--yes", status=2).err
    assert (list(outside.iterdir()), (sample / LIMITS).exists()) == ([], False)


def test_the_source_is_where_pip_got_it(cli: Asked, sample: Path, tmp_path: Path) -> None:
    installed = tmp_path / "site" / "ctxtui-0.1.0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: ctxtui\nVersion: 0.1.0\n")
    noted = {"url": "https://github.com/acme/ctxtui.git", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}}
    (installed / "direct_url.json").write_text(json.dumps(noted))
    search = os.pathsep.join([str(installed.parent), str(REPOSITORY)])
    command = [sys.executable, "-m", "ctxtui.cli", "init", "--yes"]
    subprocess.run(command, cwd=sample, env={**os.environ, "PYTHONPATH": search}, check=True)
    assert "uses: acme/ctxtui/.github/actions/audit@c0ffee\n" in (sample / WORKFLOW).read_text()
    cli("init", "--source", "acme/ctxtui", status=2)
