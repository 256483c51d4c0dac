"""Plugins and other files for agents that cost nothing before they are installed. A token is a character."""

import json

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents import AgentContext, agent_files, audit_agents, what_if
from tests.agents.conftest import Contexts, empty, front, moments_of, when

PLUGIN = ".claude-plugin/plugin.json"
MARKET = ".claude-plugin/marketplace.json"


def described(name: str) -> str:
    return front(f"name: {name}", f"description: about {name}")


def listed(context: AgentContext) -> dict[str, list[str]]:
    return {
        package.name: [charge.entry.text for charge in package.charges if charge.entry and charge.start_tokens]
        for package in context.packages
    }


KIT = {
    f"kit/{PLUGIN}": '{"name": "kit"}',
    "kit/skills/s/SKILL.md": described("s"),
    "kit/skills/s/scripts/run.py": "code",
    "kit/skills/s/assets/page.html": "<p>",
    "kit/skills/s/references/more.md": "more",
    "kit/commands/c.md": front("description: does c"),
    "kit/agents/a.md": described("a"),
    "kit/agents/README.md": "not an agent",
    "kit/hooks/hooks.json": '{"hooks": {"SessionStart": []}}',
    "kit/.mcp.json": '{"mcpServers": {"db": {}}}',
    "other/agents/b.md": described("b"),
}


def test_a_plugin_is_weighed_by_itself(contexts: Contexts) -> None:
    context = contexts(KIT)["claude-plugins"]
    (package,) = context.packages
    assert (package.name, package.folder, package.manifest) == ("kit", "kit", f"kit/{PLUGIN}")
    assert listed(context) == {"kit": ["- kit:s: about s", "- kit:c: does c", "kit:a: about a"]}
    assert package.start_tokens == len("- kit:s: about s" + "- kit:c: does c" + "kit:a: about a")
    assert {(part.what, part.names) for part in package.uncounted} == {
        *(("hook", ("SessionStart",)), ("MCP server", ("db",)))
    }
    assert (context.start_tokens, context.installed_tokens) == (0, package.start_tokens)
    # What lies beside a skill is read, run or copied.
    uses = {charge.path: charge.use for charge in context.at("reference")}
    beside = {"assets/page.html": "copied", "references/more.md": "read", "scripts/run.py": "run"}
    assert uses == {f"kit/skills/s/{name}": use for name, use in beside.items()}
    # Files of plugins are context by their names.
    assert agent_files(KIT) == {*uses, "kit/skills/s/SKILL.md", "kit/commands/c.md", "kit/agents/a.md"}


def test_a_marketplace_shares_one_folder_among_its_plugins(contexts: Contexts) -> None:
    plugins = [
        {"name": "one", "source": "./", "strict": False, "skills": ["./skills/a"]},
        {"name": "two", "source": "./", "strict": False, "skills": ["./skills/b", "./skills/gone"]},
        {"name": "far", "source": {"source": "github", "repo": "x/y"}},
        {"name": "out", "source": "../out"},
        {"name": "web", "source": "https://example.org/x"},
    ]
    files = {f"skills/{name}/SKILL.md": described(name) for name in "abc"}
    files[MARKET] = json.dumps({"plugins": plugins})
    context = contexts(files)["claude-plugins"]
    assert listed(context) == {"one": ["- one:a: about a"], "two": ["- two:b: about b"], "out": []}
    assert [package.missing for package in context.packages] == [(), ("skills/gone",), ("../out",)]


def test_a_manifest_adds_skills_and_replaces_commands_and_agents(contexts: Contexts) -> None:
    manifest = {
        "name": "p",
        "skills": "./more",
        "commands": ["./do/x.md"],
        "agents": "./staff",
        "hooks": {"Stop": []},
    }
    files = {
        f"p/{PLUGIN}": json.dumps(manifest),
        "p/skills/a/SKILL.md": described("a"),
        "p/more/b/SKILL.md": described("b"),
        "p/commands/old.md": front("description: old"),
        "p/do/x.md": front("description: new"),
        "p/agents/old.md": described("old"),
        "p/staff/c.md": described("c"),
    }
    context = contexts(files)["claude-plugins"]
    assert listed(context) == {"p": ["- p:a: about a", "- p:b: about b", "- p:p:do:x: new", "p:c: about c"]}
    assert [part.names for part in context.packages[0].uncounted] == [("Stop",)]


def test_a_plugin_of_a_marketplace_is_found_once_and_its_manifest_counts(contexts: Contexts) -> None:
    market = {"metadata": {"pluginRoot": "./kits"}, "plugins": [{"name": "a", "source": "one", "commands": "./x.md"}]}
    files = {
        MARKET: json.dumps(market),
        f"kits/one/{PLUGIN}": '{"name": "b", "agents": ["./y.md"]}',
        "kits/one/x.md": front("description: x"),
        "kits/one/y.md": described("y"),
        f"kits/two/{PLUGIN}": '{"name": "a"}',
        "kits/two/skills/z/SKILL.md": described("z"),
    }
    context = contexts(files)["claude-plugins"]
    assert {name: len(lines) for name, lines in listed(context).items()} == {"a": 2, "a in kits/two": 1}


def test_a_plugin_of_one_skill(contexts: Contexts) -> None:
    files = {f"p/{PLUGIN}": '{"name": "p"}', "p/SKILL.md": described("s")}
    assert listed(contexts(files)["claude-plugins"]) == {"p": ["- p:s: about s"]}
    files["p/skills/t/SKILL.md"] = described("t")
    assert listed(contexts(files)["claude-plugins"]) == {"p": ["- p:t: about t"]}


def test_plugins_of_copilot(contexts: Contexts) -> None:
    market = {"plugins": [{"name": "p", "source": "plugins/p"}]}
    files = {
        ".github/plugin/marketplace.json": json.dumps(market),
        "plugins/p/plugin.json": '{"name": "p", "skills": "kit"}',
        "plugins/p/kit/s/SKILL.md": described("s"),
        "plugins/p/agents/a.agent.md": described("a"),
    }
    found = contexts(files)
    assert listed(found["copilot-plugins"]) == {"p": ["p:s: about s", "p:a: about a"]}
    assert "claude-plugins" not in found


def test_files_of_a_copilot_collection_cost_once_they_are_copied(contexts: Contexts) -> None:
    always, scoped = front("applyTo: '**'") + "x", front("applyTo: '**/*.py'")
    files = {
        "instructions/a.instructions.md": always,
        "instructions/b.instructions.md": scoped,
        "instructions/c.instructions.md": front("applyTo: ['**']"),
        "agents/r.agent.md": described("r"),
        **empty("prompts/p.prompt.md collections/k.collection.yml"),
    }
    context = contexts(files)["copilot-files"]
    assert context.installed_tokens == len(always) + len("r: about r")
    assert moments_of(context) == when(
        start="instructions/a.instructions.md",
        touch="instructions/b.instructions.md",
        manual="instructions/c.instructions.md prompts/p.prompt.md",
        subagent="agents/r.agent.md",
        never="collections/k.collection.yml",
    )


def test_plugins_that_share_one_folder_are_looked_at_within_bounds() -> None:
    market = {"plugins": [{"name": f"p{n}", "source": "./", "skills": [f"./skills/s{n}"]} for n in range(1_000)]}
    files = {MARKET: json.dumps(market), "CLAUDE.md": "x"}
    files |= {f"agents/a{n}.md": described("a") for n in range(500)}
    files |= {f"skills/s{n}/SKILL.md": described("s") for n in range(1_000)}
    (context,) = [each for each in audit_agents(list(files), files.get, len) if each.agent.id == "claude-plugins"]
    assert len(context.charges) < 11_000
    assert [(each.importer, each.target) for each in context.unmet] == [(MARKET, "")]
    assert "10,000" in context.unmet[0].why


def test_what_may_be_installed_is_not_touched(contexts: Contexts) -> None:
    scoped = front("applyTo: '**/*.py'") + "x"
    files = {"instructions/a.instructions.md": scoped, ".github/instructions/b.instructions.md": scoped}
    touched = what_if(tuple(contexts(files).values()), "src/a.py")
    assert {(each.agent.id, len(each.charges)) for each in touched} == {("copilot", 1), ("copilot-cli", 0)}


_KEYS = st.sampled_from(["plugins", "name", "source", "skills", "agents", "commands", "metadata", "pluginRoot"])
DATA = st.recursive(
    st.none() | st.booleans() | st.sampled_from(["", ".", "..", "./", "a", "/a", "../a", "a:b", "p"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(DATA, DATA)
def test_any_manifest_is_survived_and_leads_nowhere_else(market: object, plugin: object) -> None:
    files = {MARKET: json.dumps(market), f"p/{PLUGIN}": json.dumps(plugin), "a/SKILL.md": described("a")}
    for context in audit_agents(list(files), files.get, len):
        assert {charge.path for charge in context.charges} <= files.keys()
        assert sum(package.start_tokens for package in context.packages) <= context.installed_tokens
        assert len({package.name for package in context.packages}) == len(context.packages)
