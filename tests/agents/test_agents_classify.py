"""What holds for every agent: order, reading little, speed, and surviving anything."""

import time
import tracemalloc
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.agents import agent_files, classify, load_table
from ctxtui.agents.project.files import Files
from ctxtui.agents.types import MOMENTS

PATHS = """
AGENTS.md AGENTS.override.md CLAUDE.md GEMINI.md a/AGENTS.md a/CLAUDE.md a/b/GEMINI.md a/rules.md
.claude/CLAUDE.md .claude/rules/r.md .claude/skills/s/SKILL.md .claude/skills/s/ref.md .claude/agents/x.md
.agents/skills/s/SKILL.md .agents/rules/r.md .cursor/rules/r.mdc .cursor/rules/r.md
.github/copilot-instructions.md .github/instructions/i.instructions.md .clinerules/r.md .clinerules
.devin/rules/r.md .roo/rules/r.md .kiro/steering/s.md .continue/rules/r.md .rules .junie/guidelines.md
.augment/rules/r.md QWEN.md .pi/APPEND_SYSTEM.md .cline/rules/r.md .kilo/rules/r.md .goosehints CRUSH.md WARP.md
.openhands/skills/s.md .factory/AGENTS.md .kimi-code/AGENTS.md .hermes.md .vibe/skills/s/SKILL.md SOUL.md
.aiassistant/rules/r.md .rovodev/subagents/a.md .aider.conf.yml .gemini/settings.json .gemini/skills/s/SKILL.md
opencode.json skills/s/SKILL.md skills/s/more/x.md POWER.md docs/a.md src/main.py
""".split()
LINES = "---|paths:|- a/**|globs: **/*|alwaysApply: true|trigger: glob|description: x|name: x|paths: [".split("|")
LINES += ["@a/CLAUDE.md", "@docs/a.md", "@../..", "```", "`", "{", '{"instructions": ["**"]}', "[]", "\x00"]
TEXT = st.text(max_size=80) | st.lists(st.sampled_from(LINES), max_size=8).map("\n".join)
SETTINGS = '{"context": {"fileName": "*"}}'


def test_agents_come_in_the_order_of_the_table_and_paths_once() -> None:
    found = classify(PATHS, lambda path: "")
    order = [agent.id for agent in load_table()]
    assert [load.agent for load in found] == sorted((load.agent for load in found), key=order.index)
    assert set(Counter((load.agent, load.path) for load in found).values()) == {1}
    # Aider loads what its configuration names, and this one names nothing; the others have no file here.
    elsewhere = {"aider", "amp", "gemini-code-assist"} | {
        id_ for id_ in order if id_.endswith(("-plugins", "-files"))
    }
    assert {load.agent for load in found} == set(order) - elsewhere
    assert (classify([], lambda path: ""), agent_files([])) == ((), frozenset())


def test_a_smaller_table_can_be_given() -> None:
    zed = [agent for agent in load_table() if agent.id == "zed"]
    assert [load.path for load in classify(PATHS, lambda path: "", zed) if load.moment == "start"] == [".rules"]
    assert ".cursor/rules/r.mdc" not in agent_files(PATHS, zed)


def test_only_files_on_which_a_rule_depends_are_read_and_only_once() -> None:
    asked: Counter[str] = Counter()

    def read(path: str) -> str:
        asked[path] += 1
        return ""

    classify(PATHS, read)
    assert set(asked.values()) == {1}
    unread = {"src/main.py", ".claude/skills/s/ref.md", ".rules", ".roo/rules/r.md", "docs/a.md"}
    assert asked.keys().isdisjoint(unread)


def test_unreadable_files_load_only_where_nothing_depends_on_them() -> None:
    found = {(load.agent, load.path): load for load in classify(PATHS, lambda path: None)}
    assert found["claude-code", "CLAUDE.md"].moment == "start"
    cursor = found["cursor", ".cursor/rules/r.mdc"]
    assert (cursor.moment, cursor.reason) == ("never", "could not be read")


def test_agent_files_are_known_by_name() -> None:
    others = ".gemini/settings.json .aider.conf.yml opencode.json docs/a.md src/main.py".split()
    assert set(PATHS) - agent_files(PATHS) == set(others)
    # A skill at the root does not claim the project.
    assert agent_files(["SKILL.md", "src/main.py"]) == {"SKILL.md"}


def test_common_names_need_their_agent() -> None:
    paths = ["a/rules.md", "b/POWER.md", "b/AGENTS.md", "collections/shells.md"]
    assert agent_files(paths) == {"b/AGENTS.md"}
    collection = "collections/a.collection.yml"
    assert agent_files([*paths, collection]) == {"b/AGENTS.md", "collections/shells.md", collection}
    assert agent_files([*paths, ".continue/config.yaml"]) == {"a/rules.md", "b/AGENTS.md"}


KINDS = {
    "source": [*PATHS, *(f"src/pkg{n % 97}/mod{n}.py" for n in range(10_000))],
    "skills": [f".claude/skills/s{n // 5}/{'SKILL.md' if n % 5 == 0 else f'f{n}.md'}" for n in range(10_000)],
    "nested": [f"p{n}/{name}" for n in range(5_000) for name in (f".claude/rules/{n}.md", "AGENTS.md")],
}


@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_paths_take_no_time(kind: str) -> None:
    load_table()
    times = []
    for _ in range(3):
        start = time.process_time()
        agent_files(KINDS[kind])
        times.append(time.process_time() - start)
    assert min(times) < 0.5  # 0.06 to 0.2 on a quiet machine


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.sampled_from(PATHS) | st.text(max_size=20), TEXT | st.none() | st.just(SETTINGS)))
def test_nothing_makes_it_raise(files: dict[str, str | None]) -> None:
    found = classify(list(files), files.get)
    assert {load.path for load in found} <= files.keys()
    assert all(load.moment in MOMENTS and load.reason for load in found)
    by_name = {load.path for load in found if not load.imported_by and load.row not in CONFIGURED}
    assert by_name <= agent_files(files)


CONFIGURED = {
    row.id for agent in load_table() for row in agent.rows if row.listed_in or row.also_in or row.instead_in
}
_FILES, _SIZE = 40, 1_000_000


def test_texts_are_not_held_beyond_a_few_megabytes() -> None:
    paths = [f"{number}.md" for number in range(_FILES)]
    files = Files(lambda path: path.rjust(_SIZE), paths)
    tracemalloc.start()
    try:
        read = [len(files.text(path) or "") for path in paths * 2]
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert read == [_SIZE] * 2 * _FILES
    assert held < 8 * _SIZE


def test_a_small_file_is_read_once() -> None:
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return None if path == "gone.md" else "text"

    files = Files(read, ("a.md", "gone.md"))
    assert [files.text(path) for path in ("a.md", "gone.md", "other.md") * 2] == ["text", None, None] * 2
    assert asked == ["a.md", "gone.md"]
