"""The table agrees with itself and with its interpreter."""

import importlib.resources
import re
import subprocess
import sys
from collections.abc import Mapping
from datetime import date

import pytest

from ctxtui.agents import Agent, load_table
from ctxtui.agents.capture.launches import known_programs, launches
from ctxtui.agents.checks import AGENT, LIMIT, ROW
from ctxtui.agents.project.globs import is_literal
from ctxtui.agents.table import parse_agent
from ctxtui.audit.rules import hygiene
from ctxtui.core.documents.listing import CONTEXT_FOLDERS
from ctxtui.core.text.data.schema import Place
from ctxtui.core.text.data.yaml import load_own_yaml
from ctxtui.core.text.globs import compile_glob, expand
from ctxtui.workspace.listing import context_folders
from tests.cases import cases

TABLE = load_table()
ROWS = [row for agent in TABLE for row in agent.rows]
KINDS = {"instructions", "rule", "skill", "command", "agent", "memory", "steering", "config"}

TEXT = importlib.resources.files("ctxtui.agents").joinpath("agents.yaml").read_text("utf-8")

every_agent = cases("agent", TABLE)
AGENTS = """
codex claude-code cursor copilot copilot-cli gemini-cli gemini-code-assist antigravity devin cline cline-cli roo
kiro continue zed junie aider opencode qwen-code pi kilo goose crush warp openhands amp augment factory-droid
kimi-code hermes mistral-vibe openclaw jetbrains-ai rovo-dev claude-plugins codex-plugins cursor-plugins
copilot-plugins copilot-files agent-skills
""".split()


def test_the_agents_are_these() -> None:
    assert [agent.id for agent in TABLE] == AGENTS
    assert [agent.id for agent in TABLE if agent.installable] == AGENTS[-6:]


def test_the_hidden_folders_of_agents_are_context_folders() -> None:
    assert context_folders(TABLE) == CONTEXT_FOLDERS
    assert {".trae", ".vscode"} == hygiene.SETTINGS_FOLDERS - CONTEXT_FOLDERS, "no agent has these settings any more"


def test_the_entry_that_the_table_shows_can_be_copied() -> None:
    shown = re.findall(r"^#   ( *\S.*)$", TEXT.partition("# agent ")[0], re.MULTILINE)
    (entry,) = load_own_yaml("\n".join(shown))
    agent = parse_agent(entry.pop("id"), entry, Place.named("agents.yaml"))
    assert agent.sources == ("https://acme.example/docs/rules",)
    assert [row.files for row in agent.rows] == [("ACME.md",)]


def test_ids_are_unique() -> None:
    # Agents may share a row, but an id means one.
    assert len({row.id for row in ROWS}) == len(set(ROWS))
    assert all(len({row.id for row in agent.rows}) == len(agent.rows) for agent in TABLE)
    assert len({agent.name for agent in TABLE}) == len(TABLE)


@every_agent
def test_agents_are_dated_and_sourced(agent: Agent) -> None:
    assert type(agent.checked) is date
    assert agent.checked >= date(2026, 1, 1)
    assert all(source.startswith("https://") for source in agent.sources)
    assert all((agent.sources, agent.detect, agent.rows))
    assert agent.verified is not None
    assert (agent.verified.by == "capture") == bool(agent.verified.version)
    # Every agent says that it has more than is counted.
    assert agent.installable or any(not part.places for part in agent.uncounted)
    assert all(part.what and part.note for part in agent.uncounted)


@every_agent
def test_a_row_has_a_kind_and_says_why_what_happens_and_what_is_listed(agent: Agent) -> None:
    for row in agent.rows:
        assert row.kind in KINDS, row.id
        assert row.note or all(case.moment != "never" for case in row.load), row.id
        assert all(limit.max > 0 and limit.unit and limit.effect for limit in row.limits), row.id
        listed = {case.moment for case in row.load} & {"listed", "subagent"}
        is_listed_once_touched = row.kind == "skill" and row.load[-1].moment == "touch"
        expected = bool(listed) or is_listed_once_touched
        assert bool(row.meta) == expected or row.id == "claude.agent-memory", row.id


@every_agent
def test_published_sizes_are_dated_and_sourced(agent: Agent) -> None:
    for fixed in agent.fixed:
        assert fixed.src.startswith("https://") or (fixed.by, fixed.src) == ("ctxtui", "ctxtui help start-costs")
        assert fixed.by
        assert date(2025, 1, 1) < fixed.day < date(2026, 12, 1)
        assert 1_000 < fixed.tokens < 100_000
        assert fixed.what.startswith("system prompt and tools")


@every_agent
def test_patterns_can_be_found_without_trying_every_path(agent: Agent) -> None:
    # What is at home has an index of its own, with little in it.
    for row in (each for each in agent.rows if each.at != "home"):
        for pattern in row.files:
            *folders, name = pattern.split("/")
            hidden = [folder for folder in folders if folder.startswith(".")]
            is_below_one = row.at in ("any", "package") and is_literal(folders[0] if folders else "*")
            assert is_literal(name) or any(map(is_literal, hidden)) or is_below_one, pattern


@every_agent
def test_patterns_are_understood(agent: Agent) -> None:
    for row in agent.rows:
        for pattern in row.files + row.exclude + row.unless:
            example = expand(pattern)[0].replace("**/", "a/b/").replace("**", "c").replace("*", "d")
            assert compile_glob(pattern).matches(example), pattern


@pytest.mark.parametrize("keys", [AGENT, ROW, LIMIT], ids=["agent", "row", "limit"])
def test_every_key_is_explained_at_the_top_of_the_table(keys: Mapping[str, object]) -> None:
    assert keys.keys() <= set(re.findall(r"[a-z_]+", "".join(re.findall(r"^#.*$", TEXT, re.MULTILINE))))


def test_programs_belong_to_agents_of_the_table() -> None:
    by_id, programs = {agent.id: agent for agent in TABLE}, known_programs()
    assert {each.agent for each in programs if each.agent} <= by_id.keys()
    assert len({each.name for each in programs}) == len(programs)
    assert all(bool(each.ways) == bool(each.src and each.checked) for each in programs)
    assert all(by_id[id_].home for id_ in launches())


_WHOLE = "import sys; from ctxtui.agents import load_table; print(repr(load_table())); print('yaml' in sys.modules)"


def test_the_table_is_kept_as_it_is_written() -> None:
    """In processes of their own, because the table is read once."""
    runs = [subprocess.check_output([sys.executable, "-c", _WHOLE], text=True).splitlines() for _ in range(2)]
    assert [run[-1] for run in runs] == ["True", "False"]
    assert runs[0][:-1] == runs[1][:-1] == [repr(TABLE)]


def test_importing_the_package_imports_neither_parsers_nor_what_weighs() -> None:
    program = "import sys, ctxtui.agents; sys.exit(len({'yaml', 'tiktoken', 'ctxtui.agents.contexts'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
