"""`secrets` in a configuration holds for each command that exports, and no file of a project is laxer than its user."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui.session.saved.config import user_file
from tests.conftest import Asked, Project

KEY = "AKIA" + "A1B2C3D4E5F6G7H8"


Set = Callable[[str, str], None]


@pytest.fixture
def put(root: Path, monkeypatch: pytest.MonkeyPatch) -> Set:
    """Sets `secrets` in a place to a word."""

    def run(place: str, word: str) -> None:
        if place == "environment":
            monkeypatch.setenv("CTXTUI_SECRETS", word)
        else:
            file = user_file() if place == "user" else root / "ctxtui.toml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f'secrets = "{word}"\n')

    return run


COMMANDS = [("build", "--pick", "a.md"), ("build", "kept"), ("load",), ("protocol", "d", "--build")]


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


@pytest.mark.parametrize("place", ["user", "project", "environment"])
def test_fail_writes_nothing(place: str, put: Set, asked: Asked) -> None:
    put(place, "fail")
    for words in COMMANDS:
        out, err = asked(*words, status=2)
        assert (out, "contains a secret (aws-key)" in err) == ("", True), words
        # The command line is the user's last word.
        assert KEY in asked(*words, "--secrets", "keep").out, words


@pytest.mark.parametrize("place", ["user", "environment"])
def test_a_project_keeps_nothing_that_its_user_wants_replaced(place: str, put: Set, asked: Asked) -> None:
    put(place, "redact")
    put("project", "keep")
    for words in COMMANDS:
        out = asked(*words).out
        assert (KEY in out, "[redacted: aws-key]" in out) == (False, True), words
