"""Three prices for each agent: at the start, loaded, always; and the findings about servers."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.audit.run import AuditOptions, run_audit
from ctxtui.audit.types import Finding
from ctxtui.audit.weigh.places import deferral_of, switched
from ctxtui.audit.weigh.types import Definition, Launch, Price, Server, ServerListing, Weighed, definition_json
from ctxtui.audit.weigh.weigh import price, with_thresholds
from ctxtui.core import get_counter
from ctxtui.core.base.notices import Notice
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import ignore
from tests.audit.weigh_helpers import entry, in_home, looked, usual, weighed
from tests.cases import cases
from tests.conftest import Project

COUNT = get_counter().count
TOOLS = (
    Definition("look", "Looks.", {"type": "object"}),
    Definition("turn", "T" * 3_000, {"type": "object"}, {"anthropic/alwaysLoad": True}),
)


def server(*agents: str, **more: Any) -> Server:
    return Server("small", agents, ".mcp.json", "mcpServers", 3, "project", Launch(("x",)), "d", **more)


def priced(
    agent: str, tools: tuple[Definition, ...] = TOOLS[:1], instructions: str = "Be kind.", **more: Any
) -> Price:
    listing = ServerListing(datetime.now(UTC), tools, instructions)
    (found,) = price(server(agent, **more), listing, {agent: deferral_of(agent)}, get_counter()).prices
    return found


def test_an_agent_that_defers_starts_with_names_and_instructions() -> None:
    found = priced("claude-code")
    named = Definition("mcp__small__look", "Looks.", {"type": "object"})
    assert found.start == COUNT("mcp__small__look") + COUNT("Be kind.")
    assert found.loaded == COUNT(definition_json(named))
    assert found.always == found.loaded + COUNT("Be kind.")
    assert (found.defers, found.src) == ("yes", "https://code.claude.com/docs/en/mcp")


@cases("agent", ["opencode", "gemini-cli", "kiro", "copilot", "somebody-else"])
def test_an_agent_that_does_not_defer_starts_with_all(agent: str) -> None:
    found = priced(agent)
    assert found.start == found.always == found.loaded + COUNT("Be kind.")
    assert found.note


def test_marks_load_at_the_start() -> None:
    assert priced("claude-code", always_loads=True).start == priced("claude-code").always
    found = priced("claude-code", TOOLS, "")
    marked = Definition("mcp__small__turn", "T" * 2_048 + "… [truncated]", {"type": "object"})
    assert found.start == COUNT("mcp__small__look") + COUNT(definition_json(marked))


def test_tools_that_the_configuration_leaves_out_cost_nothing() -> None:
    listing = replace(LISTING, tools=TOOLS)
    for more in ({"only": frozenset({"look"})}, {"without": frozenset({"turn"})}):
        found = price(server("codex", **more), listing, {"codex": deferral_of("codex")}, get_counter())
        assert [tool.name for tool in found.tools] == ["look"]
        assert found.prices == (priced("codex", TOOLS[:1], ""),)


@cases(
    ("settings", "defers", "is_all", "note"),
    [
        ({}, "yes", False, "base URLs"),
        ({"env": {"ENABLE_TOOL_SEARCH": "false"}}, "no", True, "ENABLE_TOOL_SEARCH is false."),
        ({"env": {"ENABLE_TOOL_SEARCH": "true"}}, "yes", False, "base URLs"),
        ({"env": {"ENABLE_TOOL_SEARCH": "auto"}}, "yes", True, "tokens fit in 10 % of the window of 1,000,000."),
        ({"env": {"ENABLE_TOOL_SEARCH": "auto:5"}}, "yes", True, "tokens fit in 5 % of the window of 1,000,000."),
        ({"env": {"ENABLE_TOOL_SEARCH": "auto:0"}}, "yes", False, "do not fit in 0 % of the window of 1,000,000."),
    ],
)
def test_a_setting_changes_when_tools_load(
    project: Project, settings: Mapping[str, Any], defers: str, is_all: bool, note: str
) -> None:
    root = project(
        {"CLAUDE.md": "x", ".mcp.json": usual(small=entry()), ".claude/settings.json": json.dumps(settings)}
    )
    (found,) = weighed(root).prices
    assert (found.defers, note in found.note) == (defers, True)
    assert (found.start == found.always) == is_all


AUTO = replace(deferral_of("claude-code"), share=10, note="ENABLE_TOOL_SEARCH is auto:10")


def auto(window: int, *servers: Weighed) -> list[Price]:
    """The prices of servers for an agent with that window."""
    settled = with_thresholds(servers, {"claude-code": AUTO}, {"claude-code": window})
    return [price for each in settled for price in each.prices]


LISTING = ServerListing(datetime.now(UTC), TOOLS[:1], "")


def test_all_servers_together_decide_whether_tools_fit_in_a_share_of_the_window() -> None:
    small = price(server("claude-code"), LISTING, {"claude-code": AUTO}, get_counter())
    needed = small.prices[0].loaded
    (alone,) = auto(10 * needed, small)
    assert alone.start == alone.always == needed
    note = f"≈{2 * needed:,} tokens do not fit in 10 % of the window of {10 * needed:,}."
    note = f"{AUTO.note}: tools are deferred, because their {note}"
    assert auto(10 * needed, small, small) == [replace(alone, start=small.prices[0].start, note=note)] * 2
    assert [each.start for each in auto(20 * needed, small, small)] == [needed, needed]


def test_what_always_loads_need_not_fit_and_what_was_never_weighed_is_named_if_it_could_decide() -> None:
    small = price(server("claude-code"), LISTING, {"claude-code": AUTO}, get_counter())
    always = price(server("claude-code", always_loads=True), LISTING, {"claude-code": AUTO}, get_counter())
    first, second = auto(10 * small.prices[0].loaded, small, always)
    assert first.start == first.always
    assert second == always.prices[0]
    other = Weighed(server("claude-code"), "unweighed")
    assert auto(200_000, small, other)[0].note.endswith("of the window of 200,000; 1 server not weighed.")
    assert "not weighed" not in auto(10, small, other)[0].note


def test_the_window_of_the_chosen_model_decides(project: Project) -> None:
    settings = json.dumps({"env": {"ENABLE_TOOL_SEARCH": "auto:1"}})
    servers = usual(**{name: entry("large") for name in ("one", "two", "three", "four", "five", "six")})
    root = project({"CLAUDE.md": "x", ".mcp.json": servers, ".claude/settings.json": settings})
    weighed(root, "one")
    fits = {}
    for model in ("claude-opus-5", "claude-sonnet-4-5"):
        workspace = Workspace.open(root, on_notice=ignore)
        budget = workspace.session().with_budget(model=model).budget
        prices = [each.prices[0] for each in run_audit(workspace, budget, load_config(root)).mcp.servers]
        assert all(f" fit in 1 % of the window of {budget.window:,}" in each.note for each in prices)
        fits[budget.window] = [each.start == each.always for each in prices]
    assert fits == {1_000_000: [True] * 6, 200_000: [False] * 6}


def test_the_projects_setting_wins_over_the_users() -> None:
    texts = [{".claude/settings.json": json.dumps({"env": {"ENABLE_TOOL_SEARCH": value}})} for value in (False, True)]
    reads = [each.get for each in texts]
    assert switched(deferral_of("claude-code"), reads).defers == "yes"
    assert switched(deferral_of("claude-code"), reads[::-1]).defers == "no"


@given(
    st.lists(st.builds(Definition, st.text(min_size=1, max_size=8), st.text(max_size=30), st.just({})), max_size=5),
    st.text(max_size=40),
    st.sampled_from(["claude-code", "codex", "cursor", "opencode", "kiro"]),
)
def test_a_start_never_costs_more_than_always(tools: list[Definition], instructions: str, agent: str) -> None:
    found = priced(agent, tuple(tools), instructions)
    assert found.loaded <= found.always
    assert found.start <= found.always


# The rules.


def findings(root: Path, *words: str, rule: str, user: bool = False) -> list[Finding]:
    notices: list[Notice] = []
    config = load_config(root)
    workspace = Workspace.open(root, scope=Scope(home=user), on_notice=ignore)
    report = run_audit(workspace, workspace.session().budget, config, AuditOptions(weigh=words), notices.append)
    return [each for each in report.findings if each.rule == rule]


def words(root: Path) -> list[str]:
    return [f"{each.server.name}={each.server.digest}" for each in looked(root).servers]


def test_one_server_under_two_names(project: Project) -> None:
    root = project({"CLAUDE.md": "x", ".mcp.json": usual(one=entry(), two=entry(), other=entry("paged"))})
    (found,) = findings(root, rule="server-twice")
    assert found.message.startswith("one and two are the same MCP server, so claude-code pays for its tools each")
    assert (found.severity, found.path, found.agent) == ("warning", ".mcp.json", "claude-code")
    assert findings(root, *words(root), rule="server-twice")[0].tokens > 0
    differ = usual(one=entry(), same=entry(env={"DB": "a"}), off=entry(disabled=True))
    files = {"CLAUDE.md": "x", ".cursor/mcp.json": usual(two=entry()), ".mcp.json": differ}
    assert findings(project(files), rule="server-twice") == []


def test_one_server_in_two_files_of_one_agent(project: Project) -> None:
    root = project({"CLAUDE.md": "x", ".mcp.json": usual(one=entry())})
    in_home({".claude.json": usual(one=entry())})
    assert findings(root, rule="server-twice") == []
    (found,) = findings(root, rule="server-twice", user=True)
    assert found.severity == "info"
    assert ".mcp.json:3 and ~/.claude.json:3" in found.message
    assert found.path is None


def test_each_agent_is_told_of_its_own_files_of_one_server(project: Project) -> None:
    text = json.dumps({"mcp": {"one": {"type": "local", "command": ["node", "one.js"]}}})
    files = dict.fromkeys(("opencode.json", ".opencode/opencode.json", "kilo.json"), text)
    told = findings(project({"AGENTS.md": "x", ".kilo/rules/a.md": "x", **files}), rule="server-twice")
    assert {each.agent: each.message.partition("(")[2] for each in told} == {
        "opencode": "opencode.json:1 and .opencode/opencode.json:1)",
        "kilo": "opencode.json:1 and kilo.json:1)",
    }
    assert all("from 2 files" in each.message for each in told)


def test_a_server_below_a_folder_with_a_number_sign_is_looked_up(project: Project) -> None:
    root = project({"a#b/CLAUDE.md": "x", "a#b/.mcp.json": usual(web={"url": "https://a.io/mcp"})})
    workspace = Workspace.open(root, on_notice=ignore)
    report = run_audit(workspace, workspace.session().budget, load_config(root), AuditOptions(cwd="a#b"), ignore)
    assert [each.message.partition(", ")[0] for each in report.findings if each.rule == "broken-server"] == [
        "Claude Code drops the MCP server web"
    ]


def test_one_tool_on_two_servers(project: Project) -> None:
    root = project({"CLAUDE.md": "x", ".mcp.json": usual(one=entry(), two=entry("rich"), three=entry("paged"))})
    assert findings(root, rule="tool-twice") == []
    (found,) = findings(root, *words(root), rule="tool-twice")
    assert "one and two both offer look and turn" in found.message
    assert found.tokens == sum(tool.tokens for tool in weighed(root, "two").tools)
    # For two agents it is fine.
    root = project({"CLAUDE.md": "x", ".mcp.json": usual(one=entry()), ".cursor/mcp.json": usual(two=entry("rich"))})
    assert findings(root, *words(root), rule="tool-twice") == []


def test_a_heavy_tool(project: Project) -> None:
    files = {"CLAUDE.md": "x", ".mcp.json": usual(small=entry("large"))}
    root = project(files)
    (found,) = findings(root, *words(root), rule="heavy-tool")
    assert found.tokens == weighed(root).tools[0].tokens > 2_000
    assert f"the tool large of the MCP server small takes {found.tokens:,} tokens" in found.message
    for setting in ('{tokens = "9k"}', '"off"'):
        root = project({**files, "ctxtui.toml": f"[rules]\nheavy-tool = {setting}\n"})
        assert findings(root, *words(root), rule="heavy-tool") == [], setting
