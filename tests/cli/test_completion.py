"""`ctxtui --print-completion`: what bash then offers, asked as bash asks."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui.cli.parser import COMMAND_NAMES
from ctxtui.core.base.manual import TOPICS
from tests.conftest import Ctxtui

Offer = Callable[..., set[str]]


@pytest.fixture
def offer(ctxtui: Ctxtui, tmp_path: Path) -> Offer:
    """The words that bash offers for the last of some words."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    script = tmp_path / "completion.bash"
    script.write_text(ctxtui("--print-completion", "bash").stdout)

    def offered(*words: str, cwd: Path = tmp_path) -> set[str]:
        code = 'source "$1"; shift; COMP_WORDS=(ctxtui "$@"); COMP_CWORD=$#; _shtab_ctxtui; printf "%s\\n" "${COMPREPLY[@]}"'
        run = subprocess.run([bash, "-c", code, "bash", script, *words], cwd=cwd, capture_output=True, text=True)
        assert run.stderr == ""
        return {word.strip() for word in run.stdout.splitlines()} - {""}

    return offered


def test_commands_options_and_values_are_offered(offer: Offer) -> None:
    assert offer("") >= {name for name in COMMAND_NAMES if " " not in name}
    assert offer("fleet", "rep") == {"report"}
    assert offer("fleet", "--html") == {"--html"}
    assert offer("bu") == {"build"}
    assert offer("build", "--bud") == {"--budget"}
    assert offer("build", "--over", "") == {"fail", "cut", "fit"}
    assert offer("entry", "") >= {"query", "add"}


def test_topics_recipes_and_files_are_offered(offer: Offer, sample: Path) -> None:
    assert offer("help", "") == set(TOPICS)
    recipes = sample / ".ctxtui" / "recipes"
    recipes.mkdir(parents=True, exist_ok=True)
    (recipes / "review.yaml").write_text("picks: [AGENTS.md]\n")
    assert "review" in offer("check", "", cwd=sample)
    assert offer("build", "rev", cwd=sample) == {"review"}
    assert offer("-r", "rev", cwd=sample) == {"review"}
    assert offer("show", "AGEN", cwd=sample) == {"AGENTS.md"}


def test_no_name_of_a_file_is_run(offer: Offer, sample: Path) -> None:
    recipes = sample / ".ctxtui" / "recipes"
    recipes.mkdir(parents=True, exist_ok=True)
    for name in ("$(touch run)", "`touch run`", "$((touch run))", ";touch run"):
        (recipes / f"{name}.yaml").touch()
        (sample / name).touch()
    for words in (("check", ""), ("check", "$"), ("show", ""), ("show", "$")):
        assert offer(*words, cwd=sample)
    assert not (sample / "run").exists()


def test_zsh_gets_a_script_of_its_own(ctxtui: Ctxtui) -> None:
    run = ctxtui("--print-completion", "zsh")
    assert run.returncode == 0
    assert run.stdout.startswith("#compdef ctxtui\n")
    assert "_ctxtui_recipes" in run.stdout


def test_other_shells_are_refused(ctxtui: Ctxtui) -> None:
    run = ctxtui("--print-completion", "fish")
    assert run.returncode == 2
    assert "bash" in run.stderr
