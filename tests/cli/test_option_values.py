"""Values of options that look like none, words between options, and how commands look for garbage."""

import subprocess
import sys
from pathlib import Path

from tests.cases import cases
from tests.cli.streams import Refused
from tests.conftest import Asked, Project


@cases("option", ["--budget", "--model", "--reserve", "--tokenizer", "-o"])
@cases("value", ["", " "])
def test_an_empty_value_is_wrong_usage(refused: Refused, option: str, value: str) -> None:
    assert f"argument {option}: the value is empty" in refused("build", "--pick", "AGENTS.md", option, value)


@cases("words", [("--budget", "-5"), ("--budget=-5",), ("--reserve", "-1k")])
def test_a_negative_limit_is_named(refused: Refused, words: tuple[str, ...]) -> None:
    assert "is negative; write 12000 or 12k" in refused("build", "--pick", "AGENTS.md", *words)


def test_options_may_stand_between_words(cli: Asked, sample: Path, project: Project) -> None:
    at_end = cli("show", "AGENTS.md", "TASKS.md", "-C", str(sample)).out
    assert cli("show", "AGENTS.md", "-C", str(sample), "TASKS.md", cwd=sample.parent).out == at_end
    root = project({"-x.md": "# X\n", "a.md": "# A\n"})
    cli("show", "--", "-x.md", cwd=root)
    cli("show", "a.md", "--bad", cwd=root, status=2)


@cases(("name", "table"), [("ctxtui.toml", ""), ("pyproject.toml", "[tool.ctxtui]\n")])
def test_settings_may_begin_with_a_mark_of_their_encoding(
    cli: Asked, project: Project, name: str, table: str
) -> None:
    root = project({"a.md": "# A\n" * 40, name: f"\ufeff{table}budget = 20\n"})
    assert "exceed the limit of 20" in cli("build", "--pick", "a.md", cwd=root, status=1).err


def test_a_file_address_names_its_folder(cli: Asked, refused: Refused, project: Project) -> None:
    root = project({"a b/x.md": "# X\n"})
    address = f"file://{root}/a%20b"
    assert "x.md" in cli("ls", address).out
    assert cli("build", "-C", address, "--pick", "x.md").out.endswith("# X\n")
    assert f"{root}/a b/none does not exist" in refused("ls", f"{address}/none")


_TURNS = """
import sys
from ctxtui.cli.__main__ import main
before = sys.getswitchinterval()
main(sys.argv[1:])
print(before / sys.getswitchinterval())
"""


def _quicker(*words: str) -> float:
    """How many times shorter the turns of threads are after a command."""
    return float(subprocess.check_output([sys.executable, "-c", _TURNS, *words], stderr=subprocess.DEVNULL))


def test_only_the_app_lets_threads_take_short_turns(tmp_path: Path) -> None:
    # There is no such folder: the app ends before it needs a terminal.
    missing = str(tmp_path / "missing")
    assert _quicker("-C", missing) >= 5
    assert _quicker("ls", "-C", missing) == 1


_TOLD = """
import gc, sys
from ctxtui.cli.__main__ import main
before = gc.get_stats()
status = main(["ls", "-C", sys.argv[1]])
for each, earlier in zip(gc.get_stats(), before):
    print(each["collections"] - earlier["collections"], file=sys.stderr)
sys.exit(status)
"""


def test_a_command_never_looks_at_all_objects(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("# Rules\n\nBe kind.\n")
    done = subprocess.run([sys.executable, "-c", _TOLD, str(tmp_path)], capture_output=True, text=True, check=True)
    young, *older = map(int, done.stderr.splitlines()[-3:])
    assert (young < 50, older) == (True, [0, 0])
