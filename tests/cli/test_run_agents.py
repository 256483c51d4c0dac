"""Known agents get the payload: stand-in executables, real processes, on a PATH of their own."""

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
from tests.cases import cases
from tests.cli.streams import Refused
from tests.conftest import Asked

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
    """What the last run was given, once: no other run is taken for it."""
    return dict(json.loads((folder / "given.json").rename(folder / "seen.json").read_text()))


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a space in its name, which is the whole PATH."""
    folder = tmp_path / "my programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def run(command: str, payload: str, talks: bool = False) -> tuple[int, list[str]]:
    told: list[str] = []
    return run_with(command, payload, Path("/no/project"), talks, told.append), told


def test_each_row_names_its_sources_and_a_way_that_holds_the_payload() -> None:
    names = [agent.name for agent in known_agents()]
    assert names == ["claude", "codex", "gemini", "copilot", "opencode", "cursor-agent", "aider", "llm"]
    for agent in known_agents():
        assert agent.src
        assert all(source.startswith("https://") for source in agent.src)
        for way in agent.ways:
            place = {"argument": "{prompt}", "file": "{file}", "stdin": ""}[way.by]
            assert [word for word in way.words if "{" in word] == ([place] if place else [])


@cases(
    ("name", "words"),
    [("claude", ["-p"]), ("codex", ["exec", "-"]), ("opencode", ["run"])]
    + [(name, []) for name in ("gemini", "copilot", "llm")],
)
def test_without_a_terminal_an_agent_answers_what_is_on_its_stdin(
    programs: Path, name: str, words: list[str]
) -> None:
    install(programs, name)
    assert run(name, BIG) == (0, [f"{name} gets the payload on stdin, one answer"])
    assert given(programs) == {"argv": words, "stdin": BIG}


@cases(("name", "words"), [("claude", []), ("codex", []), ("gemini", ["-i"]), ("opencode", ["--prompt"])])
def test_on_a_terminal_a_conversation_begins_with_the_payload(programs: Path, name: str, words: list[str]) -> None:
    install(programs, name)
    payload = "# Rules\n\n'quoted' \"twice\" $HOME `id` ; \\ é\n"
    assert run(name, payload, talks=True)[1] == [f"{name} gets the payload as an argument, a conversation"]
    assert given(programs)["argv"] == [*words, payload]


def test_the_largest_argument_arrives_and_one_byte_more_goes_by_stdin(programs: Path) -> None:
    install(programs, "codex")
    room = argument_room()
    for size in (room, room + 1):
        payload = "a b" + "é" * ((size - 3) // 2) + "x" * ((size - 3) % 2)
        assert run("codex", payload, talks=True)[0] == 0
        assert given(programs)["argv"] == ([payload] if size == room else ["exec", "-"])


@cases(
    ("payload", "why"),
    [(BIG, "1.1 MB exceeds an argument")]
    # What could be read as an option or a subcommand.
    + [(text, "it cannot be an argument") for text in ("--dangerously-skip-permissions and more", "exec", "a \0 b")],
)
def test_what_can_be_no_argument_goes_by_stdin(programs: Path, payload: str, why: str) -> None:
    install(programs, "codex")
    assert run("codex", payload, talks=True)[1] == [f"codex gets the payload on stdin, one answer: {why}"]
    assert given(programs) == {"argv": ["exec", "-"], "stdin": payload}


def left() -> list[Path]:
    return list(Path(os.environ["XDG_STATE_HOME"]).rglob("payload-*"))


def test_a_file_is_private_told_and_removed(programs: Path) -> None:
    install(programs, "aider")
    status, (way, place) = run("aider", BIG + "\r\n")
    seen = given(programs)
    assert (status, seen["argv"]) == (0, ["--message-file", seen["file"]])
    assert (seen["text"], seen["mode"]) == (BIG + "\r\n", 0o600)
    assert way == "aider gets the payload as a file, one answer"
    assert place == f"the payload is in {seen['file']} until aider ends"
    folder = Path(str(seen["file"])).parent
    assert folder.is_relative_to(os.environ["XDG_STATE_HOME"])
    assert (stat.S_IMODE(folder.stat().st_mode), list(folder.iterdir())) == (0o700, [])
    # Also when the agent cannot be started.
    install(programs, "aider", "#!/no/such/interpreter\n")
    with pytest.raises(ContextError, match="cannot start aider"):
        run("aider", "a b")
    assert left() == []


def test_a_file_of_a_killed_run_is_removed_a_week_later(programs: Path) -> None:
    install(programs, "aider")
    folder = Path(os.environ["XDG_STATE_HOME"], "ctxtui/payloads")
    folder.mkdir(parents=True)
    for name in ("payload-old.md", "payload-new.md"):
        (folder / name).write_text("x")
    os.utime(folder / "payload-old.md", (0, 0))
    run("aider", "a b")
    assert [path.name for path in folder.iterdir()] == ["payload-new.md"]


def test_a_payload_with_no_way_in_is_refused(programs: Path) -> None:
    install(programs, "cursor-agent")
    with pytest.raises(ContextError, match=r"cursor-agent cannot take the payload: 1\.1 MB exceeds an argument"):
        run("cursor-agent", BIG)
    assert not (programs / "given.json").exists()


def test_an_agent_that_ends_early_is_no_error_and_other_commands_are_lines_of_shell(programs: Path) -> None:
    install(programs, "llm", "#!/bin/sh\nexec <&-\nexit 5\n")
    assert run("llm", BIG)[0] == 5
    install(programs, "llm")
    assert run("llm -m gpt-5 'two words'", "text") == (0, [])
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
            run_with(name, "a b", project, False, print)
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


PICK = ("build", "--pick", "AGENTS.md")


def test_build_hands_the_payload_to_an_agent_and_returns_its_status(
    cli: Asked, refused: Refused, programs: Path
) -> None:
    install(programs, "claude")
    payload = cli(*PICK).out
    err = refused(*PICK, "--run", "claude", STATUS="7", status=7)
    assert given(programs) == {"argv": ["-p"], "stdin": payload}
    assert "claude gets the payload on stdin, one answer" in err


def test_build_pipes_the_payload_to_a_command_and_writes_it_as_well(
    cli: Asked, refused: Refused, sample: Path
) -> None:
    payload = cli(*PICK).out
    assert cli(*PICK, "--run", "cat", "-o", "out.md").out == (sample / "out.md").read_text() == payload
    # Two that write to standard output are refused.
    for words in (["--json"], ["-o", "-"]):
        assert "both write to standard output" in refused(*PICK, "--run", "cat", *words)


def test_an_agent_that_is_missing_is_named_before_anything_is_done(
    refused: Refused, sample: Path, programs: Path
) -> None:
    for words in ([*PICK, "-o", "out.md"], []):
        assert "codex is not on the PATH" in refused(*words, "--run", "codex", status=3)
    assert not (sample / "out.md").exists()


def test_a_signal_before_the_agent_starts_ends_it_and_removes_the_file(programs: Path) -> None:
    install(programs, "aider", "#!/bin/sh\nexec /bin/sleep 30\n")
    told: list[str] = []

    def interrupted(text: str) -> None:
        told.append(text)
        if len(told) == 2:  # the file is written, and nothing reads it yet
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    assert run_with("aider", "a b", Path("/no/project"), False, interrupted) == 143
    assert signal.getsignal(signal.SIGTERM) is before
    assert left() == []


STARTED = """
import sys
from pathlib import Path
from ctxtui.cli.payloads.deliver import run_with
sys.exit(run_with(sys.argv[1], "a b", Path("/no/project"), False, lambda text: print(text, flush=True)))
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signals_reach_the_agent_and_its_file_is_removed(programs: Path, number: int, status: int) -> None:
    install(programs, "aider", "#!/bin/sh\necho ready\nexec /bin/sleep 30\n")
    command = [sys.executable, "-c", STARTED, "aider"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        path = Path(lines[1].removeprefix("the payload is in ").removesuffix(" until aider ends\n"))
        assert (lines[2], path.is_file()) == ("ready\n", True)
        # As a terminal does, which interrupts all its processes; the others are sent to ctxtui alone.
        os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
        process.wait(20)
    assert (process.returncode, path.exists()) == (status, False)
