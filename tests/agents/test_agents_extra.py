"""Agents and rows of the user's own, as `[agents]` in TOML gives them."""

import contextlib
import tomllib
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents import Agent, agent_files, load_table
from ctxtui.agents.source import hidden_folders
from ctxtui.core.base.errors import ContextError
from tests.agents.conftest import Contexts
from tests.cases import cases


def table(toml: str) -> dict[str, Agent]:
    return {agent.id: agent for agent in load_table(tomllib.loads(toml))}


OWN = """
[mine]
name = "My agent"
detect = [".mine/**"]
src = ["https://example.org/docs"]
checked = 2026-11-01
links = "once"

[[mine.rows]]
id = "mine.rule"
files = [".mine/rules/**/*.md"]
not = ["**/README.md"]
load = [{ if = "when", load = "touch" }, { load = "start" }]
globs = ["when"]
strip = ["frontmatter", "comments", "space"]
limits = [{ of = "file", max = 40, unit = "chars", effect = "cut", then = "cut" }]

[[mine.rows]]
id = "mine.nested"
files = ["MINE.md"]
at = "down"
load = "touch"
"""


def test_an_agent_of_ones_own(contexts: Contexts) -> None:
    files = {
        ".mine/rules/a.md": "---\nx: y\n---\n\n<!-- not\nthis -->\nbut this, up to here",
        ".mine/rules/README.md": "",
        ".mine/rules/b.md": "---\nwhen: src/**\n---\nb",
        "src/MINE.md": "c",
        "AGENTS.md": "",
    }
    own = tuple(table(OWN).values())
    context = contexts(files, table=own)["mine"]
    first, *_ = context.charges
    assert [(charge.path, charge.moment, charge.text(files[charge.path])) for charge in context.charges] == [
        (".mine/rules/a.md", "start", "but this"),
        (".mine/rules/b.md", "touch", "b"),
        ("src/MINE.md", "touch", "c"),
    ]
    assert first.lost_tokens == len(", up to here")
    assert context.evidence(first) == ("https://example.org/docs", date(2026, 11, 1))
    assert agent_files(files, own) == set(files) - {".mine/rules/README.md"}
    assert hidden_folders(own) - hidden_folders() == {".mine"}


def test_the_last_agent_of_the_table_is_the_new_one_and_nobody_else_changes() -> None:
    assert load_table({}) is load_table(None) is load_table()
    *others, mine = load_table(tomllib.loads(OWN))
    assert (tuple(others), mine.name) == (load_table(), "My agent")


def test_a_row_is_overridden_key_by_key(contexts: Contexts) -> None:
    limits = '[{ of = "chain", max = 10, unit = "bytes", effect = "cut", then = "cut" }]'
    own = table(f'[codex]\nchecked = 2026-11-20\n[[codex.rows]]\nid = "codex.project"\nlimits = {limits}')
    codex, packaged = own["codex"], table("")["codex"]
    assert (codex.checked, codex.sources) == (date(2026, 11, 20), packaged.sources)
    assert [row.id for row in codex.rows] == [row.id for row in packaged.rows]
    changed, before = codex.rows[1], packaged.rows[1]
    assert (changed.limits[0].max, changed.files, changed.pick) == (10, before.files, before.pick)
    assert contexts({"AGENTS.md": "x" * 99}, table=tuple(own.values()))["codex"].start_tokens == 10


def test_agents_and_rows_can_be_switched_off() -> None:
    merged = table('zed.off = true\nnobody.off = true\n[[codex.rows]]\nid = "codex.skill"\noff = true')
    assert merged.keys().isdisjoint({"zed", "nobody"})
    assert "codex.skill" not in {row.id for row in merged["codex"].rows}


ROW = '[[codex.rows]]\nid = "codex.project"\n'
NEW = '[[codex.rows]]\nid = "codex.mine"\n'


@cases(
    ("toml", "message", "hint"),
    [
        # A mistake is told with its place.
        ("codex = 1", "[agents]: `codex` should be a table", "agents.codex"),
        ("[codex]\ndetct = ['x']", "unknown key `detct`", "did you mean `detect`?"),
        ("[codex]\noff = 'yes'", "`codex.off` should be true or false", None),
        ("[codex]\ndetect = 'x'", "`codex.detect` should be a list of strings", None),
        ("[codex]\nchecked = '2026'", "`codex.checked` should be a date", "2026-11-01"),
        ("[codex]\nlinks = 'onse'", "`codex.links` cannot be 'onse'", "did you mean `once`?"),
        ("[codex]\nrows = 1", "`codex.rows` should be a list of tables", None),
        ("[[codex.rows]]\nload = 'start'", "each with an `id`", None),
        ("[mine]\nrows = []", "[agents]: `mine` has no `detect`", None),
        ("[mine]\ndetect = ['x']", "has no `rows`", None),
        (ROW + "lode = 'start'", "[agents]: `codex.rows[0]`: unknown key `lode`", "did you mean `load`?"),
        (ROW + "load = 'strat'", "`codex.rows[0].load` cannot be 'strat'", "did you mean `start`?"),
        (ROW + "load = []", "a moment or a list of cases", None),
        (ROW + "load = [{ if = 'x' }]", "has no `load`", None),
        (ROW + "load = [{ if = 'x', load = 'start' }]", "end with a case that always applies", None),
        (ROW + "load = [{ iff = 'x', load = 'start' }]", "unknown key `iff`", "did you mean `if`?"),
        (ROW + "at = 'uo'", "`codex.rows[0].at` cannot be 'uo'", None),
        (ROW + "imports = true", "`codex.rows[0].imports` should be a whole number", None),
        (ROW + "imports = -1", "`codex.rows[0].imports` should be a whole number", None),
        (ROW + "strip = ['comment']", "cannot be 'comment'", "did you mean `comments`?"),
        (ROW + "limits = 1", "`codex.rows[0].limits` should be a list of tables", None),
        (ROW + "limits = [{ of = 'file' }]", "has no `max`", None),
        (ROW + "limits = [{ of = 'file', max = 1, unit = 'byte', effect = 'x' }]", "cannot be 'byte'", "`bytes`"),
        (ROW + "note = ''", "`codex.rows[0].note` should be a string", None),
        (NEW + "files = ['x']", "has no `load`", None),
        (NEW + "load = 'start'", "either `files` or `listed_in`", None),
        (NEW + "load = 'touch'\nat = 'down'\nfiles = ['*.md']", "start with a plain name", None),
    ],
)
def test_mistakes_are_named_with_the_nearest_word(toml: str, message: str, hint: str | None) -> None:
    with pytest.raises(ContextError) as caught:
        table(toml)
    assert message in caught.value.message
    assert caught.value.category == "invalid_request"
    assert (hint or "") in (caught.value.hint or "")


_KEYS = st.sampled_from(["id", "rows", "load", "if", "files", "limits", "of", "x"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["codex", "mine", ""]), VALUES, max_size=3))
def test_any_data_is_merged_or_refused(extra: dict[str, Any]) -> None:
    with contextlib.suppress(ContextError):
        assert all(row.load for agent in load_table(extra) for row in agent.rows)
