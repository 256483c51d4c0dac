"""Transcripts beside our prediction: text byte for byte, bills to the token, and what is paid for but never called."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.audit.logs.compare import CHANGED, DIFFERENT, ELSEWHERE, EQUAL, EXTRA, MISSING, NAMED
from ctxtui.audit.logs.draft import entries_in
from ctxtui.audit.logs.report import AgentLogs, read_logs
from ctxtui.audit.logs.unused import MIN_STARTS, TOO_FEW, UNUSED, USED, Use
from ctxtui.core import get_counter
from tests.audit import transcripts as made
from tests.audit.auditing_helpers import ignore, skill
from tests.audit.repositories import Repo
from tests.audit.transcripts import Home, answer, attachment, counted, instructions, message, said, skill_listing
from tests.cases import cases
from tests.conftest import Project

COUNTER = get_counter()
count = COUNTER.count
RULES = "# Rules\n\nShort lines.\n"
BILL = (3, 900, 100)

MakeHome = Callable[[Mapping[str, str | bytes]], Home]


@pytest.fixture
def at_home(project: Project, tmp_path: Path) -> MakeHome:
    """Makes a project and the folder of its user."""

    def make(files: Mapping[str, str | bytes]) -> Home:
        return Home(tmp_path / "user", project(files).resolve())

    return make


def of(home: Home, agent: str, *, is_whole: bool = False) -> AgentLogs:
    workspace = Workspace.open(home.root, on_notice=ignore)
    logs = read_logs(workspace, COUNTER, home.environment, is_whole=is_whole)
    (found,) = [each for each in logs.agents if each.agent == agent]
    return found


def states(logs: AgentLogs) -> dict[str, str]:
    return {row.name: row.state for row in logs.files}


def test_files_sent_as_predicted_are_equal_and_others_are_named(at_home: MakeHome) -> None:
    home = at_home(
        {"CLAUDE.md": f"{RULES}\n<!-- for people -->\n@docs/more.md\n", "docs/more.md": "More.\n"}
        | {".claude/rules/always.md": "Always.\n", ".claude/rules/src.md": "---\npaths: src/**\n---\nOnly there.\n"}
    )
    home.claude(
        said("hi"),
        instructions(
            {
                home.root / "CLAUDE.md": f"{RULES}\n@docs/more.md\n",
                home.root / "docs/more.md": "Less.\n",
                home.root / ".claude/rules/src.md": "Only there.\n",
                home.place / ".claude/CLAUDE.md": "Mine.\n",
            }
        ),
        answer(BILL),
    )
    logs = of(home, "claude-code")
    assert logs.compared == 1
    assert states(logs) == {
        "CLAUDE.md": EQUAL,
        "docs/more.md": CHANGED,
        ".claude/rules/always.md": MISSING,
        ".claude/rules/src.md": EXTRA,
        "~/.claude/CLAUDE.md": ELSEWHERE,
    }


@pytest.mark.parametrize(
    ("sent", "line"),
    [(RULES.rstrip("\n"), 4), (RULES.replace("Short", "short"), 3), (f"{RULES}\n", 5), ("", 1), (f" {RULES}", 1)],
)
def test_one_byte_is_a_difference_and_its_line_and_digests_are_shown(at_home: MakeHome, sent: str, line: int) -> None:
    home = at_home({})
    Repo(home.root).commit({"CLAUDE.md": RULES})
    home.claude(instructions({home.root / "CLAUDE.md": sent}), answer(BILL))
    (row,) = of(home, "claude-code").files
    assert (row.state, row.line) == (DIFFERENT, line)
    assert row.sent == hashlib.sha256(sent.encode()).hexdigest()[:12]
    assert row.now == hashlib.sha256(RULES.encode()).hexdigest()[:12]


def test_a_file_that_changed_since_names_the_commit_that_was_sent(at_home: MakeHome) -> None:
    home = at_home({})
    repo = Repo(home.root)
    old = repo.commit({"CLAUDE.md": f"{RULES}<!-- x -->Old.\n"})
    repo.commit({"CLAUDE.md": RULES})
    home.claude(instructions({home.root / "CLAUDE.md": f"{RULES}Old.\n"}), answer(BILL), day=2)
    home.claude(instructions({home.root / "CLAUDE.md": RULES}), answer(BILL), day=3)
    home.claude(instructions({home.root / "CLAUDE.md": f"{RULES}Never committed.\n"}), answer(BILL), day=1)
    (row,) = of(home, "claude-code").files
    assert row.state == EQUAL
    assert row.counts == {EQUAL: 1, CHANGED: 1, DIFFERENT: 1}
    home.claude(instructions({home.root / "CLAUDE.md": f"{RULES}Old.\n"}), answer(BILL), day=4)
    (row,) = of(home, "claude-code").files
    assert row.version is not None
    assert (row.state, row.version.commit) == (CHANGED, old)


def test_a_commit_of_the_year_10000_is_a_version_like_others(at_home: MakeHome) -> None:
    home = at_home({})
    repo = Repo(home.root)
    repo.commit({"CLAUDE.md": "Old.\n"})
    tree, who = repo.git("write-tree"), "Ada <ada@example.org> 300000000000 +0000"
    written = f"tree {tree}\nauthor {who}\ncommitter {who}\n\nlate\n"
    old = repo.git("hash-object", "-t", "commit", "-w", "--stdin", data=written.encode())
    repo.git("reset", "--quiet", "--soft", old)
    repo.commit({"CLAUDE.md": RULES})
    home.claude(instructions({home.root / "CLAUDE.md": "Old.\n"}), answer(BILL))
    (row,) = of(home, "claude-code").files
    assert row.version is not None
    assert (row.version.commit, row.version.time.year) == (old, 9999)


def test_rules_of_later_versions_are_not_expected_of_earlier_ones(at_home: MakeHome) -> None:
    home = at_home({"AGENTS.md": RULES, ".claude/settings.json": "{}"})
    home.claude(instructions({}), answer(BILL), day=2)
    assert states(of(home, "claude-code")) == {"AGENTS.md": MISSING}
    home.claude({**instructions({}), "version": "2.1.276"}, answer(BILL), day=3)
    (row,) = of(home, "claude-code").files
    assert row.counts == {MISSING: 1}


@pytest.mark.parametrize("folder", ["src", "src/gone/deep"])
def test_a_start_is_compared_with_the_nearest_folder_of_the_project(at_home: MakeHome, folder: str) -> None:
    home = at_home({"CLAUDE.md": RULES, "src/CLAUDE.md": "Source.\n"})
    sent = {home.root / "CLAUDE.md": RULES, home.root / "src/CLAUDE.md": "Source.\n"}
    home.claude(instructions(sent), answer(BILL), folder=home.root / folder)
    logs = of(home, "claude-code")
    assert (logs.starts, logs.here) == (1, 1)
    assert states(logs) == {"CLAUDE.md": EQUAL, "src/CLAUDE.md": EQUAL}


def test_starts_in_eight_folders_are_compared(at_home: MakeHome) -> None:
    home = at_home({"CLAUDE.md": RULES} | {f"p{number}/a.md": "text\n" for number in range(9)})
    for number in range(9):
        sent = instructions({home.root / "CLAUDE.md": RULES})
        home.claude(sent, answer(BILL), day=10 + number, folder=home.root / f"p{number}")
    logs = of(home, "claude-code")
    assert (logs.starts, logs.compared) == (9, 8)


def test_what_a_transcript_does_not_record_is_not_missing(at_home: MakeHome) -> None:
    home = at_home({"CLAUDE.md": RULES})
    home.claude(said("hi"), answer(BILL))
    logs = of(home, "claude-code")
    assert (logs.starts, logs.compared, logs.files) == (1, 0, ())


def test_entries_of_lists_are_compared_by_name_and_text(at_home: MakeHome) -> None:
    home = at_home(
        {f".claude/skills/{name}/SKILL.md": skill(name, f"About {name}.") for name in ("one", "two", "three")}
        | {".claude/agents/critic.md": skill("critic", "Criticizes.")}
    )
    home.claude(
        skill_listing({"one": "About one.", "two": "Changed.\n- three: no entry", "review": "Built in."}),
        attachment(
            "agent_listing_delta", addedTypes=["Explore", "critic"], addedLines=["- Explore: x", "- critic: y"]
        ),
        answer(BILL),
    )
    skills = {"one": EQUAL, "two": CHANGED, "three": MISSING, "review": ELSEWHERE}
    assert states(of(home, "claude-code")) == {**skills, "critic": NAMED, "Explore": ELSEWHERE}


def test_a_start_of_codex_is_taken_apart(at_home: MakeHome) -> None:
    files = {".git/HEAD": "x\n", "AGENTS.md": RULES, "src/AGENTS.md": "Source.\n"}
    home = at_home({**files, ".agents/skills/one/SKILL.md": skill("one")})
    listed = (
        "### Skill roots\n- `r0` = `{}`\n### Available skills\n- one: Helps. (file: r0/one/SKILL.md)\n### How\n- no"
    )
    skills = message(
        "developer", f"<skills_instructions>\n{listed.format(home.root / '.agents/skills')}\n</skills_instructions>"
    )
    joined = f"Mine.\n\n--- project-doc ---\n\n{RULES}\n\nSource.\n"
    home.codex(skills, made.agents_md(home.root / "src", joined), counted(10), folder=home.root / "src")
    equal = dict.fromkeys(("AGENTS.md", "src/AGENTS.md", "one"), EQUAL)
    assert states(of(home, "codex")) == {"(user)": ELSEWHERE, **equal}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{RULES}\n\nSource.\n", {"AGENTS.md": EQUAL, "src/AGENTS.md": EQUAL}),
        (RULES, {"AGENTS.md": EQUAL, "src/AGENTS.md": MISSING}),
        ("Source.\n", {"AGENTS.md": MISSING, "src/AGENTS.md": EQUAL}),
        ("Other.\n\nSource.\n", {"AGENTS.md": CHANGED, "src/AGENTS.md": EQUAL}),
        (f"{RULES}\n\nSource.", {"AGENTS.md": EQUAL, "src/AGENTS.md": CHANGED}),
        (f"{RULES}\n\nBetween.\n\nSource.\n", {"AGENTS.md": EQUAL, "(other text)": EXTRA, "src/AGENTS.md": EQUAL}),
        (f"x{RULES}\n\nSource.\n", {"AGENTS.md": CHANGED, "src/AGENTS.md": EQUAL}),
    ],
)
def test_joined_files_are_found_whole(at_home: MakeHome, text: str, expected: dict[str, str]) -> None:
    home = at_home({".git/HEAD": "x\n", "AGENTS.md": RULES, "src/AGENTS.md": "Source.\n"})
    home.codex(made.agents_md(home.root / "src", text), counted(10), folder=home.root / "src")
    assert states(of(home, "codex")) == expected


def test_a_start_of_codex_is_explained_to_the_token(at_home: MakeHome) -> None:
    home = at_home({"AGENTS.md": RULES})
    base, asked = "You are an agent. " * 40, "Fix the failing test, please."
    sent = made.agents_md(home.root, RULES)
    environment = f"<environment_context>\n  <cwd>{home.root}</cwd>\n</environment_context>"
    texts = [base, sent["payload"]["content"][0]["text"], environment, asked]
    schemas = 4_321
    total = sum(map(count, texts)) + schemas
    home.codex(
        *(sent, message("user", environment), message("user", asked), made.turn(), made.item("reasoning")),
        *(message("user", "Later."), counted(total, 300, 20), counted(999_999)),
        base_instructions={"text": base},
    )
    (cost,) = of(home, "codex").costs
    assert cost.counter.exact
    assert (cost.billed.total, cost.billed.cache_write, cost.billed.cache_read) == (total, 20, 300)
    assert cost.explained == {"files": count(texts[1]), "reminders": count(environment), "prompt": count(asked)}
    assert cost.fixed == {"system prompt": count(base)}
    assert cost.predicted == count(RULES)
    assert cost.unexplained == schemas


def test_a_start_of_claude_is_explained_by_what_was_rendered(at_home: MakeHome) -> None:
    home = at_home({"CLAUDE.md": RULES})
    rendered = f"<system-reminder>\nContents of CLAUDE.md:\n\n{RULES}</system-reminder>"
    home.claude(
        said("Fix it."),
        said("Caveat.", isMeta=True),
        instructions({home.root / "CLAUDE.md": RULES}, rendered),
        attachment("hook_success", content="Hooked.", stdout="Hooked."),
        attachment("hook_additional_context", content=["Hooked."]),
        attachment("mcp_instructions_delta", addedNames=["hub"], addedBlocks=["## hub\nAsk it."]),
        attachment("deferred_tools_delta", addedNames=["mcp__hub__ask"], addedLines=["mcp__hub__ask"]),
        attachment("prompt_snapshot", systemPrompt=["You are an agent."]),
        attachment("deferred_tools_record", entries=[{"name": "x", "description": "y" * 400}]),
        answer((0, 0, 9), model="<synthetic>"),
        answer((7, 900, 100), model="a-model-that-nobody-knows"),
        attachment("prompt_snapshot", systemPrompt=["You are an agent.", "Be brief."], tools=[{"name": "Bash"}]),
        attachment("prompt_snapshot", systemPrompt=["Later."], tools=[{"name": "Later"}]),
        said("Later."),
        answer((1, 2, 3)),
    )
    (cost,) = of(home, "claude-code").costs
    assert (cost.billed, cost.billed.total) == ((7, 900, 100), 1007)
    assert cost.explained == {
        "prompt": count("Fix it."),
        "reminders": count("Caveat."),
        "files": count(rendered),
        "hooks": count("Hooked."),
        "servers": count("## hub\nAsk it."),
        "tool names": count("mcp__hub__ask"),
    }
    prompt = count("You are an agent.") + count("Be brief.")
    assert cost.fixed == {"system prompt": prompt, "tools": count('{"name":"Bash"}')}
    assert cost.unexplained == 1007 - cost.explained_tokens - cost.fixed_tokens


def test_equal_starts_that_differ_give_a_range(at_home: MakeHome) -> None:
    home = at_home({"CLAUDE.md": RULES})
    for day, total in enumerate((8106, 873, 4000, 5000), 1):
        home.claude(said("hi " * 500), answer((total, 0, 0), model="claude-opus-4-6"), day=day)
    logs = of(home, "claude-code")
    assert logs.billed == (873, 4000, 8106)
    assert [cost.time.day for cost in logs.costs] == [4, 3, 2, 1]
    # This model has no public tokenizer.
    for cost in logs.costs:
        assert not cost.counter.exact
        assert cost.counter.band
        assert cost.explained["prompt"] != count("hi " * 500)


def _skills(home: Home, starts: int, apart: int, *calls: made.Record) -> list[Use]:
    """The uses of two skills after some starts, the days of which lie apart."""
    listing = skill_listing({"one": "Helps.", "far": "From elsewhere."})
    for number in range(starts):
        last = calls if number == starts - 1 else ()
        home.claude(listing, answer(BILL), *last, day=1 + number * apart // max(starts - 1, 1))
    return list(of(home, "claude-code").uses)


@pytest.mark.parametrize(
    ("starts", "days", "verdict"), [(MIN_STARTS, 7, UNUSED), (MIN_STARTS - 1, 7, TOO_FEW), (MIN_STARTS, 6, TOO_FEW)]
)
def test_a_verdict_needs_enough_starts_and_days(at_home: MakeHome, starts: int, days: int, verdict: str) -> None:
    uses = _skills(at_home({".claude/skills/one/SKILL.md": skill("one")}), starts, days)
    assert {(use.name, use.path, use.verdict) for use in uses} == {
        ("one", ".claude/skills/one/SKILL.md", verdict),
        ("far", None, verdict),
    }
    assert {(use.sent_in, use.days, use.used_in) for use in uses} == {(starts, days, 0)}


CALLS = {
    "the tool": answer((1, 0, 0), ("Skill", {"skill": "one"})),
    "a command": said("<command-message>one</command-message>\n<command-name>/one</command-name>"),
    "its file": answer((1, 0, 0), ("Read", {"file_path": "/anywhere/.claude/skills/one/SKILL.md"})),
    "a subagent": answer((1, 0, 0), ("Skill", {"skill": "one"}), isSidechain=True),
    "compaction": attachment("invoked_skills", skills=[{"name": "one"}]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_any_way_to_use_a_skill_counts(at_home: MakeHome, call: made.Record) -> None:
    home = at_home({".claude/skills/one/SKILL.md": skill("one")})
    uses = {use.name: use for use in _skills(home, MIN_STARTS, 9, call)}
    assert uses["one"].verdict == USED
    assert uses["one"].used_in == 1
    assert uses["one"].last_used is not None
    assert uses["far"].verdict == UNUSED


def test_calls_of_subagents_and_continued_conversations_count(at_home: MakeHome) -> None:
    home = at_home({".claude/skills/one/SKILL.md": skill("one")})
    folder = made.claude_slug(str(home.root))
    call = {**CALLS["the tool"], "cwd": str(home.root), "isSidechain": True}
    home.write(f"{folder}/conversation-2/subagents/workflows/wf_1/agent-a.jsonl", made.lines([call]))
    home.claude(answer(BILL, ("Skill", {"skill": "far"}), sessionId="another"), id_="continued")
    uses = {use.name: use for use in _skills(home, MIN_STARTS, 9)}
    assert (uses["one"].verdict, uses["one"].used_in, uses["one"].besides) == (USED, 1, False)
    assert (uses["far"].verdict, uses["far"].used_in, uses["far"].besides) == (USED, 0, True)


def test_servers_are_used_if_one_of_their_tools_is(at_home: MakeHome) -> None:
    home = at_home({"CLAUDE.md": RULES})
    names = ["mcp__hub__ask", "mcp__hub__tell", "mcp__my_files__open", "mcp__idle__x", "WebFetch"]
    for day in range(1, 12):
        home.claude(
            attachment("deferred_tools_delta", addedNames=names, addedLines=names),
            attachment("mcp_instructions_delta", addedNames=["my files"], addedBlocks=["## my files\nOpen them."]),
            answer(BILL, ("mcp__hub__tell", {}), ("mcp__my_files__open", {})),
            day=day,
        )
    uses = {use.name: use for use in of(home, "claude-code").uses}
    assert {name: use.verdict for name, use in uses.items()} == {"hub": USED, "my_files": USED, "idle": UNUSED}
    assert uses["hub"].tokens == count("mcp__hub__ask\nmcp__hub__tell")
    assert uses["my_files"].tokens == count("## my files\nOpen them.\nmcp__my_files__open")


def test_codex_calls_are_seen_in_every_form(at_home: MakeHome) -> None:
    home = at_home({f".agents/skills/{name}/SKILL.md": skill(name) for name in ("one", "two", "idle")})
    listed = "\n".join(
        f"- {name}: Helps. (file: {home.root}/.agents/skills/{name}/SKILL.md)" for name in ("one", "two", "idle")
    )
    skills = message("developer", f"<skills_instructions>\n### Available skills\n{listed}\n</skills_instructions>")
    for day in range(1, 12):
        home.codex(
            *(skills, made.item("reasoning"), counted(10)),
            made.item("function_call", name="exec_command", arguments='{"cmd":"cat .agents/skills/one/SKILL.md"}'),
            message("user", "<skill>\n<name>two</name>\n<path>x</path>\n</skill>"),
            day=day,
        )
    logs = of(home, "codex")
    assert {use.name: use.verdict for use in logs.uses} == {"one": USED, "two": USED, "idle": UNUSED}
    assert set(states(logs).values()) == {EQUAL}


def test_only_this_project_is_read_unless_all_are_asked_for(at_home: MakeHome) -> None:
    home = at_home({"CLAUDE.md": RULES})
    sibling, other = home.root.with_name(f"{home.root.name}-more"), Path("/elsewhere")
    for folder in (home.root, sibling, other):
        home.claude(said("hi"), answer(BILL), folder=folder)
        home.codex(message("user", "hi"), counted(10), folder=folder)
    home.write(f"{made.claude_slug(str(home.root))}/nowhere.jsonl", made.lines([said("hi"), answer(BILL)]))
    for agent in ("claude-code", "codex"):
        assert (of(home, agent).starts, of(home, agent).read) == (1, 1)
        every = of(home, agent, is_whole=True)
        assert (every.starts, every.here) == (3 + (agent == "claude-code"), 1)
        assert [cost.predicted is not None for cost in every.costs].count(True) == 1


def test_the_environment_says_where_transcripts_are(at_home: MakeHome) -> None:
    home = at_home({"CLAUDE.md": RULES})
    home.claude(said("hi"), answer(BILL))
    home.codex(message("user", "hi"), counted(10))
    workspace = Workspace.open(home.root, on_notice=ignore)

    def starts(environment: dict[str, str]) -> list[int]:
        return [each.starts for each in read_logs(workspace, COUNTER, environment).agents]

    assert starts({}) == starts({"HOME": "/nowhere"}) == [0, 0]
    moved = {"CLAUDE_CONFIG_DIR": str(home.place / ".claude"), "CODEX_HOME": str(home.place / ".codex")}
    assert starts(moved) == [1, 1]
    assert starts({**home.environment, "CODEX_HOME": "/nowhere"}) == [1, 0]
    # As everywhere else, what is not an absolute path moves nothing.
    for wrong in ("relative", "/null\0byte"):
        assert starts({**home.environment, "CODEX_HOME": wrong, "CLAUDE_CONFIG_DIR": wrong}) == [1, 1]
    named = home.write("work/named.jsonl", (home.place / ".claude/projects").rglob("*.jsonl").__next__().read_bytes())
    assert named.exists()
    assert starts({**moved, "CLAUDE_CODE_PROJECT_DIR_NAME": "work"}) == [1, 1]


@cases(
    ("text", "names", "expected"),
    [
        ("- a: x\n- b", ["a", "b"], {"a": "- a: x", "b": "- b"}),
        (
            "- a: x\n- not an entry: y\nmore\n- b: z\n",
            ["a", "b"],
            {"a": "- a: x\n- not an entry: y\nmore", "b": "- b: z"},
        ),
        ("Skills:\n- p:a: x\n- p:\n", ["p:a", "p"], {"p:a": "- p:a: x", "p": "- p:"}),
        ("- p: x\n- p:a: y", ["p", "gone", "p:a"], {"p": "- p: x", "p:a": "- p:a: y"}),
        ("- b: x\n- a: y", ["a", "b"], {"b": "- b: x\n- a: y"}),
        ("- a: x: y\n- b\n  more", [], {"a": "- a: x: y", "b": "- b\n  more"}),
        ("", ["a"], {}),
        ("nothing", [], {}),
    ],
)
def test_entries_of_a_list_are_told_apart(text: str, names: list[str], expected: dict[str, str]) -> None:
    assert {part.name: part.text for part in entries_in(text, names)} == expected


def test_links_twins_and_files_read_twice_are_one_piece_each(at_home: MakeHome) -> None:
    home = at_home(
        {"AGENTS.md": RULES} | {f".agents/skills/{place}/SKILL.md": skill("same", place) for place in ("one", "two")}
    )
    (home.root / "CLAUDE.md").symlink_to("AGENTS.md")
    first, again = ({home.root / "AGENTS.md": text} for text in ("Half wri", RULES))
    home.claude(instructions(first), instructions(again), answer(BILL))
    assert states(of(home, "claude-code")) == {"CLAUDE.md": EQUAL}
    paths = [f"{home.root}/.agents/skills/{place}/SKILL.md" for place in ("two", "one")]
    listed = "\n".join(f"- same: {path.split('/')[-2]} (file: {path})" for path in paths)
    skills = f"<skills_instructions>\n### Available skills\n{listed}\n</skills_instructions>"
    home.codex(message("developer", skills), counted(1))
    (row,) = of(home, "codex").files
    assert row.counts == {EQUAL: 2}


def test_text_of_codex_in_a_project_without_files_is_the_users(at_home: MakeHome) -> None:
    home = at_home({"README.md": "x", ".codex/config.toml": ""})
    home.codex(made.agents_md(home.root, "Mine."), counted(1))
    assert states(of(home, "codex")) == {"(user)": ELSEWHERE}
    # Without a home nothing is looked for.
    logs = read_logs(Workspace.open(home.root, on_notice=ignore), COUNTER, {})
    assert [each.nothing for each in logs.agents] == [
        f"no starts of {agent} found; the environment names no home folder" for agent in ("claude-code", "codex")
    ]
