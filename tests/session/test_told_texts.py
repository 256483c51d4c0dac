"""Texts that are damaged, binary or end open are named wherever they are exported."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ctxtui import Workspace
from tests import warm
from tests.cases import cases
from tests.conftest import Project

DAMAGED = b"# Caf\xe9\n\n## One\ntext\n"
INVALID = "invalid text; unreadable characters are shown and exported as \ufffd"


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return warm.run(words, "", root, os.environ)


def told(root: Path, pick: str, form: str = "markdown") -> list[str]:
    return [each.code for each in Workspace.open(root).session().pick(pick).with_output(form).payload().notices]


@pytest.mark.parametrize("words", [("build", "--pick", "."), ("check",), ("ls",)])
def test_a_damaged_text_is_told_in_the_same_words(project: Project, words: tuple[str, ...]) -> None:
    root = project({"l.md": DAMAGED, "ok.md": "# Ok\n", ".ctxtui/recipes/r.yaml": "picks:\n- glob: '*.md'\n"})
    for _ in range(2):
        done = run(root, *words)
        assert done.returncode == 0
        assert f"l.md:1: {INVALID}" in done.stderr
    notices: list[dict[str, Any]] = json.loads(run(root, *words, "--json").stdout)["notices"]
    (damaged,) = [each for each in notices if each["code"] == "invalid-text"]
    assert (damaged["path"], damaged["message"]) == ("l.md", INVALID)


def test_a_damaged_text_is_told_with_sections_lines_and_sizes(project: Project) -> None:
    session = Workspace.open(project({"l.md": DAMAGED})).session()
    for picked in (session.pick("l.md"), session.pick("l.md", sections=["one"]), session.with_snippet("l.md", 1, 1)):
        for payload in (picked.payload(), picked.layout(), picked.payload()):
            assert [each.code for each in payload.notices] == ["invalid-text"]


def test_a_binary_file_of_a_folder_is_left_out_and_told(project: Project) -> None:
    root = project({"a.md": "# A\n", "b.mo": b"\0\1\2", "c.snk": b"\0\1"})
    done = run(root, "build", "--pick", ".")
    assert done.returncode == 0
    assert "# A" in done.stdout
    assert "note: b.mo: it is binary and left out" in done.stderr
    assert "missing" not in done.stderr
    assert run(root, "build", "--pick", "a.md", "--pick", "b.mo").returncode == 3
    assert (run(root, "build", "--pick", "b.mo").returncode, run(root, "build", "--pick", "*.mo").stdout) == (4, "")
    (root / ".ctxtui/recipes").mkdir(parents=True)
    (root / ".ctxtui/recipes/r.yaml").write_text("picks: [a.md, b.mo]\n")
    assert "missing: b.mo is binary; it is left out" in run(root, "check", "r").stdout


@cases(
    ("text", "code"),
    [
        ("a\n```python\nx\n", "unclosed-fence"),
        ("~~~~\na\n~~~\n", "unclosed-fence"),
        ("a\n\n<!-- open\n\n# T\n", "unclosed-comment"),
        ("```\na\n```\n", None),
        ("`<!--` is code\n", None),
        ("- a\n  ```\n  x\n\nb\n", None),
    ],
)
def test_a_block_that_ends_open_is_told_in_markdown_alone(project: Project, text: str, code: str | None) -> None:
    root = project({"1.md": text, "2.md": "# Two\n", "3.py": "```\n"})
    assert told(root, "1.md") == ([code] if code else [])
    for form in ("xml", "json"):
        assert told(root, "1.md", form) == []
    assert told(root, "3.py") == []
