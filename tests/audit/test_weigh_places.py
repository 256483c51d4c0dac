"""Which MCP servers a project's agents start, as each agent writes them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents import load_table
from tests.audit.weigh_helpers import entry, in_home, looked, named, usual
from tests.cases import cases
from tests.conftest import Project

CODEX = """
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs", 8080]
env = { LEVEL = "info" }
env_vars = ["TOKEN"]
enabled_tools = ["search"]

[mcp_servers.web]
url = "https://docs.example/mcp"
bearer_token_env_var = "DOCS_TOKEN"
http_headers = { X-Team = "a" }
env_http_headers = { X-Key = "DOCS_KEY" }
enabled = false
"""


def servers(root: Path, **options: Any) -> Any:
    found = looked(root, **options)
    assert found.notices == ()
    return named(found)


def test_the_usual_form(project: Project) -> None:
    text = usual(
        github={"command": "npx", "args": ["-y", "gh"], "env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}"}},
        web={"type": "http", "url": "https://a.example/mcp", "headers": {"Authorization": "Bearer x"}},
        old={"type": "sse", "url": "https://b.example/sse", "disabled": True},
    )
    root = project({"CLAUDE.md": "x", ".mcp.json": text})
    found = servers(root)
    github = found["github"]
    assert (github.launch.command, github.launch.variables) == (("npx", "-y", "gh"), ("GITHUB_TOKEN",))
    assert (github.path, github.line, github.owner, github.agents) == (".mcp.json", 3, "project", ("claude-code",))
    assert github.launch.folder == str(root)
    assert found["web"].launch.transport == "http"
    assert [*found["web"].launch.headers] == ["Authorization"]
    assert (found["old"].launch.transport, found["old"].is_off) == ("sse", True)
    # A change that empties or removes the file leaves none.
    assert servers(root, changed={".mcp.json": b""}) == {}
    assert set(servers(root, changed={".mcp.json": usual(web={"url": "https://a.example/mcp"}).encode()})) == {"web"}


def test_codex(project: Project) -> None:
    found = servers(project({"AGENTS.md": "x", ".codex/config.toml": CODEX}))
    docs, web = found["docs"], found["web"]
    assert docs.launch.command == ("npx", "-y", "docs", "8080")
    assert docs.launch.variables == ("LEVEL", "TOKEN")
    assert docs.uses("search")
    assert not docs.uses("write")
    assert (docs.line, web.line) == (2, 9)
    assert (web.launch.url, web.launch.token_env, web.is_off) == ("https://docs.example/mcp", "DOCS_TOKEN", True)
    assert web.launch.headers == {"X-Team": "a", "X-Key": "${DOCS_KEY}"}


@cases(
    ("path", "text", "command", "off"),
    [
        (
            "opencode.json",
            '{"mcp": {"s": {"type": "local", "command": ["bun", "x"], "environment": {"A": "1"}, "enabled": false}}}',
            ("bun", "x"),
            True,
        ),
        (".opencode/opencode.jsonc", '{"mcp": {"servers": {"s": {"command": ["bun"], /* V2 */}}}}', ("bun",), False),
        (".vscode/mcp.json", '{"inputs": [], "servers": {"s": {"type": "stdio", "command": "x"}}}', ("x",), False),
        (".cursor/mcp.json", usual(s={"command": "x", "args": ["y"]}), ("x", "y"), False),
        (".gemini/settings.json", usual(s={"command": "x", "includeTools": ["a"]}), ("x",), False),
        (".kiro/settings/mcp.json", usual(s={"command": "x", "disabled": True}), ("x",), True),
        (".roo/mcp.json", usual(s={"command": "x", "disabledTools": ["a"]}), ("x",), False),
        (".continue/mcpServers/s.yaml", "name: n\nmcpServers:\n  - name: s\n    command: x\n    args: [y]\n", ("x", "y"), False),
        (".zed/settings.json", '{"context_servers": {"s": {"command": {"path": "x", "args": ["y"]}}}}', ("x", "y"), False),
        (".junie/mcp/mcp.json", usual(s={"command": "x"}), ("x",), False),
    ],
)  # fmt: skip
def test_each_agent(project: Project, path: str, text: str, command: tuple[str, ...], off: bool) -> None:
    found = servers(project({path: text}))
    assert (found["s"].launch.command, found["s"].is_off) == (command, off)
    assert found["s"].path == path
    assert found["s"].line is not None


def test_gemini_writes_two_kinds_of_urls_and_bare_variables(project: Project) -> None:
    text = usual(a={"httpUrl": "https://a.example/mcp", "headers": {"X": "$KEY"}}, b={"url": "https://a.example/sse"})
    found = servers(project({".gemini/settings.json": text}))
    assert (found["a"].launch.transport, found["b"].launch.transport) == ("http", "sse")
    assert found["a"].launch.headers == {"X": "${KEY}"}


def test_a_file_of_several_agents_counts_for_those_that_are_used(project: Project) -> None:
    text = usual(s={"command": "x"})
    assert servers(project({".mcp.json": text}))["s"].agents == ("claude-code", "copilot-cli")
    assert servers(project({".mcp.json": text, "CLAUDE.md": "x"}))["s"].agents == ("claude-code",)


def test_settings_turn_servers_off(project: Project) -> None:
    files = {
        "CLAUDE.md": "x",
        ".github/copilot-instructions.md": "x",
        ".mcp.json": usual(s={"command": "x"}, t={"command": "y"}),
        ".claude/settings.local.json": '{"disabledMcpjsonServers": ["s"]}',
    }
    found = servers(project(files))
    assert (found["s"].agents, found["s"].is_off) == (("copilot-cli",), False)
    assert found["t"].agents == ("claude-code", "copilot-cli")
    del files[".github/copilot-instructions.md"]
    found = servers(project(files))
    assert (found["s"].is_off, found["t"].is_off) == (True, False)


def test_settings_count_in_the_folder_where_agents_start(project: Project) -> None:
    settings = {"disabledMcpjsonServers": ["s"], "env": {"ENABLE_TOOL_SEARCH": "false"}}
    text = usual(s=entry(), t=entry("rich"))
    files = {"CLAUDE.md": "x", ".mcp.json": text, "web/.mcp.json": text}
    root = project({**files, "web/.claude/settings.local.json": json.dumps(settings)})
    assert [each.is_off for each in servers(root).values()] == [False, False]
    assert [each.is_off for each in servers(root, folder="web").values()] == [True, False]
    for folder, defers in (("", "yes"), ("web", "no")):
        found = looked(root, f"t={servers(root, folder=folder)['t'].digest}", folder=folder).servers
        assert [each.prices[0].defers for each in found if each.prices] == [defers]


def test_the_users_own_servers_only_on_request(project: Project) -> None:
    root = project({"CLAUDE.md": "x"})
    local = {"projects": {str(root): {"mcpServers": {"here": {"command": "h"}}}, "/other": {"mcpServers": {"o": {}}}}}
    in_home(
        {
            ".claude.json": json.dumps({"mcpServers": {"mine": {"command": "m"}}, **local}),
            ".codex/config.toml": CODEX,
            "XDG_CONFIG_HOME/opencode/opencode.json": '{"mcp": {"open": {"command": ["o"]}}}',
        }
    )
    assert servers(root) == {}
    found = servers(root, user=True)
    assert set(found) == {"mine", "here", "docs", "web", "open"}
    assert found["mine"].path == "~/.claude.json"
    assert {each.owner for each in found.values()} == {"user"}
    # A project must not decide what a command of the user finds in its folder.
    assert found["mine"].launch.folder == str(Path.home().resolve())


def test_variables_move_the_users_servers(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({"CLAUDE.md": "x", "AGENTS.md": "x", ".mcp.json": usual(s={"command": "s"})})
    in_home({".claude.json": usual(old={"command": "m"}), ".codex/config.toml": CODEX})
    assert set(servers(root, user=True)) == {"s", "old", "docs", "web"}
    moved = tmp_path / "moved"
    for name, text in {
        "claude/.claude.json": usual(mine={"command": "m"}),
        "claude/settings.json": json.dumps({"disabledMcpjsonServers": ["s"]}),
        "codex/config.toml": '[mcp_servers.new]\ncommand = "n"\n',
    }.items():
        (moved / name).parent.mkdir(parents=True, exist_ok=True)
        (moved / name).write_text(text)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(moved / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(moved / "codex"))
    found = servers(root, user=True)
    assert {name: each.path for name, each in found.items()} == {
        "s": ".mcp.json",
        "mine": "~/.claude/.claude.json",
        "new": "~/.codex/config.toml",
    }
    assert found["new"].launch.folder == str(Path.home().resolve())
    assert found["s"].is_off
    monkeypatch.setenv("CODEX_HOME", "relative")
    assert "docs" in servers(root, user=True)


@cases(
    ("entry", "said"),
    [
        ('{"s": 5}', "`mcpServers.s` should be a table"),
        ('{"s": {}}', "should have either a `command` or a `url`"),
        ('{"s": {"command": "x", "url": "https://a"}}', "should have either a `command` or a `url`"),
        ('{"s": {"command": " "}}', "`mcpServers.s.command`"),
        ('{"s": {"command": ["x"], "args": "y"}}', "`mcpServers.s.args` should be a list of strings"),
        ('{"s": {"command": "x", "env": {"A": ["SECRET1"]}}}', "`mcpServers.s.env.A` should be a string"),
        ('{"s": {"command": "x", "disabled": "yes"}}', "`mcpServers.s.disabled` should be true or false"),
        ('{"s": {"url": "https://a", "type": "carrier pigeon"}}', "`mcpServers.s.type` should be one of"),
    ],
)
def test_a_broken_entry_is_a_notice_and_others_stay(project: Project, entry: str, said: str) -> None:
    inner = entry[1:-1]
    found = looked(project({".mcp.json": f'{{"mcpServers": {{\n"good": {{"command": "g"}},\n{inner}\n}}}}'}))
    assert [*named(found)] == ["good"]
    (notice,) = found.notices
    assert (notice.path, notice.line) == (".mcp.json", 3)
    assert said in notice.message
    assert "SECRET1" not in notice.message


@pytest.mark.parametrize(("path", "text", "line"), [(".mcp.json", '{\n"mcpServers": {"a" 5}}', 2), (".codex/config.toml", "a = 1\nb", 2)])  # fmt: skip
def test_a_file_that_cannot_be_read_is_a_notice(project: Project, path: str, text: str, line: int) -> None:
    found = looked(project({path: text}))
    assert found.servers == ()
    assert {(notice.path, notice.line) for notice in found.notices} == {(path, line)}


def test_a_file_outside_is_not_read(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text(usual(s={"command": "x"}))
    root = project({"CLAUDE.md": "x"})
    (root / ".mcp.json").symlink_to(outside)
    found = looked(root)
    assert found.servers == ()
    assert "leads out of the project" in found.notices[0].message
    (in_home({}) / ".claude.json").symlink_to(outside)
    found = looked(project({"CLAUDE.md": "x"}), user=True)
    assert found.servers == ()
    assert ".claude.json leads out of your home folder" in found.notices[0].message
    assert found.notices[0].path == "~/.claude.json"


def test_servers_in_thousands_and_files_in_hundreds_are_bounded(project: Project) -> None:
    found = looked(project({".mcp.json": usual(**{f"s{number}": {"command": "x"} for number in range(300)})}))
    assert len(found.servers) == 200
    assert "100 servers beyond the first 200" in found.notices[0].message
    text = usual(**{f"s{number}": {"command": "x"} for number in range(150)})
    found = looked(project({f".continue/mcpServers/{number}.json": text for number in range(10)}))
    assert len(found.servers) == 500
    assert any("only the first 500 MCP servers" in notice.message for notice in found.notices)


def test_what_is_known_of_servers_has_sources() -> None:
    for row in filter(None, (agent.servers for agent in load_table())):
        # Who says more than that nothing is known says where it is written, and when that was read.
        assert row.defers == "unknown" or (row.src.startswith("https://") and row.checked)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("command args env url type".split()) | st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(entry=VALUES)
def test_any_entry_is_a_server_or_a_notice(project: Project, entry: Any) -> None:
    found = looked(project({".mcp.json": usual(s=entry), "opencode.json": json.dumps({"mcp": {"s": entry}})}))
    assert len(found.servers) + len(found.notices) >= 1
    for each in found.servers:
        assert bool(each.server.launch.command) != bool(each.server.launch.url)
