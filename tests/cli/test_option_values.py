"""Values of options that look like none, words between options, and how commands look for garbage."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Ctxtui, Project


@pytest.mark.parametrize("option", ["--budget", "--model", "--reserve", "--tokenizer"])
@pytest.mark.parametrize("value", ["", " "])
def test_an_empty_value_is_wrong_usage(ctxtui: Ctxtui, option: str, value: str) -> None:
    done = ctxtui("build", "--pick", "AGENTS.md", option, value)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"argument {option}: the value is empty" in done.stderr


@pytest.mark.parametrize("words", [("--budget", "-5"), ("--budget=-5",), ("--reserve", "-1k")])
def test_a_negative_limit_is_named(ctxtui: Ctxtui, words: tuple[str, ...]) -> None:
    done = ctxtui("build", "--pick", "AGENTS.md", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is negative; write 12000 or 12k" in done.stderr


def test_options_may_stand_between_words(ctxtui: Ctxtui, sample: Path, project: Project) -> None:
    at_end = ctxtui("show", "AGENTS.md", "TASKS.md", "-C", str(sample))
    between = ctxtui("show", "AGENTS.md", "-C", str(sample), "TASKS.md", cwd=sample.parent)
    assert (at_end.returncode, between.stdout) == (0, at_end.stdout)
    root = project({"-x.md": "# X\n", "a.md": "# A\n"})
    assert ctxtui("show", "--", "-x.md", cwd=root).returncode == 0
    assert ctxtui("show", "a.md", "--bad", cwd=root).returncode == 2


@pytest.mark.parametrize("name", ["ctxtui.toml", "pyproject.toml"])
def test_settings_may_begin_with_a_mark_of_their_encoding(ctxtui: Ctxtui, project: Project, name: str) -> None:
    table = "[tool.ctxtui]\n" if name == "pyproject.toml" else ""
    root = project({"a.md": "# A\n" * 40, name: f"\ufeff{table}budget = 20\n"})
    done = ctxtui("build", "--pick", "a.md", cwd=root)
    assert done.returncode == 1
    assert "exceed the limit of 20" in done.stderr


def test_a_file_address_names_its_folder(ctxtui: Ctxtui, project: Project) -> None:
    root = project({"a b/x.md": "# X\n"})
    address = f"file://{root}/a%20b"
    assert "x.md" in ctxtui("ls", address).stdout
    assert ctxtui("build", "-C", address, "--pick", "x.md").stdout.endswith("# X\n")
    done = ctxtui("ls", f"{address}/none")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{root}/a b/none does not exist" in done.stderr


_TURNS = """
import sys
from ctxtui.cli.__main__ import main
before = sys.getswitchinterval()
main(sys.argv[1:])
print(before / sys.getswitchinterval())
"""


def _quicker(*words: str) -> float:
    """How many times shorter the turns of threads are after a command."""
    done = subprocess.run([sys.executable, "-c", _TURNS, *words], capture_output=True, text=True, check=True)
    return float(done.stdout)


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
    young, older, oldest = map(int, done.stderr.splitlines()[-3:])
    assert (older, oldest) == (0, 0)
    assert young < 50
