"""Every output counts its nouns: one file is `1 file`, in whatever command, tool or screen."""

import asyncio
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.cli.__main__ import main
from ctxtui.core.base.wording import near, nearest, noun, plural
from ctxtui.mcp.project import Project as Served
from ctxtui.mcp.server import TOOLS, answer
from tests.audit.repositories import Repo
from tests.conftest import Project

_ONE_OF_MANY = re.compile(r"(?<![-.,:\d])\b1 (?:more |new |other |changed |old |context )?([a-z]+s)\b")
# Verbs and words that end so in the singular.
_TRUE = frozenset({"is", "has", "was", "does", "passes", "class", "alias", "less", "s"})

ENTRY = "---\nentryId: one\ncategory: Decision\ncreatedAt: '2026-02-26T10:00:00Z'\n---\nWe chose AKIAIOSFODNN7EXAMPLX once.\n"
FILES: dict[str, str | bytes] = {
    "AGENTS.md": "hi",
    ".context/TASKS.md": "# Tasks\n\n- [ ] one\n",
    "notes/one.md": ENTRY,
    "docs/CLAUDE.md": f"{'A' * 4}\nAKIA{'Q' * 16}\n\n@none.md\n",
    "lib/index.md": "# Index\n\n- `python/` one\n",
    "lib/python/index.md": "---\ntype: index\n---\n# Python\n\n### `a.md`\n\n**Purpose**: one\n",
    "lib/python/a.md": "---\ntype: rule\nloadingStrategy: always\nestimatedTokens: 1\n---\n# A\n",
    "data.bin": b"\0\1",
    "ctxtui.toml": '[limits]\ntotal = 1\n[limits.start]\ncodex = 1\n[limits.kind]\n"files" = 1\n',
    ".ctxtui/recipes/r.yaml": "picks: [AGENTS.md]\nbudget: 1\n",
}
# A command, and the ends of its lines.
COMMANDS = {
    "ls": ("", "--json"),
    "show": ("AGENTS.md",),
    "search": ("hi --in text", "one --in entries", "one --in prompt"),
    "build": (
        *("--pick AGENTS.md", "--pick AGENTS.md --budget 1", "--pick AGENTS.md --model claude-opus-4-6"),
        *("--pick AGENTS.md --pick .context/ --budget 1 --over cut", "--pick notes/one.md --json"),
    ),
    "check": ("",),
    "load": ("", "--budget 1"),
    "protocol": ("python", "python --max-files 1 --trigger x"),
    "audit": (
        *("", "--format markdown", "--format sarif", "--json", "--since HEAD", "--since HEAD~1 --format markdown"),
        *("--since HEAD~1", "--touch docs/x.py", "--history", "--write-baseline base.json"),
        *("--baseline base.json --format markdown", "--fix"),
    ),
    "retrieve": ("one",),
    "entry": ("query", "query --category Decision --limit 1"),
}
TOOLS_ASKED: dict[str, dict[str, Any]] = {
    "load_context": {},
    "build_payload": {"picks": ["notes/one.md"], "budget": 100},
    "query_entries": {},
    "get_always_load_files": {"domain": "python"},
}


def _wrong(text: str) -> list[str]:
    return [found[0] for found in _ONE_OF_MANY.finditer(text) if found[1] not in _TRUE]


@pytest.fixture
def tiny(project: Project) -> Served:
    repo = Repo(project({}))
    repo.commit({"AGENTS.md": FILES["AGENTS.md"]})
    repo.commit({"AGENTS.md": "hi hi"})
    repo.write({name: text for name, text in FILES.items() if name != "AGENTS.md"})
    return Served(repo.root, lambda _notice: None)


def test_no_output_speaks_of_one_in_the_plural(
    tiny: Served, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny.root.path)
    found = {}
    for command in [f"{name} {end}" for name, ends in COMMANDS.items() for end in ends]:
        main(command.split())
        said = capfd.readouterr()
        assert "BUG" not in said.err
        assert said.out or said.err, command
        found[command] = _wrong(said.out + said.err)
    for name, arguments in TOOLS_ASKED.items():
        told = asyncio.run(answer(tiny, {tool.name: tool for tool in TOOLS}, name, arguments))
        found[name] = _wrong(json.dumps(told.data))
    tiny.close()
    assert {command: wrong for command, wrong in found.items() if wrong} == {}


@given(st.integers(-(10**9), 10**9), st.sampled_from(["file", "entry", "key", "new finding"]))
def test_a_number_and_its_noun(count: int, one: str) -> None:
    said = plural(count, one)
    assert said == f"{count:,} {noun(count, one)}"
    assert said.endswith(one) == (abs(count) == 1)
    assert not _wrong(said)


def test_nouns_with_their_verbs() -> None:
    assert plural(1, "file is", "files are") == "1 file is"
    assert plural(1_204, "file is", "files are") == "1,204 files are"
    assert [noun(2, each) for each in ("entry", "key", "byte")] == ["entries", "keys", "bytes"]


def test_the_nearest_is_named() -> None:
    assert near("sorrt", ["sort", "store", "pin"], quote="`") == "did you mean `sort`?"
    assert near("docs/runbok.md", ["docs/runbook.md", "README.md"]) == "did you mean docs/runbook.md?"
    assert near("xyz", ["sort"]) is None
    assert nearest("a/TASKS", ["one/tasks", "two/tasks"]) == ["one/tasks", "two/tasks"]


@given(st.text(), st.lists(st.text(max_size=12), unique=True))
def test_what_is_named_is_known_and_a_known_name_is_its_own_nearest(word: str, known: list[str]) -> None:
    found = nearest(word, known)
    assert set(found) <= set(known)
    assert len(found) <= 3
    if word in known:
        ends = [name.rstrip("/").rpartition("/")[2].lower() for name in known]
        assert word in found or ends.count(word.rstrip("/").rpartition("/")[2].lower()) > 3
