"""The program as people start it: exit statuses, pipes, `kill -9`, and the bytes a terminal gets."""

import os
import re
import signal
from pathlib import Path

import pytest

from ctxtui import Workspace
from tests.cases import cases
from tests.conftest import Project
from tests.fleet.kept import keep, outcome
from tests.tui.hostile import make_hostile
from tests.tui.terminal import ctxtui, ended

READY = "AGENTS.md"


def state_files() -> list[str]:
    return [file.read_text() for file in Path(os.environ["XDG_STATE_HOME"]).rglob("*.json")]


@pytest.mark.heavy
def test_a_pipe_sends_nothing_if_nothing_is_picked_or_it_is_cancelled(sample: Path, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out, ctxtui(str(sample), stdout=out.fileno()) as (terminal, process):
        terminal.wait_for("PIPE")
        terminal.wait_for(READY)
        terminal.type("e")
        terminal.wait_for("nothing is picked")
        terminal.type(" ")
        terminal.wait_for("8 picked")
        terminal.type("q")
        assert ended(terminal, process) == 130
    assert (tmp_path / "out").read_bytes() == b""


@pytest.mark.parametrize(
    "words",
    [
        ("--format", "xml", "--budget", "300"),
        *(pytest.param(each, marks=pytest.mark.heavy) for each in ((), ("--print", "ids"), ("--print", "paths"))),
    ],
)
def test_an_accepted_pipe_prints_the_payload_alone(words: tuple[str, ...], sample: Path, tmp_path: Path) -> None:
    place = tmp_path / "out"
    with place.open("wb") as out, ctxtui(".", *words, stdout=out.fileno(), cwd=sample) as (terminal, process):
        terminal.wait_for("PIPE")
        terminal.wait_for(READY)
        terminal.type("/CLAUDE.md\r ")
        terminal.wait_for("1 picked")
        terminal.type("e")
        assert ended(terminal, process) == 0
    session = Workspace.open(sample).session().pick("CLAUDE.md")
    if "xml" in words:
        session = session.with_output(format="xml").with_budget("300")
    expected = session.payload().text if "--print" not in words else "CLAUDE.md\n"
    assert (tmp_path / "out").read_text() == expected


@cases(
    ("what", "printed"),
    [
        ("ids", "AGENTS.md#L3-L4\nAGENTS.md#L6-L7\nsrc/main.py#(outline)\nsrc/main.py#request_id\nCLAUDE.md\n"),
        ("paths", "AGENTS.md\nsrc/main.py\nCLAUDE.md\n"),
    ],
)
def test_accepted_parts_are_printed_for_build(what: str, printed: str, sample: Path, tmp_path: Path) -> None:
    place, recipe = tmp_path / "out", sample / ".ctxtui/recipes/parts.yaml"
    recipe.parent.mkdir(parents=True, exist_ok=True)
    lines = "- {id: AGENTS.md, lines: 3-4}\n- {id: AGENTS.md, lines: 6-7}"
    code = "- {id: src/main.py, sections: [request_id], as: outline}"
    recipe.write_text(f"picks:\n{lines}\n{code}\n- {{id: CLAUDE.md}}\n")
    words = (".", "-r", "parts", "--print", what)
    with place.open("wb") as out, ctxtui(*words, stdout=out.fileno(), cwd=sample) as (terminal, process):
        terminal.wait_for(READY)
        terminal.wait_for("4 picked")
        terminal.type("e")
        assert ended(terminal, process) == 0
    assert place.read_text() == printed


@pytest.mark.heavy
def test_run_gives_the_payload_to_a_command(sample: Path, tmp_path: Path) -> None:
    with ctxtui(str(sample), "--run", "cat > got; exit 7", cwd=tmp_path) as (terminal, process):
        terminal.wait_for(READY)
        terminal.type("/AGENTS.md\r e")
        assert ended(terminal, process) == 7
    assert "AGENTS.md" in (tmp_path / "got").read_text()


@pytest.mark.heavy
def test_q_ends_with_0_gives_the_terminal_back_and_loses_nothing_that_was_typed_at_once(sample: Path) -> None:
    with ctxtui(str(sample)) as (terminal, process):
        terminal.wait_for(READY)
        terminal.type(" G q")
        assert ended(terminal, process) == 0
        assert b"\x1b[?1049l" in terminal.raw
        assert b"Traceback" not in terminal.raw
    (kept,) = state_files()
    assert '"id":".claude/rules/api.md"' in kept
    assert '"id":"web/orders.ts"' in kept


def test_kill_9_loses_nothing(sample: Path) -> None:
    with ctxtui(str(sample)) as (terminal, process):
        terminal.wait_for(READY)
        terminal.type(" j p")
        terminal.wait(lambda _raw: any('"pinned":true' in text for text in state_files()), "saved")
        process.send_signal(signal.SIGKILL)
        assert process.wait(10) == -signal.SIGKILL
    with ctxtui(str(sample)) as (terminal, process):
        terminal.wait_for("restored")
        terminal.wait(lambda raw: re.search(rb"[2-9] picked", raw) is not None)
        terminal.type("q")
        assert ended(terminal, process) == 0


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signals_leave_no_traceback(name: str, sample: Path) -> None:
    with ctxtui(str(sample)) as (terminal, process):
        terminal.wait_for(READY)
        terminal.type(" ")
        terminal.wait_for("8 picked")
        process.send_signal(getattr(signal, name))
        if name == "SIGINT":
            terminal.type("q")
        ended(terminal, process)
        assert b"Traceback" not in terminal.raw


@pytest.mark.heavy
def test_content_sends_nothing_of_its_own_to_the_terminal(tmp_path: Path) -> None:
    """No title, no clipboard, no colours, no cursor of a file's making among the bytes."""
    root = make_hostile(tmp_path / "hostile")
    (root / ".ctxtui" / "recipes").mkdir(parents=True)
    recipe = 'picks: [AGENTS.md]\nover: cut\nprompt: "\\e]52;c;UFdORUQ=\\a \\e]0;PWNED\\a \\u202E"\n'
    (root / ".ctxtui" / "recipes" / "bad.yaml").write_text(recipe)
    with ctxtui(str(root)) as (terminal, process):
        terminal.wait_for(READY)
        everything = terminal.raw
        steps = ("a", "3", "]", "]", "]", "]", "G", "1", "G", "l", "P", "\x1b", "o", "\r", "i", "\x1b")
        for keys in steps:
            terminal.type(keys)
            terminal.read(3)
            while terminal.read(0.15):
                pass
            everything += terminal.raw
        terminal.type("q")
        ended(terminal, process)
        everything += terminal.raw
    # The shape of the mouse pointer is Textual's own.
    everything = everything.replace(b"\x1b]22;default\x07", b"")
    for sequence in (b"\x1b]52", b"\x1b]0;", b"PWNED-TITLE\x07", b"\x1bP$q", b"\x07"):
        place = everything.find(sequence)
        assert place < 0, everything[max(0, place - 200) : place + 60]
    assert not set("\u202e\u2066\u2069\u202d\u009b\u009d") & set(everything.decode("utf-8", "replace"))


@pytest.mark.heavy
def test_a_project_that_cannot_be_opened_is_a_message(tmp_path: Path, project: Project) -> None:
    for place, status in ((tmp_path / "no-such", 2), (project({"a.md": "x"}) / "a.md", 2)):
        with ctxtui(str(place)) as (terminal, process):
            assert ended(terminal, process) == status
            assert b"Traceback" not in terminal.raw
            assert str(place.name).encode() in terminal.raw


def test_a_repository_of_a_fleet_is_entered_and_left_again(sample: Path, tmp_path: Path) -> None:
    file = keep(tmp_path / "fleet.db", [outcome("a-far", [("codex", 9)]), outcome("b-sample", place=str(sample))])
    with ctxtui(str(file)) as (terminal, process):
        terminal.wait_for("b-sample")
        terminal.type("j\r")
        terminal.wait_for("Audit")
        terminal.wait_for("[Findings]")
        terminal.type("\x1b")
        terminal.wait_for("a-far")
        terminal.type("R")
        terminal.type("\r")
        terminal.wait_for("[Findings]")
        terminal.type("q")
        terminal.wait_for("a-far")
        terminal.type("q")
        assert ended(terminal, process) == 0
        assert b"Traceback" not in terminal.raw


@cases("words", [("--print",), ("--run", "cat"), ("-r", "x"), ("-C", "."), ()])
def test_results_of_a_fleet_are_no_project(words: tuple[str, ...], tmp_path: Path) -> None:
    file = keep(tmp_path / "fleet.db", [outcome("api")])
    with (tmp_path / "out").open("wb") as out, ctxtui(str(file), *words, stdout=out.fileno()) as (terminal, process):
        assert ended(terminal, process) == 2
        assert b"holds results of a fleet" in terminal.raw
        assert b"ctxtui fleet report" in terminal.raw
    assert (tmp_path / "out").read_bytes() == b""
