"""An audit that knows the texts from before finds what a first one finds, and writes no secret to the cache."""

import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.audit import AuditResult
from ctxtui.audit.text.facts import Facts, facts_of, known_facts
from ctxtui.core.base.digest import text_digest
from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.markdown.document import Document
from tests.audit.auditing_helpers import LOREM, audited, skill
from tests.conftest import Project

TOKEN = "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E"
PIECES = (
    "Read [the rules](.context/b.md) and [nothing](docs/none.md).\n",
    "```\n[shown](gone.md)\n```\n",
    "<!-- ctxtui-ignore: broken-link: it comes later -->\n[later](later.md)\n",
    "# One\n\nA line with a zero\u200bwidth character in the middle of it.\n",
    f"The token is {TOKEN} for all of us.\n",
    "A" * 500 + "\n",
    LOREM,
    "Long lines stand here. " * 30 + "\n",
    "---\ndescription: x\nestimatedTokens: 9000\nsections:\n  - name: One\n    estimatedTokens: 900\n---\n# One\n\nText.\n",
    "",
)
RULES = ".context/b.md"


def _is_as_cold(root: Path, kept: Path, empty: Path) -> AuditResult:
    """The result with a cache, once it is compared with the one without."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(empty))
        cold = audited(root)
        patch.setenv("XDG_CACHE_HOME", str(kept))
        known = audited(root)
    shutil.rmtree(empty)
    assert repr(known) == repr(cold)
    return known


def test_each_kind_of_finding_follows_its_text(project: Project, tmp_path: Path) -> None:
    root = project({"AGENTS.md": "Work.\n", ".context/a.md": LOREM, RULES: "b\n"})
    for text, rule, expected in (
        (f"# B\n\n{LOREM}", "repeated-text", 1),
        (f"# B\n\nOne more line, which moves all others.\n{LOREM}", "repeated-text", 1),
        (f"# B\n\n{LOREM[::-1]}", "repeated-text", 0),
        ("[x](none.md)\n", "broken-link", 1),
        ("\n\n[x](none.md)\n", "broken-link", 1),
        ("`[x](none.md)`\n", "broken-link", 0),
        ("[x](none.md)\n<!-- ctxtui-ignore-file: broken-link: it comes later -->\n", "broken-link", 0),
        (f"The token is {TOKEN}.\n", "secret", 1),
        (f"The token is {TOKEN[:9]}.\n", "secret", 0),
        ("Some\u200bwhere\n", "invisible-text", 1),
        (f"{TOKEN[4:]}x" * 40, "blob", 1),
    ):
        (root / RULES).write_text(text, "utf-8")
        findings = _is_as_cold(root, tmp_path / "kept", tmp_path / "empty").findings
        assert sum(each.rule == rule for each in findings) == expected, (text, rule)


@pytest.mark.parametrize("later", ["audit(workspace)", "costs_of(workspace, get_counter(), ())"])
def test_what_an_audit_counted_is_known_to_the_next_process(project: Project, later: str) -> None:
    """In processes of their own, because a tokenizer stays loaded."""
    files = {"CLAUDE.md": f"@docs/a.md\n{LOREM}", "docs/a.md": LOREM[::-1], ".claude/rules/a.md": PIECES[-2]}
    root = project({**files, ".claude/skills/s/SKILL.md": skill("s")})
    code = (
        "import sys; from ctxtui import Workspace; from ctxtui.audit import audit; from ctxtui.audit.costs import costs_of;"
        "from ctxtui.core import get_counter; workspace = Workspace.open(sys.argv[1]); {};"
        "print('tiktoken' in sys.modules)"
    )
    for asked, is_loaded in (("audit(workspace)", b"True"), (later, b"False")):
        words = [sys.executable, "-c", code.format(asked), str(root)]
        assert subprocess.run(words, capture_output=True, check=True).stdout.strip() == is_loaded


def _document(text: str) -> Document:
    return Document("a.md", text, Stamp(0, 0, 0), text_digest(text))


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=40), max_size=6))
def test_known_facts_are_the_facts(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    directory, document = tmp_path_factory.mktemp("cache"), _document("".join(pieces))
    cache = Cache(directory)
    facts = facts_of(document, cache)
    cache.flush()
    later = Cache(directory)
    known = known_facts(document.digest, later)
    later.flush()
    assert known is not None
    assert [getattr(known, each.name) for each in fields(Facts)] == [
        getattr(facts, each.name) for each in fields(Facts)
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"[x](docs/{TOKEN}.md)\n",
        f"<!-- ctxtui-ignore: broken-link: {TOKEN} -->\n[x](y.md)\n",
        f"[x]: https://user:{TOKEN}@example.org/a.md\n",
        f"The token is {TOKEN}.\n",
    ],
)
def test_a_cache_has_no_secret(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    audited(project({"CLAUDE.md": text}))
    files = [file for file in (tmp_path / "cache").rglob("*") if file.is_file()]
    assert any(file.name.startswith("cache") for file in files)
    assert not [file.name for file in files if TOKEN[4:20].encode() in file.read_bytes()]
