"""Frontmatter is read as leniently, or as strictly, as the agent reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents.project.frontmatter import (
    Meta,
    find_block,
    globs_of,
    holds,
    read_as,
    read_leniently,
    read_lines,
    read_yaml,
    spoken,
)
from ctxtui.agents.types import Reading
from tests.agents.conftest import Contexts, Moments, empty, when
from tests.cases import cases


def yaml_of(block: str) -> Meta | None:
    values = read_yaml(block)
    return values and values.meta


@cases(
    ("text", "found"),
    [
        ("---\na: b\n---\ntext", ("a: b", "text")),
        ("\ufeff---\r\na: b\r\n---", ("a: b", "")),
        ("--- \na: b\rc: d\n---\t\r\n\ntext", ("a: b\nc: d", "\ntext")),
        ("---\n---\n", ("", "")),
        # Both fences are needed, at the very start.
        *((text, None) for text in ("\n---\na: b\n---\n", "---\na: b\n", "---\na: b\n----\n", "", "---")),
    ],
)
def test_frontmatter_stands_between_fences(text: str, found: tuple[str, str] | None) -> None:
    block = find_block(text)
    assert (block and (block.text, text[block.body :])) == found


_FOLDED = "about: >\n  two\n  lines\nnone:\n# comment\n"


@cases(
    ("block", "expected"),
    [
        # What YAML refuses.
        (
            "globs: **/*.ts,*.{js,jsx}\ndescription: When: always\nalwaysApply: True",
            {"globs": "**/*.ts,*.{js,jsx}", "description": "When: always", "alwaysApply": "true"},
        ),
        # Lists and folded texts.
        (
            'paths:\n  - "src/**"\n- lib/** # why\nglobs: [a, "b"]\n' + _FOLDED,
            {"paths": ("src/**", "lib/**"), "globs": ("a", "b"), "about": "two lines", "none": ""},
        ),
        # What a value continues with.
        (
            "description: one\n  two\n\n  three\nname: 'a\n  b'\nglobs: [a,\n  b]\n- stray",
            {"description": "one two three", "name": "a b", "globs": ("a", "b")},
        ),
        # What a formatter broke is not repaired.
        ("name:\n## description: lost", {"name": ""}),
    ],
)
def test_lines_take_what_agents_take(block: str, expected: Meta) -> None:
    assert read_lines(block) == expected


@cases(
    ("block", "expected"),
    [
        ("description: one\n  two: not a key\n  three", {"description": "one two: not a key three"}),
        ("description: one\n  two", {"description": "one two"}),
        ('description: "fix #12 \\"now\\""', {"description": 'fix #12 "now"'}),
        ("description: >-\n  one\n  two", {"description": "one two"}),
        ("description: it's: broken\nname: a", {"description": "it's: broken", "name": "a"}),
        ("globs: **/*.ts\nname: a", {"globs": "**/*.ts", "name": "a"}),
        ("globs: {a,b}", {"globs": "{a,b}"}),
        ("paths: [a, 'b']\non: True", {"paths": ("a", "b"), "on": "true"}),
        ("", {}),
    ],
)
def test_lenient_agents_read_yaml_first_and_then_lines(block: str, expected: Meta) -> None:
    assert read_leniently(block).meta == expected


@cases(
    ("block", "expected"),
    [
        # What is quoted is no comment.
        (
            "a: 'see #12 # all'\nb: [\"x #y\"]\nc: '\"quoted\"'",
            {"a": "see #12 # all", "b": ("x #y",), "c": '"quoted"'},
        ),
        ("name: x\non: True\nwhen: 2026-99-99", {"name": "x", "on": "true", "when": "2026-99-99"}),
        ("empty: []\npaths: [a, 'b']\ndeep: {a: b}", {"empty": (), "paths": ("a", "b"), "deep": ""}),
    ],
)
def test_yaml_gives_texts(block: str, expected: Meta) -> None:
    assert yaml_of(block) == expected


@pytest.mark.parametrize(
    "block",
    ["globs: **/*.ts", "a: b: c", "- a", "", "\ud800: a", "a: " + "[" * 60_000, "- " * 30_000, "? " * 30_000],
    ids=["alias", "colon", "list", "empty", "surrogate", "flow", "sequence", "keys"],
)
def test_yaml_says_no_to_everything_else(block: str) -> None:
    assert read_yaml(block) is None


def test_tests() -> None:
    meta: Meta = {"a": "1", "off": "false", "none": (), "some": ("x",), "list": "docs/**,**"}
    hold = ["", "a", "!missing", "a=1", "off=false & !missing", "none=[]", "some=[*]", "list=**"]
    fail = ["!a", "missing", "a=2", "off=false & missing", "none=[*]", "some=[]", "a=[*]"]
    assert [test for test in hold + fail if holds(test, meta)] == hold


def test_tests_can_be_said_and_globs_come_from_lists_and_texts() -> None:
    assert spoken("alwaysApply=false & description") == "alwaysApply: false and description is set"
    assert spoken("!trigger") == "no trigger"
    assert spoken("paths=[]") == "paths is an empty list"
    assert globs_of(("a,b", "c")) == globs_of("a, b, c") == ("a", "b", "c")


@given(st.text())
def test_no_text_breaks_the_readers(text: str) -> None:
    find_block(text)
    read_lines(text)
    read_yaml(text)


@cases(
    ("how", "line", "value"),
    [
        ("quotes", 'a: b: "c"', 'b: "c"'),
        ("quotes", "a: **/*.ts", "**/*.ts"),
        ("quotes", "a-b: [x] [y]", "[x] [y]"),
        ("quotes", "a: 'b': c", None),
        ("blocks", "a: b: c", "b: c"),
        ("blocks", "a: *b: c", "*b: c"),
        ("blocks", "a: *b", None),
        ("blocks", "a-b: c: d", None),
        ("blocks", 'a: "b": c', None),
    ],
)
def test_agents_mend_lines_that_are_not_yaml_in_their_own_way(how: str, line: str, value: str | None) -> None:
    assert read_yaml(line) is None
    mended = read_as(f"name: n\n{line}", Reading("drop", how), (), None)
    meta = None if value is None else {"name": "n", line.partition(":")[0]: value}
    assert (mended and mended.meta) == meta


GEMINI = "name: reviewer\ndescription: Reviews."


@cases(
    ("head", "why"),
    [
        (GEMINI, ""),
        (f"{GEMINI}\ntools: [read_file, mcp_x_Y, '*']\nmodel: m\nmax_turns: 3", ""),
        ("name: far\nkind: remote\nagent_card_url: https://example.org", ""),
        (f"{GEMINI}\ntools: Read, Write", "`tools` must be a list"),
        (f"{GEMINI}\ntools: [read_file, Write]", "names Write"),
        (f"{GEMINI}\ncolor: blue", "`color`"),
        ("name: Code Reviewer\ndescription: Reviews.", "`name` must be"),
        ("name: reviewer", "no description"),
        ("description: Reviews.", "no name"),
    ],
)
def test_gemini_cli_refuses_agents_with_other_keys_or_values(contexts: Contexts, head: str, why: str) -> None:
    (charge,) = contexts({".gemini/agents/a.md": f"---\n{head}\n---\nReview.\n"})["gemini-cli"].charges
    assert charge.moment == ("never" if why else "subagent")
    assert why in charge.reason


def test_roo_reads_the_rules_of_the_mode_in_which_it_begins(moments: Moments) -> None:
    files = empty(".roo/rules/a.md .roo/rules-architect/b.md .roo/rules-code/c.md")
    expected = when(start=".roo/rules/a.md .roo/rules-architect/b.md", manual=".roo/rules-code/c.md")
    assert moments("roo", files) == expected


def test_copilot_looks_for_agents_in_one_folder_only(contexts: Contexts) -> None:
    text = "---\ndescription: d\n---\nx\n"
    files = {".github/agents/a.agent.md": text, ".github/agents/a/notes.md": text, "AGENTS.md": "x\n"}
    found = contexts({**files, ".github/copilot-instructions.md": "x\n"})
    for agent in ("copilot", "copilot-cli"):
        assert [each.path for each in found[agent].at("subagent")] == [".github/agents/a.agent.md"]
    # A prompt that it does not offer is no sign of it.
    assert "copilot" not in contexts({".github/prompts/review.md": "x\n", "AGENTS.md": "x\n"})
    assert "copilot" in contexts({".github/prompts/review.prompt.md": "x\n"})


_READERS = {"codex": "codex/config.toml", "roo": "roo/rules/a.md", "opencode": "opencode/commands/a.md"}


@cases(
    ("listed", "heads"),
    [
        ("codex roo opencode", ["description: Does it.", "description: '12345'", "description: yes"]),
        ("codex roo opencode", ["description: &d Text\nsummary: *d"]),
        ("codex", ["description: 12345", "description: true", "description: 2024-01-01"]),
        ("codex", ["description: a\nlicense: b\nlicense: c"]),
        ("", ["description: [a]", "description: {a: b}", "description: null", "description: ~"]),
        ("", ["description: a\ndescription: b"]),
    ],
)
def test_each_agent_has_its_own_idea_of_a_text(contexts: Contexts, listed: str, heads: list[str]) -> None:
    for head in heads:
        text = f"---\nname: t\n{head}\n---\nbody\n"
        files = {".agents/skills/t/SKILL.md": text, ".roo/skills/t/SKILL.md": text}
        found = contexts(files | {f".{name}": "" for name in _READERS.values()})
        moments = {
            agent: {each.moment for each in found[agent].charges if "SKILL" in each.path} for agent in _READERS
        }
        assert [agent for agent, met in moments.items() if "listed" in met] == listed.split(), head


def test_what_is_no_text_or_comes_twice_is_named(contexts: Contexts) -> None:
    def reason(head: str, agent: str = "roo") -> str:
        files = {".roo/skills/t/SKILL.md": f"---\nname: t\n{head}\n---\nbody\n", ".agents/skills/t/SKILL.md": ""}
        return next(each.reason for each in contexts(files)[agent].charges if each.path.startswith(".roo"))

    assert reason("description: 12345") == "not loaded: its `description` is a number, not a text"
    assert reason("description: [a]") == "not loaded: its `description` is a list, not a text"
    assert reason("description: ~") == "not loaded: its frontmatter has no description"
    assert reason("description: a\ndescription: b").endswith("the frontmatter has `description` twice")


@cases("value", ["null", "~", "", '""', '"" # all', "Null", '[""]', "[]"])
@cases(
    ("agent", "path", "key", "moment"),
    [
        ("claude-code", ".claude/rules/r.md", "paths", "start"),
        ("cursor", ".cursor/rules/r.mdc", "globs", "manual"),
        ("copilot", ".github/instructions/r.instructions.md", "applyTo", "manual"),
    ],
)
def test_no_value_is_no_glob(moments: Moments, value: str, agent: str, path: str, key: str, moment: str) -> None:
    # Also if the rest is not YAML.
    for more in ("", "b: c: d\n"):
        assert moments(agent, {path: f"---\n{key}: {value}\n{more}---\nRule.\n"}) == {path: moment}, more


def test_vscode_takes_the_first_of_two_values(contexts: Contexts) -> None:
    files = {".github/skills/t/SKILL.md": "---\nname: t\ndescription: one\ndescription: two\n---\nbody\n"}
    (charge,) = contexts(files)["copilot"].charges
    assert [each.description for each in (charge.entry,) if each] == ["one"]


@cases(
    ("agent", "path", "is_seen"),
    [
        ("codex", ".agents/skills/t/SKILL.md", False),
        ("claude-code", ".claude/agents/t.md", False),
        ("gemini-cli", ".gemini/skills/t/SKILL.md", False),
        ("gemini-cli", ".gemini/agents/t.md", False),
        ("roo", ".roo/skills/t/SKILL.md", True),
        ("opencode", ".opencode/skills/t/SKILL.md", True),
        ("cline", ".cline/skills/t/SKILL.md", True),
        ("cursor", ".cursor/skills/t/SKILL.md", True),
    ],
)
def test_some_agents_see_no_frontmatter_behind_a_mark(
    contexts: Contexts, agent: str, path: str, is_seen: bool
) -> None:
    text = "---\nname: t\ndescription: A skill.\n---\nbody\n"
    for mark, is_loaded in (("", True), ("\ufeff", is_seen)):
        (charge,) = contexts({path: mark + text})[agent].charges
        assert (charge.moment != "never") is is_loaded
        assert ("byte order mark" in charge.reason) is not is_loaded


def test_a_mark_is_no_part_of_the_text_that_is_stripped(contexts: Contexts) -> None:
    rule = "---\npaths: []\n---\nRule.\n"
    plain, marked = (
        contexts({".claude/rules/r.md": mark + rule})["claude-code"].charges[0] for mark in ("", "\ufeff")
    )
    assert (plain.kept, plain.tokens) == (marked.kept, marked.tokens)
