"""No command lets a file's text steer a terminal; pipes and files get exact bytes; a full disk is no bug."""

import ast
import io
import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxtui
from ctxtui import Workspace
from ctxtui.cli.bugs import report_bug
from ctxtui.cli.output.streams import STYLES, log_to_stderr
from ctxtui.core.base.plain import plain, plain_json
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.tokens.encodings import encoding
from ctxtui.loader import LoaderOptions, load_context
from tests.cases import cases
from tests.cli.hostile import NAME, TEXT, TEXTS, make_hostile
from tests.cli.streams import Ran, in_pipe, on_terminal, status_of, with_stdout
from tests.conftest import REPOSITORY
from tests.tui.hostile import FORBIDDEN
from tests.tui.terminal import ctxtui as started
from tests.tui.terminal import ended

PACKAGE = Path(ctxtui.__file__).parent
ID = f"docs/{NAME}.md"
AGENTS = ("build", "--pick", "AGENTS.md")
ADD = ("entry", "add", "-", "--category", "Decision")


def _commands(lines: str, **more: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Commands by their words, one a line."""
    return {line: tuple(line.split()) for line in lines.split("\n") if line} | more


# What people read: laid out, so the same in a pipe.
WITH_JSON = _commands(
    "ls\nsearch evil\nsearch needle --in text\nsearch needle --in entries\nsearch needle --in prompt\ncheck\naudit\n"
    "audit --history\naudit --touch docs/x.py\nprotocol evil\nentry query\nretrieve needle",
    show=("show", ID, "AGENTS.md"),
)
TABLES = WITH_JSON | _commands("audit --format markdown\n--help\nbuild --help\n--version")
JSON = {f"{name} json": (*words, "--json") for name, words in WITH_JSON.items()}
JSON |= _commands("load --json\naudit --format json\naudit --format sarif")
JSON["build json"] = ("build", "--pick", ".context/", "--prompt", TEXT, "--json")
ARTIFACTS = _commands("build review\nload\nprotocol evil --build", content=("show", ID, "--content"))
ARTIFACTS |= {f"build {form}": ("build", "--pick", ".context/", "--format", form) for form in FORMATS}
ERRORS = [
    *((NAME,), ("build", NAME), ("ls", NAME), ("protocol", NAME)),
    *(("build", f"--{NAME}"), ("show", f"{NAME}?"), ("build", "--pick", f"{NAME}?")),
    *((*AGENTS, "--prompt", f"@{NAME}"), (*AGENTS, "-o", f"AGENTS.md/{NAME}")),
    *((*ADD, "--created", NAME), ("mcp", "--http", "0", "--token-file", NAME)),
    ("retrieve", "x", "--provider", "mcp", "--server", NAME),
    *(
        (*words.split(), NAME)
        for words in (
            *("build --format", "search x --limit", "search x --domain", "entry query --category"),
            *("ls --tokenizer", "load --budget", "audit --since", "audit --baseline"),
        )
    ),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_hostile(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def hostile(made: Path, counted: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project as the current folder, with counts kept between the tests."""
    monkeypatch.chdir(made)
    monkeypatch.setenv("XDG_CACHE_HOME", str(counted))
    return made


# Every colored text ends with a reset. File names of the hostile project hold a color without one.
_OWN = re.compile("\x1b\\[(?:{})m([^\x1b\n]*)\x1b\\[0m".format("|".join(map(re.escape, STYLES.values()))))


def steering(data: bytes) -> set[str]:
    """What in a program's output would steer or confuse a terminal, besides the weights and colors of the audit."""
    return (FORBIDDEN - set("\n\t")) & set(_OWN.sub(r"\1", data.decode()))


def is_bug(ran: Ran) -> bool:
    return ran.status == 70 or b"Traceback" in ran.err


@pytest.mark.parametrize("words", TABLES.values(), ids=TABLES)
def test_tables_are_harmless_everywhere(words: tuple[str, ...], hostile: Path, tmp_path: Path) -> None:
    for ran in (on_terminal(words), in_pipe(words, tmp_path)):
        assert ran.out
        assert not is_bug(ran), ran.err
        assert not steering(ran.out)
        assert not steering(ran.err)


@pytest.mark.parametrize("words", JSON.values(), ids=JSON)
def test_json_is_harmless_and_keeps_its_value(words: tuple[str, ...], hostile: Path, tmp_path: Path) -> None:
    shown, piped = on_terminal(words), in_pipe(words, tmp_path)
    for ran in (shown, piped):
        assert not is_bug(ran), ran.err
        assert not steering(ran.out)
        assert not steering(ran.err)
        assert b"replaced" not in ran.err
    assert json.loads(shown.out) == json.loads(piped.out)


@pytest.mark.parametrize("words", ARTIFACTS.values(), ids=ARTIFACTS)
def test_artifacts_are_exact_in_a_pipe_and_harmless_on_a_terminal(
    words: tuple[str, ...], hostile: Path, tmp_path: Path
) -> None:
    piped, shown = in_pipe(words, tmp_path), on_terminal(words)
    assert not is_bug(piped), piped.err
    assert shown.status == piped.status
    assert not steering(shown.out)
    assert not steering(shown.err + piped.err)
    text = piped.out.decode().replace("\r\n", "\n")
    harmless = plain_json(text) if words[-1] == "json" else plain(text)
    assert shown.out.decode() == harmless
    told = shown.err.count(b"terminal control characters are replaced; for the exact bytes, use a pipe or ")
    assert (told, b"replaced" in piped.err) == (int(harmless != text), False)


def test_the_payload_in_a_pipe_is_the_one_that_was_counted(hostile: Path, tmp_path: Path) -> None:
    session = Workspace.open(hostile, on_notice=lambda _: None).session().pick(".context/")
    for form in FORMATS:
        ran = in_pipe(("build", "--pick", ".context/", "--format", form), tmp_path)
        payload = session.with_output(format=form).payload()
        assert ran.out.decode() == payload.text
        assert payload.tokens == len(encoding("o200k_base").encode(payload.text, disallowed_special=()))
        assert {"\x9b", "\u202e", "\u2028"} <= set(payload.text)
    loaded = in_pipe(("load", "--tokenizer", "heuristic"), tmp_path)
    assert loaded.out.decode() == load_context(LoaderOptions(hostile, on_notice=lambda _: None)).summary
    assert b"\x1b]52;c;" in loaded.out


def test_what_is_harmless_is_shown_as_it_is(tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sample)
    (sample / "AGENTS.md").write_bytes("# Größe 漢字 👍🏽\r\n\r\n\ttext\r\n".encode())
    words = ("build", "--pick", "AGENTS.md", "-q")
    shown, piped = on_terminal(words), in_pipe(words, tmp_path)
    assert (shown.out, shown.err) == (piped.out.replace(b"\r\n", b"\n"), b"")


@pytest.mark.parametrize("words", ERRORS)
def test_errors_echo_hostile_words_harmlessly(words: tuple[str, ...], hostile: Path, tmp_path: Path) -> None:
    ran = in_pipe(words, tmp_path)
    assert ran.status in (1, 2, 3, 4)
    assert ran.err
    assert not is_bug(ran), ran.err
    assert not steering(ran.out + ran.err)
    assert not any(line.startswith(b"line") for line in ran.err.splitlines()), "a name forges a line"


def test_the_name_of_a_model_is_harmless(hostile: Path, tmp_path: Path) -> None:
    ran = in_pipe(("ls", "--model", NAME), tmp_path)
    assert (ran.status, b"not public" in ran.err) == (0, True)
    assert not steering(ran.out + ran.err)
    assert not any(line.startswith(b"line") for line in ran.err.splitlines()), "a name forges a line"


def test_rows_of_a_pipe_hold_against_tabs_and_line_feeds_in_names(hostile: Path, tmp_path: Path) -> None:
    rows = in_pipe(("ls",), tmp_path).out.decode().split("\n")
    assert rows.pop() == ""
    assert {row.count("\t") for row in rows} == {4}
    assert len(rows) == len(Workspace.open(hostile, on_notice=lambda _: None).references)


def test_rows_on_a_terminal_fit_its_width_and_keep_ids_whole(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sample)
    monkeypatch.setenv("COLUMNS", "80")
    lines = on_terminal(("ls", "-q")).out.decode().splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.split() == [".context/TASKS", "1,685", "600", "always", ".context"] for line in lines)
    long = ".claude/skills/release-notes/reference/format.md"
    assert lines[lines.index(long) + 1].split() == ["960", "lazy", "agents"]
    assert len({line.rindex(" ") for line in lines if line.endswith(("agents", "files"))}) == 1


def test_a_real_terminal_gets_no_escape(hostile: Path) -> None:
    with started("build", "--pick", "AGENTS.md", cwd=hostile) as (terminal, process):
        assert ended(terminal, process) == 0
    assert not steering(terminal.raw.replace(b"\r\n", b"\n"))
    assert b"-o FILE" in terminal.raw


def test_the_app_prints_harmlessly_on_a_terminal(hostile: Path) -> None:
    with started(".", "--print", "--fresh", cwd=hostile) as (terminal, process):
        terminal.wait_for("PIPE")
        terminal.wait_for("AGENTS.md")
        # The folder in the first row.
        terminal.type(" ")
        terminal.wait_for("2 picked")
        terminal.type("e")
        assert ended(terminal, process) == 0
    printed = terminal.raw[terminal.raw.index(b"<!-- source: .context/") :].replace(b"\r\n", b"\n")
    assert not steering(printed)
    assert b"for the exact bytes, use a pipe or > FILE" in printed


ENGINE = "import os, sys; os.write(2, b'\\x1b]52;c;UFdORUQ=\\x07 \\xc2\\x9b \\xff said\\n'); sys.stdin.read()"


def test_an_engine_cannot_steer_the_terminal_either(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = hostile.parent / "engine.py"
    program.write_text(ENGINE)
    words = ("retrieve", "x", "--provider", "mcp", "--server", f"{sys.executable} {program}", "--timeout", "2")
    ran = on_terminal(words)
    assert (ran.status, b" said\n" in ran.err) == (4, True)
    assert not steering(ran.err)


FULL = TABLES | {name: JSON[name] for name in ("ls json", "audit --format sarif")}
FULL |= {name: ARTIFACTS[name] for name in ("build xml", "load", "content", "protocol evil --build")}
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


@needs_full
@pytest.mark.parametrize("words", FULL.values(), ids=FULL)
def test_a_full_disk_is_told_and_is_no_bug(words: tuple[str, ...], hostile: Path, tmp_path: Path) -> None:
    ran = with_stdout(words, os.open("/dev/full", os.O_WRONLY), tmp_path)
    assert ran.status == 4
    assert b"ctxtui: cannot write to standard output: No space left on device\n  write elsewhere: " in ran.err


@needs_full
def test_the_server_tells_a_full_disk_harmlessly(hostile: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    with open("/dev/full", "wb") as full:
        # In a process of its own, because the SDK takes the descriptors themselves.
        done = process("mcp", stdin=f"{asked}\n", stdout=full)
    assert done.returncode == 4
    assert b"cannot write to standard output: No space left on device" in done.stderr
    assert not steering(done.stderr)


@needs_full
def test_nobody_has_to_hear_the_narration(hostile: Path, tmp_path: Path) -> None:
    told = in_pipe(AGENTS, tmp_path)
    with open("/dev/full", "wb") as full:
        done = process(*AGENTS, stdout=subprocess.PIPE, stderr=full)
    assert (done.returncode, done.stdout) == (told.status, told.out)


def test_narration_never_slips_into_the_data(hostile: Path, tmp_path: Path) -> None:
    done = process("-c", '"$@" 2>&-', "sh", *_program(*AGENTS), program=["sh"], stdout=subprocess.PIPE)
    assert done.stdout == in_pipe(AGENTS, tmp_path).out


@cases("words", [("ls",), ("ls", "--json"), AGENTS, ("--help",), ("mcp",)])
def test_a_closed_stdout_is_told(
    words: tuple[str, ...], hostile: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)  # as Python does when the descriptor is closed
    assert status_of(words) == 4
    assert "ctxtui: standard output is closed\n  write elsewhere: " in capsys.readouterr().err


@cases("words", [("build", "--pick", "-"), ADD, ("mcp",)])
def test_a_closed_stdin_is_told(
    words: tuple[str, ...], hostile: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert status_of(words) == 2
    assert "ctxtui: standard input is closed" in capsys.readouterr().err
    # As is one that is no text.
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"text \xff"), encoding="utf-8"))
    assert status_of(ADD) == 2
    assert "standard input is not UTF-8: byte 6 cannot be read" in capsys.readouterr().err


def test_fixes_are_shown_harmlessly_and_piped_exactly(tmp_path: Path) -> None:
    one, two = (make_hostile(tmp_path / name) for name in ("one", "two"))
    piped, shown = in_pipe(("audit", "--fix", str(one)), tmp_path), on_terminal(("audit", "--fix", str(two)))
    assert b"-estimatedTokens: 9999\n" in piped.out
    assert not steering(shown.out + shown.err)
    assert shown.out.decode() == plain(piped.out.decode())


def test_a_bug_is_told_in_one_harmless_line() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError(TEXT)

    for error in (ValueError(f"{TEXT}\nctxtui: all is well"), Mute()):
        told = report_bug(error)
        sentence, where = told.splitlines()
        assert sentence.startswith(f"ctxtui: a bug, sorry: {type(error).__name__}" if error.args else "ctxtui: a bug")
        log = Path(where.split("with ")[1])
        assert not steering((told + log.read_text("utf-8")).encode())
        assert log.stat().st_mode & 0o777 == 0o600


def test_a_bug_is_told_without_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "AKIA" + "Q7RZ4M2KX9PLT3WB"
    monkeypatch.setattr(sys, "argv", ["ctxtui", "find", secret])
    told = report_bug(ValueError(f"Invalid header value b'{secret}\\r'"))
    assert secret not in told + Path(told.split("with ")[1]).read_text("utf-8")


def test_what_libraries_log_is_harmless(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "lastResort", logging.lastResort)
    log_to_stderr()
    assert logging.lastResort is not None
    logging.lastResort.handle(logging.makeLogRecord({"msg": f"it said {TEXT}", "levelno": logging.WARNING}))
    assert "it said " in (told := capsys.readouterr().err)
    assert not steering(told.encode())


@given(st.lists(st.text() | st.sampled_from(TEXTS)) | st.dictionaries(st.text(), st.sampled_from(TEXTS)))
def test_escaped_json_has_the_same_value_and_steers_nothing(value: object) -> None:
    text = plain_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert json.loads(text) == value
    assert not steering(text.encode())


@given(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"]))
def test_every_control_character_is_made_visible_or_escaped(character: str) -> None:
    escaped = plain_json(json.dumps(character, ensure_ascii=False))
    assert json.loads(escaped) == character
    assert escaped.isascii() == (plain(character) != character or character in "\n\t")


def test_there_is_one_door_to_the_standard_streams() -> None:
    """Who else printed would print what steers a terminal, and call a full disk a bug."""
    # What the last two write goes to the process that started them.
    doors = {"cli/output/streams.py", "mcp/stdio.py", "core/payload/template_child.py", "agents/capture/child.py"}
    found = {
        place.relative_to(PACKAGE).as_posix()
        for place in PACKAGE.rglob("*.py")
        if "print(" in (text := place.read_text("utf-8")) or "sys.std" in text
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Attribute) and node.attr in ("stdin", "stdout", "stderr") and _is_sys(node.value))
        or (isinstance(node, ast.Name) and node.id == "print")
    }
    assert found == doors


def _is_sys(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "sys"


def _program(*words: str) -> list[str]:
    return [sys.executable, "-m", "ctxtui.cli", *words]


def process(*words: str, program: list[str] | None = None, stdin: str = "", **streams: object) -> Any:
    """Run the command, or another program, in a process of its own."""
    command = [*program, *words] if program else _program(*words)
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    options: dict[str, Any] = {"stderr": subprocess.PIPE, **streams}
    return subprocess.run(command, input=stdin.encode(), env=environment, timeout=60, check=False, **options)
