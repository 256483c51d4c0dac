"""`ctxtui --print-completion`: the words that bash and fish then offer, asked as these shells ask."""

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


# What a shell offers for the last of its arguments after the script.
_ASKED = {
    "bash": 'source "$0"; COMP_WORDS=(ctxtui "$@"); COMP_CWORD=$#; _shtab_ctxtui; printf "%s\\n" "${COMPREPLY[@]}"',
    "fish": 'function ctxtui; end; source $argv[1]; complete -C"ctxtui $argv[2..]" | string split -f1 \\t',
}


@pytest.fixture(params=list(_ASKED))
def offer(request: pytest.FixtureRequest, ctxtui: Ctxtui, tmp_path: Path) -> Offer:
    """The words that a shell offers for the last of some words."""
    shell = shutil.which(request.param)
    if shell is None:
        pytest.skip(f"no {request.param}")
    script = tmp_path / "completion"
    script.write_text(ctxtui("--print-completion", request.param).stdout)

    def offered(*words: str, cwd: Path = tmp_path) -> set[str]:
        asked = [shell, "-c", _ASKED[request.param], script, *words]
        run = subprocess.run(asked, cwd=cwd, capture_output=True, text=True)
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
    run = ctxtui("--print-completion", "tcsh")
    assert run.returncode == 2
    assert "bash" in run.stderr
