"""What a start leaves out, in words: every part by number, and published sizes that are never added."""

import pytest

from ctxtui.agents import Start, load_table, starts_of
from tests.agents.conftest import Contexts


def _start(contexts: Contexts, agent: str, files: dict[str, str]) -> Start:
    return next(each for each in starts_of(contexts(files).values()) if each.agent == agent)


@pytest.mark.parametrize(
    ("agent", "files", "told"),
    [
        ("copilot", {"AGENTS.md": "x", ".github/copilot-instructions.md": "x"}, "system prompt and tools"),
        (
            "claude-code",
            {
                "CLAUDE.md": "x",
                ".mcp.json": '{"mcpServers": {"a": {}, "b": {}}}',
                ".claude/settings.json": '{"hooks": {"Stop": []}, "skillOverrides": {"a": "off", "b": "off"}}',
            },
            "system prompt and tools, 2 skills that the settings hide or shorten, 1 hook, 2 MCP servers,"
            " your files at home",
        ),
        (
            "opencode",
            {"AGENTS.md": "x", "opencode.json": '{"agent": {"a": {}, "b": {}}}'},
            "system prompt and tools, 2 agents of the configuration, your files at home",
        ),
        (
            "gemini-cli",
            {"GEMINI.md": "x", ".gemini/system.md": "x"},
            "system prompt and tools, folder tree, another system prompt, your files at home",
        ),
    ],
)
def test_parts_are_named_with_their_number(contexts: Contexts, agent: str, files: dict[str, str], told: str) -> None:
    assert _start(contexts, agent, files).left_out == f"not counted: {told}"


def test_published_sizes_are_shown_with_their_source_and_not_added(contexts: Contexts) -> None:
    start = _start(contexts, "claude-code", {"CLAUDE.md": "x" * 10})
    assert start.tokens == 10
    (fixed,) = next(agent for agent in load_table() if agent.id == "claude-code").fixed
    assert start.published == (
        f"+ about {fixed.tokens:,} {fixed.what}, {fixed.version} (o200k_base tokens),"
        f" published by {fixed.by}, {fixed.day}: {fixed.src}",
    )
    assert _start(contexts, "cursor", {".cursorrules": "x"}).published == ()
