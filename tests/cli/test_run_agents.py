"""Known agents get the payload: stand-in executables, real processes, on a PATH of their own."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ctxtui.cli.payloads.deliver import run_with
from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.base.executable import executable
from ctxtui.session.delivery.agents_to_run import argument_room, found_agents, known_agents
from tests.conftest import Ctxtui

BIG = "# Big\n\n" + "word and word\n" * 80_000  # 1.1 MB

# Writes what it was given beside itself, and ends with the status in STATUS.
RECORD = """\
#!{python} -S
import json, os, stat, sys
here = os.path.dirname(os.path.realpath(__file__))
given = {{"argv": sys.argv[1:], "stdin": None if sys.stdin.isatty() else sys.stdin.read()}}
for word in sys.argv[1:]:
    if word.endswith(".md") and os.path.isfile(word):
        given["file"] = word
        given["text"] = open(word, encoding="utf-8", newline="").read()
        given["mode"] = stat.S_IMODE(os.stat(word).st_mode)
with open(os.path.join(here, "given.json"), "w") as file:
    json.dump(given, file)
sys.exit(int(os.environ.get("STATUS", "0")))
"""


def install(folder: Path, name: str, script: str = "") -> Path:
    """An executable in a folder, by default one that records what it is given."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(script or RECORD.format(python=sys.executable))
    path.chmod(0o755)
    return path


def given(folder: Path) -> dict[str, object]:
    return dict(json.loads((folder / "given.json").read_text()))


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a space in its name, which is the whole PATH."""
    folder = tmp_path / "my programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def run(command: str, payload: str, project: Path, talks: bool = False) -> tuple[int, list[str]]:
    told: list[str] = []
    return run_with(command, payload, project, talks, told.append), told


def test_each_row_names_its_sources_and_a_way_that_holds_the_payload() -> None:
    names = [agent.name for agent in known_agents()]
    assert names == ["claude", "codex", "gemini", "copilot", "opencode", "cursor-agent", "aider", "llm"]
    for agent in known_agents():
        assert agent.src
        assert all(source.startswith("https://") for source in agent.src)
        for way in agent.ways:
            place = {"argument": "{prompt}", "file": "{file}", "stdin": ""}[way.by]
            assert [word for word in way.words if "{" in word] == ([place] if place else [])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude", ["-p"]),
        ("codex", ["exec", "-"]),
        ("gemini", []),
        ("copilot", []),
        ("opencode", ["run"]),
        ("llm", []),
    ],
)
def test_without_a_terminal_an_agent_answers_what_is_on_its_stdin(
    programs: Path, tmp_path: Path, name: str, words: list[str]
) -> None:
    install(programs, name)
    status, told = run(name, BIG, tmp_path / "project")
    assert (status, told) == (0, [f"{name} gets the payload on stdin, one answer"])
    assert given(programs) == {"argv": words, "stdin": BIG}


@pytest.mark.parametrize(
    ("name", "words"), [("claude", []), ("codex", []), ("gemini", ["-i"]), ("opencode", ["--prompt"])]
)
def test_on_a_terminal_a_conversation_begins_with_the_payload(
    programs: Path, tmp_path: Path, name: str, words: list[str]
) -> None:
    install(programs, name)
    payload = "# Rules\n\n'quoted' \"twice\" $HOME `id` ; \\ é\n"
    _, told = run(name, payload, tmp_path / "project", talks=True)
    assert told == [f"{name} gets the payload as an argument, a conversation"]
    assert given(programs)["argv"] == [*words, payload]


def test_what_is_too_large_for_an_argument_goes_by_stdin(programs: Path, tmp_path: Path) -> None:
    install(programs, "claude")
    _, told = run("claude", BIG, tmp_path / "project", talks=True)
    assert told == ["claude gets the payload on stdin, one answer: 1.1 MB exceeds an argument"]
    assert given(programs) == {"argv": ["-p"], "stdin": BIG}


def test_the_largest_argument_arrives_and_one_byte_more_goes_by_stdin(programs: Path, tmp_path: Path) -> None:
    install(programs, "codex")
    room = argument_room()
    for size, argv in ((room, ["a b" + "é" * ((room - 3) // 2) + "x" * ((room - 3) % 2)]), (room + 1, ["exec", "-"])):
        payload = "a b" + "é" * ((size - 3) // 2) + "x" * ((size - 3) % 2)
        assert run("codex", payload, tmp_path / "project", talks=True)[0] == 0
        assert given(programs)["argv"] == argv


@pytest.mark.parametrize("payload", ["--dangerously-skip-permissions and more", "exec", "a \0 b"])
def test_what_could_be_read_as_an_option_or_a_subcommand_is_no_argument(
    programs: Path, tmp_path: Path, payload: str
) -> None:
    install(programs, "codex")
    _, told = run("codex", payload, tmp_path / "project", talks=True)
    assert told == ["codex gets the payload on stdin, one answer: it cannot be an argument"]
    assert given(programs) == {"argv": ["exec", "-"], "stdin": payload}


def test_a_file_is_private_told_and_removed(programs: Path, tmp_path: Path) -> None:
    install(programs, "aider")
    status, told = run("aider", BIG + "\r\n", tmp_path / "project")
    seen = given(programs)
    assert (status, seen["argv"]) == (0, ["--message-file", seen["file"]])
    assert (seen["text"], seen["mode"]) == (BIG + "\r\n", 0o600)
    assert told == [
        "aider gets the payload as a file, one answer",
        f"the payload is in {seen['file']} until aider ends",
    ]
    folder = Path(str(seen["file"])).parent
    assert folder.is_relative_to(os.environ["XDG_STATE_HOME"])
    assert (stat.S_IMODE(folder.stat().st_mode), list(folder.iterdir())) == (0o700, [])


def test_a_file_is_removed_when_the_agent_cannot_be_started(programs: Path, tmp_path: Path) -> None:
    install(programs, "aider", "#!/no/such/interpreter\n")
    with pytest.raises(ContextError, match="cannot start aider"):
        run("aider", "a b", tmp_path / "project")
    assert list(Path(os.environ["XDG_STATE_HOME"]).rglob("payload-*")) == []


def test_a_file_of_a_killed_run_is_removed_a_week_later(programs: Path, tmp_path: Path) -> None:
    install(programs, "aider")
    folder = Path(os.environ["XDG_STATE_HOME"], "ctxtui/payloads")
    folder.mkdir(parents=True)
    for name, time in (("payload-old.md", 0), ("payload-new.md", None)):
        (folder / name).write_text("x")
        if time is not None:
            os.utime(folder / name, (time, time))
    run("aider", "a b", tmp_path / "project")
    assert [path.name for path in folder.iterdir()] == ["payload-new.md"]


def test_a_payload_with_no_way_in_is_refused(programs: Path, tmp_path: Path) -> None:
    install(programs, "cursor-agent")
    with pytest.raises(ContextError, match=r"cursor-agent cannot take the payload: 1\.1 MB exceeds an argument"):
        run("cursor-agent", BIG, tmp_path / "project")
    assert not (programs / "given.json").exists()


def test_an_agent_that_ends_early_is_no_error(programs: Path, tmp_path: Path) -> None:
    install(programs, "llm", "#!/bin/sh\nexec <&-\nexit 5\n")
    assert run("llm", BIG, tmp_path / "project")[0] == 5


def test_any_other_command_is_a_line_of_shell_as_before(programs: Path, tmp_path: Path) -> None:
    install(programs, "llm")
    assert run("llm -m gpt-5 'two words'", "text", tmp_path / "project") == (0, [])
    assert given(programs) == {"argv": ["-m", "gpt-5", "two words"], "stdin": "text"}


def test_nothing_of_the_project_is_started_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, good, linked = tmp_path / "project", tmp_path / "good", tmp_path / "linked"
    install(project / "bin", "claude")
    good.mkdir()
    (good / "codex").symlink_to(install(project, "codex"))
    linked.symlink_to(project / "bin")
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "bin", "", str(project / "bin"), str(linked), str(good)]))
    assert found_agents(project) == ()
    for name in ("claude", "codex"):
        with pytest.raises(NotFound, match=f"{name} is not on the PATH"):
            run(name, "a b", project)
    assert not list(tmp_path.rglob("given.json"))
    # A relative entry leads into whatever folder one happens to be in.
    monkeypatch.chdir(tmp_path)
    assert executable("claude", tmp_path / "another") == str(project / "bin" / "claude")
    monkeypatch.setenv("PATH", os.pathsep.join([".", "project/bin"]))
    assert executable("claude", tmp_path / "another") is None
    monkeypatch.setenv("PATH", os.pathsep.join([str(project / "bin"), str(good)]))
    # One that the user installed is found behind them.
    assert executable("claude", project) is None
    own = install(good, "claude")
    assert executable("claude", project) == str(own)
    assert [each.agent.name for each in found_agents(project)] == ["claude"]


def test_build_hands_the_payload_to_an_agent_and_returns_its_status(
    ctxtui: Ctxtui, sample: Path, programs: Path
) -> None:
    install(programs, "claude")
    payload = ctxtui("build", "--pick", "AGENTS.md").stdout
    done = ctxtui("build", "--pick", "AGENTS.md", "--run", "claude", STATUS="7")
    assert (done.returncode, done.stdout) == (7, "")
    assert given(programs) == {"argv": ["-p"], "stdin": payload}
    assert "claude gets the payload on stdin, one answer" in done.stderr


def test_build_pipes_the_payload_to_a_command_and_writes_it_as_well(ctxtui: Ctxtui, sample: Path) -> None:
    payload = ctxtui("build", "--pick", "AGENTS.md").stdout
    done = ctxtui("build", "--pick", "AGENTS.md", "--run", "cat", "-o", "out.md")
    assert (done.returncode, done.stdout, (sample / "out.md").read_text()) == (0, payload, payload)


@pytest.mark.parametrize("words", [["--json"], ["-o", "-"]])
def test_two_that_write_to_stdout_are_refused(ctxtui: Ctxtui, words: list[str]) -> None:
    done = ctxtui("build", "--pick", "AGENTS.md", "--run", "cat", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "both write to standard output" in done.stderr


def test_an_agent_that_is_missing_is_named_before_anything_is_done(
    ctxtui: Ctxtui, sample: Path, programs: Path
) -> None:
    for words in (["build", "--pick", "AGENTS.md", "-o", "out.md"], []):
        done = ctxtui(*words, "--run", "codex")
        assert (done.returncode, done.stdout) == (3, "")
        assert "codex is not on the PATH" in done.stderr
    assert not (sample / "out.md").exists()


def test_a_signal_before_the_agent_starts_ends_it_and_removes_the_file(programs: Path, tmp_path: Path) -> None:
    install(programs, "aider", "#!/bin/sh\nexec /bin/sleep 30\n")
    told: list[str] = []

    def interrupted(text: str) -> None:
        told.append(text)
        if len(told) == 2:  # the file is written, and nothing reads it yet
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    assert run_with("aider", "a b", tmp_path / "project", False, interrupted) == 143
    assert signal.getsignal(signal.SIGTERM) is before
    assert list(Path(os.environ["XDG_STATE_HOME"]).rglob("payload-*")) == []


STARTED = """
import sys
from pathlib import Path
from ctxtui.cli.payloads.deliver import run_with
sys.exit(run_with(sys.argv[1], "a b", Path("/no/project"), False, lambda text: print(text, flush=True)))
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signals_reach_the_agent_and_its_file_is_removed(programs: Path, number: int, status: int) -> None:
    install(programs, "aider", "#!/bin/sh\necho ready\nexec /bin/sleep 30\n")
    with subprocess.Popen(
        [sys.executable, "-c", STARTED, "aider"], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        path = Path(lines[1].removeprefix("the payload is in ").removesuffix(" until aider ends\n"))
        assert (lines[2], path.is_file()) == ("ready\n", True)
        # As a terminal does, which interrupts all its processes; the others are sent to ctxtui alone.
        os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
        process.wait(20)
    assert (process.returncode, path.exists()) == (status, False)
