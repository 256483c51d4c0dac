"""Switches: what the user's transcripts show unused is switched off in the agents' own settings, and on again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ctxtui.audit.logs.report import read_logs
from ctxtui.audit.run import AuditOptions, run_audit
from ctxtui.audit.slim.change import Plan
from ctxtui.audit.slim.plan import plan_switches
from ctxtui.audit.slim.switches import DEAR
from ctxtui.audit.slim.write import undo_last, write_changes
from ctxtui.core.disk.root import Root
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import ignore, skill
from tests.audit.test_audit_slim import files, holds_what_it_says, reported, starts
from tests.audit.transcripts import Home, answer, attachment, counted, message, said, skill_listing
from tests.audit.weigh_helpers import entry, in_home, looked, named, usual, weighed
from tests.cases import cases
from tests.conftest import Project

BILL = (3, 900, 100)
SETTINGS = ".claude/settings.local.json"
ABOUT = "Looks at pots and pans, and says which of them should be mended first."


def skills(*names: str, folder: str = ".claude/skills") -> dict[str, str | bytes]:
    return {f"{folder}/{name}/SKILL.md": skill(name=name, description=ABOUT) for name in names}


def at_home(root: Path, tmp_path: Path, *called: str, starts_: int = 12, listed: tuple[str, ...]) -> Home:
    """Conversations of Claude Code over as many days, of which the first calls some skills."""
    home = Home(tmp_path / "user", root.resolve())
    for day in range(1, starts_ + 1):
        calls = [("Skill", {"skill": name}) for name in called] if day == 1 else []
        agents = attachment("agent_listing_delta", addedTypes=["looker"], addedLines=["- looker: Looks."])
        home.claude(said("hi"), skill_listing(dict.fromkeys(listed, ABOUT)), agents, answer(BILL, *calls), day=day)
    return home


def plan_of(root: Path, home: Home) -> Plan:
    workspace, report = reported(root)
    return plan_switches(workspace, report, read_logs(workspace, report.counter, home.environment))


def test_unused_skills_and_subagents_are_switched_off_and_used_ones_stay(project: Project, tmp_path: Path) -> None:
    agent = "---\nname: looker\ndescription: Looks.\n---\nLook.\n"
    root = project({"CLAUDE.md": "# Ours\n", **skills("pots", "pans", "cups"), ".claude/agents/looker.md": agent})
    plan = plan_of(root, at_home(root, tmp_path, "cups", listed=("pots", "pans", "cups")))
    (change,) = plan.changes
    assert (change.path, plan.by_hand) == (SETTINGS, ())
    assert change.title == f"Switch off 2 skills and 1 subagent for Claude Code in {SETTINGS}"
    assert "sent in 12 starts over 11 days, called in none" in change.lost
    assert [each.agent for each in change.saved] == ["claude-code"]
    holds_what_it_says(root, change)
    write_changes(Root(root), [change])
    written = json.loads((root / SETTINGS).read_text())
    assert written == {"skillOverrides": {"pots": "off", "pans": "off"}, "permissions": {"deny": ["Agent(looker)"]}}
    assert plan_of(root, at_home(root, tmp_path, "cups", listed=("pots", "pans", "cups"))).changes == ()


@cases(
    ("called", "starts_"),
    [(("pots",), 12), ((), 9)],
)
def test_without_proof_no_plan(project: Project, tmp_path: Path, called: tuple[str, ...], starts_: int) -> None:
    root = project({"CLAUDE.md": "# Ours\n", **skills("pots")})
    assert plan_of(root, at_home(root, tmp_path, *called, starts_=starts_, listed=("pots",))).changes == ()


@cases(
    ("before", "after"),
    [
        ("{}", '{"skillOverrides": {"pots": "off"}}'),
        ('{\n  "model": "opus"\n}\n', '{\n  "skillOverrides": {"pots": "off"},\n  "model": "opus"\n}\n'),
        ('{"model": "opus"}', '{"skillOverrides": {"pots": "off"}, "model": "opus"}'),
        (
            '{\r\n    "skillOverrides": {\r\n        "pans": "on"\r\n    }\r\n}',
            '{\r\n    "skillOverrides": {\r\n        "pots": "off",\r\n        "pans": "on"\r\n    }\r\n}',
        ),
        ('{"skillOverrides": {}}', '{"skillOverrides": {"pots": "off"}}'),
    ],
)
def test_settings_keep_every_byte_of_their_own(project: Project, tmp_path: Path, before: str, after: str) -> None:
    root = project({"CLAUDE.md": "# Ours\n", **skills("pots"), SETTINGS: before.encode()})
    old = files(root)
    (change,) = plan_of(root, at_home(root, tmp_path, listed=("pots",))).changes
    write_changes(Root(root), [change])
    assert (root / SETTINGS).read_bytes() == after.encode()
    undo_last(Root(root))
    assert files(root) == old


@cases(
    "text",
    ['{"skillOverrides": {"pots": "on"}}', '{"skillOverrides": []}', "// mine\n{}", "[]", "{", "&a [*a]", b"\xff"],
)
def test_settings_that_are_odd_are_left_to_people(project: Project, tmp_path: Path, text: str | bytes) -> None:
    root = project({"CLAUDE.md": "# Ours\n", **skills("pots"), SETTINGS: text})
    plan = plan_of(root, at_home(root, tmp_path, listed=("pots",)))
    assert plan.changes == ()
    assert [(each.code, each.path) for each in plan.by_hand] == [("slim-by-hand", SETTINGS)]


def test_a_switch_is_set_in_the_folder_where_the_agent_starts(project: Project, tmp_path: Path) -> None:
    root = project({"CLAUDE.md": "# Ours\n", **skills("pots", folder="web/.claude/skills")})
    home = at_home(root, tmp_path, listed=("pots",))
    workspace = Workspace.open(root, on_notice=ignore)
    asked = AuditOptions(cwd="web")
    report = run_audit(workspace, workspace.session().budget, load_config(root, on_notice=ignore), asked)
    (change,) = plan_switches(workspace, report, read_logs(workspace, report.counter, home.environment)).changes
    assert change.path == f"web/{SETTINGS}"


@cases(
    ("path", "text"),
    [
        (SETTINGS, {"skillOverrides": {"pots": "off"}}),
        (".claude/settings.json", {"skillOverrides": {"pots": "user-invocable-only"}}),
        (".gemini/settings.json", {"skills": {"disabled": ["pots"]}}),
        (".qwen/settings.json", {"skills": {"disabled": ["pots"]}}),
        ("opencode.json", {"permission": {"skill": {"pots": "deny"}}}),
    ],
)
def test_what_settings_switch_off_costs_no_start(project: Project, path: str, text: dict[str, Any]) -> None:
    agent = {".gemini/settings.json": "gemini-cli", ".qwen/settings.json": "qwen-code", "opencode.json": "opencode"}
    folder = ".qwen/skills" if path.startswith(".qwen") else ".agents/skills" if path in agent else ".claude/skills"
    root = project({**skills("pots", "pans", folder=folder), path: "{}", "CLAUDE.md": "# Ours\n"})
    before = starts(root)
    (root / path).write_text(json.dumps(text))
    after = starts(root)
    assert [id_ for id_ in before if after[id_] < before[id_]] == [agent.get(path, "claude-code")]


def test_an_unused_server_is_priced_before_and_after(project: Project, tmp_path: Path) -> None:
    root = project({"CLAUDE.md": "# Ours\n", ".mcp.json": usual(small=entry(), other=entry("rich"))})
    home = Home(tmp_path / "user", root.resolve())
    for day in range(1, 13):
        tools = attachment("deferred_tools_delta", addedNames=["mcp__small__look"], addedLines=["mcp__small__look"])
        home.claude(said("hi"), tools, answer(BILL), day=day)
    assert plan_of(root, home).changes == ()
    price = next(each for each in weighed(root).prices if each.agent == "claude-code")
    (change,) = plan_of(root, home).changes
    assert change.title == f"Switch off 1 server for Claude Code in {SETTINGS}"
    (saved,) = change.saved
    assert (saved.tokens, saved.before) == (price.start, starts(root)["claude-code"] + price.start)
    write_changes(Root(root), [change])
    assert json.loads((root / SETTINGS).read_text()) == {"disabledMcpjsonServers": ["small"]}
    off = named(looked(root))["small"]
    assert "claude-code" not in off.agents or off.is_off


@cases(
    ("path", "servers", "written"),
    [
        (".gemini/settings.json", "mcpServers", {"mcp": {"excluded": ["large"]}}),
        ("opencode.json", "mcp", {"mcp": {"large": {"enabled": False}}}),
    ],
)
def test_a_dear_server_is_proposed_if_no_transcript_shows_it_in_use(
    project: Project, tmp_path: Path, path: str, servers: str, written: dict[str, Any]
) -> None:
    large = entry("large")
    if servers == "mcp":
        large = {"type": "local", "command": [large["command"], *large["args"]]}
    config = {servers: {"large": large}}
    root = project({path: json.dumps(config, indent=2), "CLAUDE.md": "# Ours\n"})
    assert weighed(root, "large").prices[0].start >= DEAR
    home = Home(tmp_path / "user", root.resolve())
    (change,) = plan_of(root, home).changes
    assert "no transcript says whether it is used" in change.lost
    assert change.tokens >= DEAR
    old = files(root)
    write_changes(Root(root), [change])
    now = json.loads((root / path).read_text())
    assert now == {**config, **written} if servers != "mcp" else now["mcp"]["large"] == {**large, "enabled": False}
    assert plan_of(root, home).changes == ()
    undo_last(Root(root))
    assert files(root) == old
    home.claude(said("hi"), answer(BILL, ("mcp__large__large", {})))
    tools = attachment("deferred_tools_delta", addedNames=["mcp__large__large"], addedLines=["mcp__large__large"])
    home.claude(said("hi"), tools, answer(BILL, ("mcp__large__large", {})))
    assert plan_of(root, home).changes == ()


def test_a_dear_rule_of_the_user_is_switched_off_here_only(project: Project, tmp_path: Path) -> None:
    root = project({"CLAUDE.md": "# Ours\n"})
    in_home({".claude/rules/long.md": "One more long word.\n" * 400, ".claude/rules/short.md": "Short.\n"})
    workspace = Workspace.open(root, scope=Scope(home=True), on_notice=ignore)
    report = run_audit(workspace, workspace.session().budget, load_config(root, on_notice=ignore))
    logs = read_logs(workspace, report.counter, Home(tmp_path / "user", root).environment)
    (change,) = plan_switches(workspace, report, logs).changes
    assert change.tokens >= DEAR
    assert '"**/.claude/rules/long.md"' in change.diff


def test_what_only_the_settings_of_the_home_folder_switch_off_is_told(project: Project, tmp_path: Path) -> None:
    root = project({"AGENTS.md": "# Ours\n", ".codex/x.toml": "", **skills("pots", folder=".agents/skills")})
    home = Home(tmp_path / "user", root.resolve())
    listing = (
        f"<skills_instructions>\n### Available skills\n- pots: {ABOUT} (file: /x/SKILL.md)\n</skills_instructions>"
    )
    for day in range(1, 13):
        home.codex(message("developer", listing), counted(900), day=day)
    plan = plan_of(root, home)
    assert plan.changes == ()
    (told,) = plan.by_hand
    assert told.path == "~/.codex/config.toml"
    assert "`pots`: sent in 12 starts over 11 days, called in none" in told.message
