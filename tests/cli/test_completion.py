"""`ctxtui --print-completion`: the words that bash and fish then offer, asked as these shells ask."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui.cli.options import COMMANDS
from ctxtui.core.base.manual import TOPICS
from tests.cli.conftest import recipe
from tests.conftest import Asked

Offer = Callable[..., set[str]]


# What a shell offers for the last of its arguments after the script.
_ASKED = {
    "bash": 'source "$0"; COMP_WORDS=(ctxtui "$@"); COMP_CWORD=$#; _shtab_ctxtui; printf "%s\\n" "${COMPREPLY[@]}"',
    "fish": 'function ctxtui; end; source $argv[1]; complete -C"ctxtui $argv[2..]" | string split -f1 \\t',
}


@pytest.fixture(params=list(_ASKED))
def offer(request: pytest.FixtureRequest, cli: Asked, tmp_path: Path) -> Offer:
    """The words that a shell offers for the last of some words."""
    shell = shutil.which(request.param)
    if shell is None:
        pytest.skip(f"no {request.param}")
    script = tmp_path / "completion"
    script.write_text(cli("--print-completion", request.param).out)

    def offered(*words: str, cwd: Path = tmp_path) -> set[str]:
        asked = [shell, "-c", _ASKED[request.param], script, *words]
        run = subprocess.run(asked, cwd=cwd, capture_output=True, text=True)
        assert run.stderr == ""
        return {word.strip() for word in run.stdout.splitlines()} - {""}

    return offered


def test_commands_options_and_values_are_offered(offer: Offer) -> None:
    assert offer("") >= {name for name in COMMANDS if " " not in name}
    assert offer("entry", "") >= {"query", "add"}
    assert offer("build", "--over", "") == {"fail", "cut", "fit"}
    for begun, word in (
        *(("fleet rep", "report"), ("fleet --html", "--html")),
        *(("bu", "build"), ("build --bud", "--budget")),
    ):
        assert offer(*begun.split()) == {word}


def test_topics_recipes_and_files_are_offered(offer: Offer, sample: Path) -> None:
    assert offer("help", "") == set(TOPICS)
    recipe(sample, "review", "picks: [AGENTS.md]\n")
    assert "review" in offer("check", "", cwd=sample)
    assert offer("build", "rev", cwd=sample) == {"review"}
    assert offer("-r", "rev", cwd=sample) == {"review"}
    assert offer("show", "AGEN", cwd=sample) == {"AGENTS.md"}


def test_no_name_of_a_file_is_run(offer: Offer, sample: Path) -> None:
    for name in ("$(touch run)", "`touch run`", "$((touch run))", ";touch run"):
        recipe(sample, name, "")
        (sample / name).touch()
    for words in (("check", ""), ("check", "$"), ("show", ""), ("show", "$")):
        assert offer(*words, cwd=sample)
    assert not (sample / "run").exists()


def test_zsh_gets_a_script_of_its_own_and_other_shells_are_refused(cli: Asked) -> None:
    script = cli("--print-completion", "zsh").out
    assert script.startswith("#compdef ctxtui\n")
    assert "_ctxtui_recipes" in script
    assert "bash" in cli("--print-completion", "tcsh", status=2).err
