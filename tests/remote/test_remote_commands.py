"""Commands on remote projects, as processes: what is printed, what is refused."""

import json
import subprocess

import pytest

from tests.conftest import REPOSITORY, Ctxtui
from tests.remote.conftest import Served


@pytest.fixture
def acme(daemon: Served) -> str:
    repo = daemon.repository("api")
    if not (repo.root / "AGENTS.md").exists():
        sample = REPOSITORY / "sample_context"
        names = subprocess.run(["git", "ls-files"], cwd=sample, stdout=subprocess.PIPE, text=True, check=True).stdout
        files = {name: sample / name for name in names.splitlines()}
        repo.commit({name: file.read_bytes() for name, file in files.items() if not file.is_dir()})
    return daemon.address("api")


def test_what_is_listed_and_built_is_what_a_clone_would_give(ctxtui: Ctxtui, acme: str, daemon: Served) -> None:
    clone = daemon.folder / "api"
    for words in (("ls", "--json"), ("ls", "--include", "docs/**", "--json")):
        remote, local = (json.loads(ctxtui(*words[:1], place, *words[1:]).stdout) for place in (acme, str(clone)))
        assert remote["result"] == local["result"]
        assert remote["result"]
    pick = ("build", "--pick", ".context/TASKS", "--format", "xml", "-q")
    assert ctxtui(*pick, "-C", acme).stdout == ctxtui(*pick, "-C", str(clone)).stdout


def test_it_says_which_copy_is_used_and_keeps_stdout_clean(ctxtui: Ctxtui, acme: str, daemon: Served) -> None:
    commit = daemon.repository("api").git("rev-parse", "HEAD")
    first = ctxtui("ls", f"{acme}//context_library", "-q")
    assert (first.returncode, first.stderr) == (0, "")
    said = ctxtui("ls", f"{acme}//context_library").stderr
    assert f"at commit {commit[:10]}, fetched on " in said
    assert "--refresh fetches it again" in said


def test_agents_are_audited_with_what_lies_above_a_folder(ctxtui: Ctxtui, acme: str) -> None:
    agents = json.loads(ctxtui("audit", f"{acme}//src", "--format", "json").stdout)["result"]["agents"]
    whole = json.loads(ctxtui("ls", acme, "--include", "AGENTS.md", "--json").stdout)["result"][0]
    assert {agent["id"]: agent["startTokens"] for agent in agents}["codex"] == whole["tokens"] > 0


def test_commands_that_would_write_are_refused(ctxtui: Ctxtui, acme: str) -> None:
    entry = ("entry", "add", "text", "--category", "Decision", "-C", acme)
    stored, unplaced, slimmed = (
        ctxtui(*entry, "--in", "notes"),
        ctxtui(*entry),
        ctxtui("audit", acme, "--slim-apply", "x"),
    )
    assert stored.returncode == 2
    assert "is a fetched copy of 127.0.0.1" in stored.stderr
    assert "clone the project to change it" in stored.stderr
    for run in (unplaced, slimmed):
        assert run.returncode != 0
        assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("word", "status", "said"),
    [
        ("git://127.0.0.1:1/acme", 4, "cannot be fetched"),
        ("https://me:secret@example.org/acme/api", 2, "has a password in it"),
        ("github:acme/api//..", 2, "leads out of the project"),
    ],
)
def test_a_wrong_address_says_what_is_wrong(ctxtui: Ctxtui, word: str, status: int, said: str) -> None:
    run = ctxtui("ls", word)
    assert (run.returncode, run.stdout) == (status, "")
    assert said in run.stderr
    assert "secret" not in run.stderr


def test_refresh_is_said_to_be_for_remote_projects_only(ctxtui: Ctxtui) -> None:
    run = ctxtui("ls", ".", "--refresh")
    assert run.returncode == 2
    assert "--refresh" in run.stderr
