import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ctxtui.cli.payloads.deliver import run_command
from ctxtui.core.base.errors import ContextError
from tests.cases import cases
from tests.cli.asked import at_terminal

ROOT = Path(__file__).parents[2]
BIG = bytes(range(256)) * 8_000  # 2 MB, far more than a pipe holds

RUN = """
import sys
from ctxtui.cli.payloads.deliver import run_command
print("before")
sys.exit(run_command(sys.argv[1], b"x" * 2_000_000))
"""
WRITE = """
import sys
from ctxtui.cli.output.streams import write_stdout
print("text first")
write_stdout(bytes(range(256)) * 8_000)
"""


def buffered(unbuffered: str = "") -> dict[str, str]:
    return {**os.environ, "PYTHONUNBUFFERED": unbuffered}


def python(body: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", body, *arguments]


def run(argv: list[str], **options: object) -> subprocess.CompletedProcess[bytes]:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": buffered(), **options}
    return subprocess.run(argv, cwd=ROOT, timeout=60, **streams)  # type: ignore[call-overload]


@cases("payload", [BIG, b""])
def test_the_command_gets_every_byte_and_the_end(tmp_path: Path, payload: bytes) -> None:
    target = tmp_path / "it's here"
    assert run_command(f'cat > "{target}"', payload) == 0
    assert target.read_bytes() == payload


def test_it_is_a_line_of_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARGET", str(tmp_path / "got"))
    assert run_command("tr a b | tr b c > $TARGET && exit 4", b"aXa") == 4
    assert (tmp_path / "got").read_bytes() == b"cXc"


def test_output_is_inherited_and_in_order() -> None:
    done = run(python(RUN, "head -c 3; echo narration >&2"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"before\nxxx", b"narration\n")


@cases(
    ("command", "status"),
    [
        ("true", 0),
        ("exec <&-; exit 5", 5),
        ("head -c 1 > /dev/null", 0),
        ("kill -TERM $$", 128 + signal.SIGTERM),
        ("sh -c 'kill -KILL $$'; exit $?", 128 + signal.SIGKILL),
    ],
)
def test_the_status_is_the_commands_whatever_it_reads(command: str, status: int) -> None:
    before = signal.getsignal(signal.SIGINT)
    assert run_command(command, BIG) == status
    assert signal.getsignal(signal.SIGINT) is before


def test_a_killed_program_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "dies").write_text("#!/bin/sh\nkill -KILL $$\n")
    (tmp_path / "dies").chmod(0o755)
    assert run_command(str(tmp_path / "dies"), BIG) == 128 + signal.SIGKILL


def test_an_unknown_command_is_127_and_named() -> None:
    done = run(python(RUN, "no-such-command --flag"))
    assert (done.returncode, b"no-such-command" in done.stderr, b"Traceback" in done.stderr) == (127, True, False)


@cases("command", ["", "  \n"])
def test_an_empty_command_does_not_swallow_the_payload(command: str) -> None:
    with pytest.raises(ContextError) as caught:
        run_command(command, b"x")
    assert caught.value.category == "invalid_request"


def press_ctrl_c(command: str) -> tuple[int, str]:
    """Run a command on a terminal of its own, press ctrl-C when it is ready; status and screen."""
    return at_terminal(python(RUN, command), ROOT, "ready", b"\x03")


@pytest.mark.parametrize("reading", ["cat > /dev/null; ", ""])
def test_ctrl_c_ends_the_command_with_130_also_while_the_payload_is_written(reading: str) -> None:
    status, shown = press_ctrl_c(f"{reading}echo ready; exec sleep 60")
    assert (status, "Traceback" in shown) == (130, False)


def test_a_command_that_handles_ctrl_c_goes_on_and_gets_everything() -> None:
    trap = "trap 'echo caught; done=1' INT; echo ready; until [ $done ]; do sleep 0.05; done; wc -c; exit 7"
    status, shown = press_ctrl_c(trap)
    assert (status, "caught" in shown, "2000000" in shown) == (7, True, True)


@cases("unbuffered", ["", "1"])
def test_stdout_gets_text_then_every_byte(unbuffered: str) -> None:
    done = run(python(WRITE), env=buffered(unbuffered))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"text first\n" + BIG, b"")


@cases("unbuffered", ["", "1"])
@cases("size", [1, 2_000_000])
def test_a_reader_that_is_gone_is_no_error(size: int, unbuffered: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    body = f"from ctxtui.cli.output.streams import write_stdout; write_stdout(b'x' * {size})"
    done = run(python(body), stdout=writer, env=buffered(unbuffered))
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_leaves_early_is_no_error() -> None:
    done = run(["sh", "-c", '{ "$@"; echo status $? >&2; } | head -c 4', "sh", *python(WRITE)])
    assert (done.stdout, done.stderr) == (b"text", b"status 0\n")
