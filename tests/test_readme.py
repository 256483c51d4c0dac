"""The README says what the program does: its examples are run, its tables are made by the program.

`pytest tests/test_readme.py --rewrite-readme` writes the tables and outputs anew.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxtui.audit import RULES
from ctxtui.session.config import Config
from ctxtui.session.recipe_yaml import parse_recipe
from ctxtui.tui.commands import by_group, key_names
from tests.conftest import REPOSITORY

README = REPOSITORY / "README.md"


def _run(command: str, folder: Path) -> str:
    scripts = str(Path(sys.executable).parent)
    environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100", "LC_ALL": "C"}
    environment |= {"PYTHONUTF8": "1"}
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1; {command}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return done.stdout.decode()


def _keys() -> str:
    lines = []
    for title, commands in by_group():
        lines += [f"| {title} | |", "|---|---|"]
        lines += [
            f"| `{key_names(each.keys).replace('|', chr(92) + '|')}` | {each.help} (`{each.id}`) |"
            for each in commands
        ]
        lines.append("")
    return "\n".join(lines).rstrip()


def _help() -> str:
    output = _run("ctxtui --help", REPOSITORY)
    return f"```text\n{output}```"


def _rules() -> str:
    rows = [f"| `{rule.id}` | {rule.severity} | {rule.about} |" for rule in RULES]
    return "\n".join(["| rule | severity | why |", "|---|---|---|", *rows])


GENERATED = {"keys": _keys, "help": _help, "rules": _rules}


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--rewrite-readme"))


@pytest.mark.parametrize("name", GENERATED)
def test_tables_are_those_of_the_program(name: str, rewrite: bool) -> None:
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    text = README.read_text("utf-8")
    before, _, rest = text.partition(begin)
    old, _, after = rest.partition(end)
    new = f"\n{GENERATED[name]()}\n\n"
    if rewrite:
        README.write_text(f"{before}{begin}{new}{end}{after}", "utf-8")
        old = new
    assert old == new, "--rewrite-readme writes it anew"


def _examples() -> Iterator[str]:
    yield from re.findall(r"```console\n(.*?)```", README.read_text("utf-8"), re.DOTALL)


@pytest.mark.xdist_group("readme")
def test_examples_give_the_output_that_stands_there(tmp_path: Path, rewrite: bool) -> None:
    shutil.copytree(REPOSITORY / "sample_context", tmp_path / "sample_context")
    text = README.read_text("utf-8")
    for example in _examples():
        seen = ""
        for command in re.findall(r"^\$ (.*)$", example, re.MULTILINE):
            output = _run(command.replace("/tmp/", f"{tmp_path}/"), tmp_path)
            seen += f"$ {command}\n{output.replace(f'{tmp_path}/', '/tmp/')}"
        if rewrite:
            text = text.replace(example, seen)
        else:
            assert seen == example
    if rewrite:
        README.write_text(text, "utf-8")


def test_the_recipe_example_is_read() -> None:
    example = re.search(r"```yaml\n(# .ctxtui.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert example
    recipe = parse_recipe(example[1], "README.md")
    assert [pick.id for pick in recipe.selection.picks] == [
        "AGENTS.md",
        ".context/TASKS",
        "query:lessons",
        "query:what-we-know",
        "lines:docs/architecture.md:10-24",
        "docs/runbook.md",
    ]
    assert recipe.selection.budget.limit == 12_000
    assert recipe.digests == {"docs/runbook.md": "713a7b8de4e5"}


def test_the_configuration_example_names_every_setting() -> None:
    example = re.search(r"```toml\n(budget = .*?)```", README.read_text("utf-8"), re.DOTALL)
    assert example
    for name in Config.__dataclass_fields__:
        assert re.search(rf"^(?:\[{name}\]|{name} =)|tokenizer =", example[1], re.MULTILINE), name


def test_the_python_example_runs(tmp_path: Path) -> None:
    example = re.search(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert example
    shutil.copytree(REPOSITORY / "sample_context", tmp_path / "sample_context")
    done = subprocess.run(
        [sys.executable, "-c", example[1]], cwd=tmp_path, capture_output=True, check=True, text=True
    )
    assert re.fullmatch(r"\d+ \['AGENTS.md', '.context/TASKS'\]\n", done.stdout)


def test_pictures_exist() -> None:
    for picture in re.findall(r"\]\((screenshots/[^)]+)\)", README.read_text("utf-8")):
        assert (REPOSITORY / picture).is_file()
