"""`secrets` in a configuration holds for each command that exports, and no file of a project is laxer than its user."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui.session.saved.config import user_file
from tests.conftest import Asked, Project

KEY = "AKIA" + "A1B2C3D4E5F6G7H8"


def _in_user_file(_root: Path, word: str, _patch: pytest.MonkeyPatch) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(f'secrets = "{word}"\n')


def _in_project(root: Path, word: str, _patch: pytest.MonkeyPatch) -> None:
    (root / "ctxtui.toml").write_text(f'secrets = "{word}"\n')


def _in_environment(_root: Path, word: str, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("CTXTUI_SECRETS", word)


PLACES: dict[str, Callable[[Path, str, pytest.MonkeyPatch], None]] = {
    "user": _in_user_file,
    "project": _in_project,
    "environment": _in_environment,
}
COMMANDS = {
    "build": ("build", "--pick", "a.md"),
    "recipe": ("build", "kept"),
    "load": ("load",),
    "protocol": ("protocol", "d", "--build"),
}


@pytest.fixture
def root(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    text = f"# A\n\nkey: {KEY}\n"
    recipe = "picks: [a.md]\nsecrets: keep\n"
    head = "---\nid: d/a\ndomain: d\ntitle: A\nloadingStrategy: always\n---\n\n"
    steps = "## Step 3: Always\n\nLoad the files with `loadingStrategy: always`.\n"
    catalog = {"lib/d/index.md": "# D\n", "lib/d/a.md": head + text, "lib/loading_protocol.md": steps}
    made = project({"a.md": text, ".context/CONSTITUTION.md": text, ".ctxtui/recipes/kept.yaml": recipe} | catalog)
    monkeypatch.chdir(made)
    return made


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", PLACES)
def test_fail_writes_nothing(
    place: str, command: str, root: Path, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    PLACES[place](root, "fail", monkeypatch)
    said = asked(*COMMANDS[command], status=2)
    assert said.out == ""
    assert "contains a secret (aws-key)" in said.err
    # The command line is the user's last word.
    assert KEY in asked(*COMMANDS[command], "--secrets", "keep").out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", ["user", "environment"])
def test_a_project_keeps_nothing_that_its_user_wants_replaced(
    place: str, command: str, root: Path, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    PLACES[place](root, "redact", monkeypatch)
    _in_project(root, "keep", monkeypatch)
    out = asked(*COMMANDS[command]).out
    assert KEY not in out
    assert "[redacted: aws-key]" in out
