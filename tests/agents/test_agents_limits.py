"""Limits cut where the agent cuts, and what is left out is said by number."""

import pytest

from ctxtui.agents import AgentContext, Charge, Row, Start, load_table, starts_of
from ctxtui.agents.measure import bytes_within, cut_at
from ctxtui.agents.types import Limit
from ctxtui.core.text.markdown.light import Span
from tests.agents.conftest import Contexts, front, moments_of, skill
from tests.cases import cases

CHAIN = 32_768


def only(context: AgentContext) -> Charge:
    (charge,) = context.charges
    return charge


@pytest.mark.parametrize("size", [CHAIN - 1, CHAIN])
def test_codex_takes_a_chain_within_its_room(contexts: Contexts, size: int) -> None:
    charge = only(contexts({"AGENTS.md": "x" * size})["codex"])
    assert (charge.tokens, charge.lost) == (size, ())


def test_codex_cuts_the_file_that_passes_the_room(contexts: Contexts) -> None:
    text = "x" * 99 + "\n"
    context = contexts({"AGENTS.md": text * 400})["codex"]
    (loss,) = only(context).lost
    assert (loss.span, loss.tokens, loss.line) == (Span(CHAIN, 40_000), 40_000 - CHAIN, 328)
    assert (loss.limit.of, loss.limit.max) == ("chain", CHAIN)
    assert (context.start_tokens, context.lost_tokens) == (CHAIN, 40_000 - CHAIN)


def test_codex_shares_the_room_along_the_chain_and_drops_what_is_left(contexts: Contexts) -> None:
    files = {"AGENTS.md": "r" * 30_000, "a/AGENTS.md": " \n" * 2_000, "a/b/AGENTS.md": "b" * 5_000}
    files["a/b/c/AGENTS.md"] = "c" * 10
    charges = {charge.path: charge for charge in contexts(files, cwd="a/b/c")["codex"].at("start")}
    assert charges["AGENTS.md"].lost == ()
    assert charges["a/b/AGENTS.md"].kept == (Span(0, 2_768),)
    assert charges["a/b/c/AGENTS.md"].kept == ()
    assert [loss.span for loss in charges["a/b/c/AGENTS.md"].lost] == [Span(0, 10)]


def test_codex_counts_bytes_and_no_character_is_split(contexts: Contexts) -> None:
    text = "x" + "é" * 20_000
    charge = only(contexts({"AGENTS.md": text})["codex"])
    assert charge.kept == (Span(0, 1 + (CHAIN - 1) // 2),)
    assert len(charge.text(text).encode()) == CHAIN - 1


@cases(
    ("lines", "moment"),
    [
        (["name: " + "n" * 64, "description: d"], "listed"),
        (["name: " + "n" * 65, "description: d"], "never"),
        *((["name: n", "description: " + "d" * size], "listed") for size in (1024, 1025)),
    ],
)
def test_codex_drops_skills_with_long_names(contexts: Contexts, lines: list[str], moment: str) -> None:
    charge = only(contexts({".agents/skills/n/SKILL.md": front(*lines)})["codex"])
    assert charge.moment == moment
    assert moment == "listed" or "more than" in charge.reason


def test_codex_looks_six_folders_deep_and_into_no_hidden_one(contexts: Contexts) -> None:
    files = {
        f".agents/skills/{folder}/SKILL.md": skill("n") for folder in ("a/a/a/a/a/a", "a/a/a/a/a/a/a", ".hidden")
    }
    deep, deeper, _ = files
    assert moments_of(contexts(files)["codex"]) == {deep: "listed", deeper: "never"}


def test_claude_skips_files_of_more_than_four_mebibytes(contexts: Contexts) -> None:
    size = 4 * 1024 * 1024
    assert only(contexts({"CLAUDE.md": "x" * size})["claude-code"]).moment == "start"
    beyond = only(contexts({"CLAUDE.md": "x" * (size + 1)})["claude-code"])
    assert (beyond.moment, beyond.tokens) == ("never", 0)
    assert "4,194,305 bytes" in beyond.reason


def test_advice_that_is_passed_is_told_and_cuts_nothing(contexts: Contexts) -> None:
    assert only(contexts({"CLAUDE.md": "line\n" * 200})["claude-code"]).passed == ()
    charge = only(contexts({"CLAUDE.md": "line\n" * 200 + "more"})["claude-code"])
    (passed,) = charge.passed
    assert (passed.size, passed.limit.max, passed.limit.hard, charge.lost) == (201, 200, False, ())
    many = only(contexts({"CLAUDE.md": "x" * 200_001})["claude-code"])
    assert [passed.limit.unit for passed in many.passed] == ["chars"]


MEMORY = ".claude/agent-memory/a/MEMORY.md"


@cases(("lines", "kept"), [(199, 199), (200, 200), (201, 200)])
def test_memories_of_subagents_end_after_two_hundred_lines(contexts: Contexts, lines: int, kept: int) -> None:
    charge = only(contexts({MEMORY: "line\n" * lines})["claude-code"])
    assert charge.tokens == kept * 5
    assert [(loss.line, loss.tokens) for loss in charge.lost] == ([(201, 5)] if lines > kept else [])


def test_memories_of_subagents_end_after_25_kilobytes(contexts: Contexts) -> None:
    charge = only(contexts({MEMORY: "x" * 30_000})["claude-code"])
    assert (charge.kept, charge.lost[0].limit.unit) == ((Span(0, 25_600),), "bytes")


@cases("path", [".devin/rules/a.md", ".windsurf/rules/a.md"])
def test_devin_drops_what_passes_twelve_thousand_characters(contexts: Contexts, path: str) -> None:
    head = front("trigger: always_on")
    within = head + "é" * (12_000 - len(head))
    assert only(contexts({path: within})["devin"]).lost == ()
    charge = only(contexts({path: within + "é"})["devin"])
    assert [(loss.span, loss.tokens) for loss in charge.lost] == [(Span(12_000, 12_001), 1)]


@cases("last", ["", "é", "éé"])
def test_antigravity_takes_files_of_24000_bytes(contexts: Contexts, last: str) -> None:
    kept = ("é" * 49 + "x\n") * 240
    charge = only(contexts({".agents/rules.json": "{}", "GEMINI.md": kept + last})["antigravity"])
    assert len(kept.encode()) == 24_000
    assert (charge.text(kept + last), charge.lost_tokens) == (kept, len(last))


def test_antigravity_keeps_whole_lines_of_a_long_file(contexts: Contexts) -> None:
    line = "é" * 100 + "\n"
    charge = only(contexts({".agents/rules.json": "{}", "GEMINI.md": line * 130})["antigravity"])
    kept = charge.text(line * 130)
    assert kept == line * 119
    assert len(kept.encode()) <= 24_000 < len(kept.encode()) + 201
    assert (charge.lost[0].line, charge.lost[0].tokens) == (120, 11 * 101)


def test_antigravity_gives_only_the_paths_of_the_largest(contexts: Contexts) -> None:
    rule = front("trigger: always_on")
    files = {
        "AGENTS.md": "a" * 9_000,
        ".agents/rules/b.md": rule + "b" * (6_000 - len(rule)),
        ".agents/rules/c.md": rule + "c" * (5_000 - len(rule)),
    }
    assert contexts(files)["antigravity"].start_tokens == 20_000
    files[".agents/rules/c.md"] += "c"
    context = contexts(files)["antigravity"]
    assert context.start_tokens == 11_001
    (pointer,) = [charge for charge in context.charges if charge.lost]
    assert (pointer.path, pointer.tokens, pointer.lost_tokens, pointer.kept) == ("AGENTS.md", 0, 9_000, ())
    assert "only its path" in pointer.reason


def test_the_first_of_two_limits_cuts() -> None:
    lines = Limit("file", 2, "lines", "cut", then="cut")
    assert [cut_at(text, lines) for text in ("a\nb\nc", "a\rb\r\nc", "a\nb\n")] == [4, 5, 4]
    assert cut_at("a\nb\nc", Limit("file", 2, "lines", "told")) == 5
    # A single long line is cut within.
    within = Limit("file", 10, "bytes", "cut", then="cut_line")
    assert [cut_at(text, within) for text in ("x" * 20, "ab\ncdefghijk")] == [10, 3]


@cases(("room", "kept"), [(0, 0), (1, 1), (2, 1), (3, 2), (6, 2), (7, 3), (8, 4), (99, 4)])
def test_bytes_hold_whole_characters(room: int, kept: int) -> None:
    assert bytes_within("aé😀b", room) == kept


def test_every_limit_of_the_table_is_applied_or_told() -> None:
    rows: list[Row] = [row for agent in load_table() for row in agent.rows]
    applied = {f"{limit.of}: {limit.then}" for row in rows for limit in row.limits if limit.then != "note"}
    assert sorted(applied) == [
        *("chain: cut", "depth: drop", "description+when_to_use: cut", "description: cut", "description: drop"),
        *("file: cut", "file: cut_line", "file: drop", "file: warn", "listing: names", "listing: shorten"),
        *("name: drop", "start: pointer"),
    ]


def _start(contexts: Contexts, agent: str, files: dict[str, str]) -> Start:
    return next(each for each in starts_of(contexts(files).values()) if each.agent == agent)


_MCP = '{"mcpServers": {"a": {}, "b": {}}}'
_SETTINGS = '{"hooks": {"Stop": []}, "skillOverrides": {"a": "off", "b": "off"}}'


@cases(
    ("agent", "files", "told"),
    [
        ("copilot", {"AGENTS.md": "x", ".github/copilot-instructions.md": "x"}, ""),
        (
            "claude-code",
            {"CLAUDE.md": "x", ".mcp.json": _MCP, ".claude/settings.json": _SETTINGS},
            ", 2 skills that the settings hide or shorten, 1 hook, 2 MCP servers, your files at home",
        ),
        (
            "opencode",
            {"AGENTS.md": "x", "opencode.json": '{"agent": {"a": {}, "b": {}}}'},
            ", 2 agents of the configuration, your files at home",
        ),
        (
            "gemini-cli",
            {"GEMINI.md": "x", ".gemini/system.md": "x"},
            ", folder tree, another system prompt, your files at home",
        ),
    ],
)
def test_parts_are_named_with_their_number(contexts: Contexts, agent: str, files: dict[str, str], told: str) -> None:
    assert _start(contexts, agent, files).left_out == f"not counted: system prompt and tools{told}"


def test_published_sizes_are_shown_with_their_source_and_not_added(contexts: Contexts) -> None:
    start = _start(contexts, "claude-code", {"CLAUDE.md": "x" * 10})
    assert start.tokens == 10
    (fixed,) = next(agent for agent in load_table() if agent.id == "claude-code").fixed
    assert start.published == (
        f"+ about {fixed.tokens:,} {fixed.what}, {fixed.version} (o200k_base tokens),"
        f" published by {fixed.by}, {fixed.day}: {fixed.src}",
    )
    assert _start(contexts, "cursor", {".cursorrules": "x"}).published == ()
