"""Counts that another process kept: the same numbers without an encoder, and the same text in pieces."""

import subprocess
import sys
from pathlib import Path

import pytest

from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.write import chunks
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.ledger import with_cached_counts
from ctxtui.session.session import Session
from ctxtui.workspace.counting import count_all
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project

# Nothing is kept of files as young as the look at them, as these are.
_BUILD = """
import sys
from ctxtui.core.disk import content
content._RACY_NS = 0
from ctxtui.cli.__main__ import main
try:
    main()
finally:
    print("tiktoken" in sys.modules, file=sys.stderr)
"""

_STARTS = """
import sys
from pathlib import Path
from ctxtui.core.disk import content
content._RACY_NS = 0
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.session.agent_start import agent_starts
from ctxtui.workspace.workspace import Workspace
workspace = Workspace.open(Path(sys.argv[1]))
print([(each.agent, each.tokens) for each in agent_starts(workspace, get_counter())])
workspace.reader.ledger.flush()
print("tiktoken" in sys.modules)
"""


def _build(project: Path, *words: str) -> tuple[bytes, str]:
    command = [sys.executable, "-c", _BUILD, "-C", str(project), "build", *words]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout, done.stderr.decode().splitlines()[-1]


def test_what_was_counted_before_needs_no_encoder(project: Project) -> None:
    files = {
        "a.md": "# A\n\ntext without end",
        "b.py": "def f():\n    return 1\n",
        "c.md": "# C\n\nkey AKIAIOSFODNN7EXAMPL2 here\n\n## D\n\nmore\n",
    }
    root = project(files)
    words = ("--pick", "a.md", "--pick", "b.py", "--pick", "c.md", "--prompt", "do it")
    first, second = _build(root, *words), _build(root, *words)
    assert (first[1], second) == ("True", (first[0], "False"))
    skill = "---\nname: s\ndescription: about s\n---\nbody\n"
    root = project({"CLAUDE.md": "Be brief.\n<!-- not read -->\n", ".claude/skills/s/SKILL.md": skill})
    command = [sys.executable, "-c", _STARTS, str(root)]
    before, after = (subprocess.run(command, capture_output=True, check=True).stdout.splitlines() for _ in range(2))
    assert [before[-1], after[-1]] == [b"True", b"False"]
    assert before[0] == after[0] != b"[]"


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "claude-opus-4-1", "heuristic"])
def test_kept_counts_are_those_of_the_counter(name: str, tmp_path: Path) -> None:
    counter = get_counter(name)
    texts = ["", "a", "# Heading\n", "def f(): ...\n" * 50, "naïve 中文 \ud800"]
    for _ in range(2):
        cache = Cache(tmp_path)
        kept = with_cached_counts(counter, cache)
        assert kept == counter
        assert [kept.units(text) for text in texts] == [counter.units(text) for text in texts]
        cache.flush()


def test_a_payload_is_the_sum_of_its_pieces(project: Project) -> None:
    root = project({"a.md": "# A\n\nünï\n", "b.md": "# B\n"})
    session = Workspace.open(root).session().pick_in_order(["a.md", "b.md"]).with_prompt("do")
    for form in FORMATS:
        payload = session.payload(form)
        assert b"".join(chunks(payload.data())) == payload.text.encode()
        assert payload.tokens == get_counter().count(payload.text)
        assert len(payload.pieces) > len(session.picks)


def test_rows_picked_in_order_are_those_picked_one_by_one(project: Project) -> None:
    names = ("a.md", "b.md", "docs/c.md", "docs/d.md")
    empty = Workspace.open(project({name: f"# {name}\n\n## One\n\ntext\n\n## Two\n" for name in names})).session()
    rows = ["docs/d.md", "a.md#one", "a.md", "b.md#two", "docs/", "b.md#one", "a.md"]
    one_by_one = empty
    for row in rows:
        one_by_one = one_by_one.pick(row)
    assert empty.pick_in_order(rows).picks == one_by_one.picks
    assert [pick.id for pick in one_by_one.picks][:2] == ["docs/d.md", "a.md"]


@pytest.mark.parametrize("form", [name for name, each in FORMATS.items() if each.escape is None])
def test_whole_files_that_were_measured_before_are_laid_out_without_reading_them(
    project: Project, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    # As above: these files are too young.
    monkeypatch.setattr("ctxtui.core.disk.content._RACY_NS", 0)
    unread = {
        "a.md": "---\ntitle: A\n---\n\n# A\n\n```sh\nmake\n```\n\ntext without end",
        "b.py": "def f():\n    return 1\n",
        "c.txt": "\n\n/ begins unsafely\nand ends so\n   ",
        "empty.md": "",
    }
    read = {
        "d.md": "# D\n\nkey AKIAIOSFODNN7EXAMPL2 here\n",
        "e.py": "'''\n```\n````\n'''\n",
        "long.json": '{"a": "' + "b" * 1_000 + '"}',
    }
    root = project(unread | read)

    def session() -> Session:
        return Workspace.open(root).session().pick_in_order([*unread, *read]).with_output(format=form)

    first = session()
    count_all(first.workspace, first.budget.counter)
    layout = first.layout()
    later = session()
    for name in unread:
        (root / name).unlink()
    again = later.layout()
    assert (again.blocks, again.tokens, again.notices) == (layout.blocks, layout.tokens, layout.notices)
    assert again.missing == ()
    assert later.payload().missing == tuple(unread)
