"""Commands on remote projects, as processes: what is printed, what is refused."""

import json
import subprocess
from collections.abc import Callable

import pytest

from tests.conftest import REPOSITORY
from tests.remote.conftest import Served

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def acme(daemon: Served) -> str:
    repo = daemon.repository("api")
    if not (repo.root / "AGENTS.md").exists():
        sample = REPOSITORY / "sample_context"
        files = subprocess.run(["git", "ls-files"], cwd=sample, capture_output=True, text=True, check=True).stdout
        repo.commit(
            {name: (sample / name).read_bytes() for name in files.splitlines() if not (sample / name).is_dir()}
        )
    return daemon.address("api")


def test_what_is_listed_and_built_is_what_a_clone_would_give(ctxtui: Run, acme: str, daemon: Served) -> None:
    clone = daemon.folder / "api"
    for words in (("ls", "--json"), ("ls", "--include", "docs/**", "--json")):
        remote, local = (json.loads(ctxtui(*words[:1], place, *words[1:]).stdout) for place in (acme, str(clone)))
        assert remote["result"] == local["result"]
        assert remote["result"]
    pick = ("build", "--pick", ".context/TASKS", "--format", "xml", "-q")
    assert ctxtui(*pick, "-C", acme).stdout == ctxtui(*pick, "-C", str(clone)).stdout


def test_it_says_which_copy_is_used_and_keeps_stdout_clean(ctxtui: Run, acme: str, daemon: Served) -> None:
    commit = daemon.repository("api").git("rev-parse", "HEAD")
    first = ctxtui("ls", f"{acme}//context_library", "-q")
    assert (first.returncode, first.stderr) == (0, "")
    said = ctxtui("ls", f"{acme}//context_library").stderr
    assert f"at commit {commit[:10]}, fetched on " in said
    assert "--refresh fetches it again" in said


def test_agents_are_audited_with_what_lies_above_a_folder(ctxtui: Run, acme: str) -> None:
    agents = json.loads(ctxtui("audit", f"{acme}//src", "--format", "json").stdout)["result"]["agents"]
    whole = json.loads(ctxtui("ls", acme, "--include", "AGENTS.md", "--json").stdout)["result"][0]
    assert {agent["id"]: agent["startTokens"] for agent in agents}["codex"] == whole["tokens"] > 0


@pytest.mark.parametrize(
    "words", [("entry", "add", "text", "--category", "Decision"), ("audit", "--slim-apply", "x")]
)
def test_commands_that_would_write_are_refused(ctxtui: Run, acme: str, words: tuple[str, ...]) -> None:
    run = ctxtui(*words, "-C", acme) if words[0] == "entry" else ctxtui(words[0], acme, *words[1:])
    assert run.returncode != 0
    assert "Traceback" not in run.stderr


def test_an_entry_is_not_stored_in_a_copy(ctxtui: Run, acme: str) -> None:
    run = ctxtui("entry", "add", "text", "--category", "Decision", "--in", "notes", "-C", acme)
    assert run.returncode == 2
    assert "is a fetched copy of 127.0.0.1" in run.stderr
    assert "clone the project to change it" in run.stderr


@pytest.mark.parametrize(
    ("word", "status", "said"),
    [
        ("git://127.0.0.1:1/acme", 4, "cannot be fetched"),
        ("https://me:secret@example.org/acme/api", 2, "has a password in it"),
        ("github:acme/api//..", 2, "leads out of the project"),
    ],
)
def test_a_wrong_address_says_what_is_wrong(ctxtui: Run, word: str, status: int, said: str) -> None:
    run = ctxtui("ls", word)
    assert (run.returncode, run.stdout) == (status, "")
    assert said in run.stderr
    assert "secret" not in run.stderr


def test_refresh_is_said_to_be_for_remote_projects_only(ctxtui: Run) -> None:
    run = ctxtui("ls", ".", "--refresh")
    assert run.returncode == 2
    assert "--refresh" in run.stderr
