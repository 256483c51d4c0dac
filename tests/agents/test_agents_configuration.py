"""What configuration files of a project change: names, limits, excludes, what is listed, what is not counted."""

import json
import time
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents import AgentContext, classify
from ctxtui.agents.project.configuration import MAX_NAMES, names_at, parse_data, value_at
from tests.agents.conftest import Contexts, Moments, empty, front, skill, when
from tests.cases import cases


def starts(context: AgentContext) -> list[str]:
    return [charge.path for charge in context.charges if charge.start_tokens]


@cases(
    ("path", "text", "expected"),
    [
        ("a.json", '{"a": {"b": ["x"]}}', ["x"]),
        ("a.json", '{"a": {"b": "x"}}', ["x"]),
        ("a.jsonc", '// c\n{"a": /* b */ {"b": ["x", "http://y", "/* z */",],},}', ["x", "http://y", "/* z */"]),
        ("a.toml", "[a]\nb = ['x', 1, '']", ["x"]),
        ("a.yml", "a:\n  b: [x]", ["x"]),
        ("a.json", '{"a": {"b": {"x": true, "y": false, "z": {}}}}', ["x", "z"]),
        ("a.json", '{"a": {"b": ["' + "x" * 201 + '"]}}', []),
        ("a.json", '{"a": []}', []),
        ("a.json", "{", []),
        ("a.toml", "a = ", []),
        ("a.yml", "a: *x", []),
        ("a.json", "[" * 100_000, []),
        ("a.json", '{"a": ' * 40 + "1" + "}" * 40, []),
    ],
)
def test_names_in_configurations(path: str, text: str, expected: list[str]) -> None:
    assert [name for name, _ in names_at([f"{path}#a.b"], {path: text}.get, [""])] == expected


def test_a_list_of_names_is_bounded() -> None:
    text = '{"a": [' + ", ".join(f'"{n}"' for n in range(1_000)) + "]}"
    assert len(list(names_at(["c.json#a"], {"c.json": text}.get, [""]))) == MAX_NAMES


@given(st.sampled_from(["c.json", "c.toml", "c.yaml"]), st.text() | st.text(alphabet='{}[]",:/*\\ a\n', max_size=60))
def test_any_text_is_data_or_nothing(path: str, text: str) -> None:
    assert isinstance(parse_data(path, text), dict)
    value_at(f"{path}#a.b", {path: text}.get)


@cases("text", ['"\\', "/*", '"\\"' * 3, '{"a": ', ", " * 2])
def test_hostile_json_takes_no_time(text: str) -> None:
    start = time.process_time()
    parse_data("c.json", text * 100_000)
    assert time.process_time() - start < 2  # 0.1 on a quiet machine


def test_opencode_reads_configurations_in_every_place_and_looks_upwards(contexts: Contexts) -> None:
    files = {
        "opencode.jsonc": '{"instructions": ["a.md"], /* more */ }',
        "opencode.json": '{"instructions": ["b.md", "../out.md", "/etc/x.md", "~/y.md"]}',
        ".opencode/opencode.json": '{"instructions": ["AGENTS.md", "docs/*.md"]}',
        "sub/.opencode/opencode.jsonc": '{"instructions": ["c.md", "../up.md"]}',
        **dict.fromkeys("a.md b.md c.md docs/d.md sub/c.md sub/docs/e.md AGENTS.md out.md up.md".split(), "x"),
    }
    context = contexts(files)["opencode"]
    assert starts(context) == ["AGENTS.md", "a.md", "b.md", "docs/d.md"]
    named = {charge.path: charge.reason for charge in context.at("configured")}
    assert named["docs/d.md"] == "named in .opencode/opencode.json, read in full at the start"
    below = contexts(files, cwd="sub")["opencode"]
    assert set(starts(below)) == {*starts(context), "c.md", "sub/c.md", "sub/docs/e.md", "out.md", "up.md"}


def test_opencode_takes_one_name_for_all_folders(contexts: Contexts) -> None:
    files = {"CLAUDE.md": "1", "a/AGENTS.md": "22", "a/CLAUDE.md": "333", ".opencode/x": ""}
    context = contexts(files)["opencode"]
    assert starts(context) == ["CLAUDE.md"]
    assert {charge.path for charge in context.at("touch")} == {"a/AGENTS.md"}
    assert starts(contexts(files, cwd="a")["opencode"]) == ["a/AGENTS.md"]


def test_opencode_lists_skills_of_named_folders_and_one_of_a_name(contexts: Contexts) -> None:
    files = {
        "opencode.json": '{"skills": {"paths": ["./kit/", "../elsewhere"]}}',
        **dict.fromkeys(["kit/deep/s/SKILL.md", ".opencode/skill/s/SKILL.md"], skill("s")),
        ".claude/skills/t/SKILL.md": skill("t"),
        "elsewhere/u/SKILL.md": skill("u"),
    }
    context = contexts(files)["opencode"]
    assert starts(context) == ["kit/deep/s/SKILL.md", ".claude/skills/t/SKILL.md"]
    assert "kit/deep/s/SKILL.md has the same name" in next(context.at("never")).reason


def test_codex_takes_more_names_and_another_limit_from_its_configuration(contexts: Contexts) -> None:
    config = 'project_doc_fallback_filenames = ["TEAM.md", "AGENTS.md"]\nproject_doc_max_bytes = 5\n'
    files = {".codex/config.toml": config, "TEAM.md": "1234", "a/AGENTS.md": "56", "a/TEAM.md": "never"}
    context = contexts(files, cwd="a")["codex"]
    charges = [(charge.path, charge.tokens, charge.lost_tokens) for charge in context.at("start")]
    assert charges == [("TEAM.md", 4, 0), ("a/AGENTS.md", 1, 1)]
    assert context.charges[1].lost[0].limit.max == 5
    assert "TEAM.md" not in {charge.path for charge in contexts(files | {".codex/config.toml": "x"})["codex"].charges}


@pytest.mark.parametrize("number", ["true", "-1", "'5'", "1e3"])
def test_a_limit_that_is_no_number_stays_as_it_is(contexts: Contexts, number: str) -> None:
    files = {".codex/config.toml": f"project_doc_max_bytes = {number}", "AGENTS.md": "x" * 99}
    assert contexts(files)["codex"].start_tokens == 99


def test_codex_does_not_list_what_only_the_user_may_call(contexts: Contexts) -> None:
    files = {f".agents/skills/{name}/SKILL.md": skill(name) for name in "abc"}
    files[".agents/skills/a/agents/openai.yaml"] = "policy:\n  allow_implicit_invocation: false\n"
    files[".agents/skills/b/agents/openai.yaml"] = "policy:\n  allow_implicit_invocation: true\n"
    files[".agents/skills/d/SKILL.md"] = front("description: |", "  one", "  two")
    context = contexts(files)["codex"]
    assert starts(context) == [f".agents/skills/{name}/SKILL.md" for name in "bcd"]
    (manual,) = context.at("manual")
    assert manual.path == ".agents/skills/a/SKILL.md"
    assert "agents/openai.yaml" in manual.reason
    # On one line, by its folder.
    entries = [charge.entry.text for charge in context.charges if charge.entry]
    assert "- d: one two (file: r1/d/SKILL.md)" in entries


def test_codex_lists_agents_from_toml(contexts: Contexts) -> None:
    agent = 'name = "reviewer"\ndescription = "Reviews"\ndeveloper_instructions = "Long"\n'
    files = {".codex/agents/r.toml": agent, ".codex/agents/broken.toml": "name = ", ".codex/AGENTS.md": "unread"}
    context = contexts(files)["codex"]
    assert [charge.entry.text for charge in context.at("subagent") if charge.entry] == ["reviewer: {\nReviews\n}"]
    assert {charge.path for charge in context.at("never")} == {".codex/agents/broken.toml", ".codex/AGENTS.md"}


def test_gemini_reads_other_names_instead_of_its_own(moments: Moments) -> None:
    others = empty("GEMINI.md CONTEXT.md AGENTS.md a/AGENTS.md a/GEMINI.md")
    files = {".gemini/settings.json": '{"context": {"fileName": ["CONTEXT.md", "AGENTS.md"]}}', **others}
    assert moments("gemini-cli", files) == when(start="CONTEXT.md AGENTS.md", touch="a/AGENTS.md")
    files[".gemini/settings.json"] = "{}"
    assert moments("gemini-cli", files) == when(start="GEMINI.md", touch="a/GEMINI.md")


@cases("name", ["GEM*.md", "{GEMINI,AGENTS}.md"])
def test_a_pattern_as_name_is_that_of_the_folder_with_the_file(contexts: Contexts, name: str) -> None:
    settings = json.dumps({"context": {"fileName": name}})
    context = contexts({".gemini/settings.json": settings, "a/b/GEMINI.md": "text"})["gemini-cli"]
    (charge,) = context.at("touch")
    assert (charge.path, [scope.folder for scope in charge.scopes]) == ("a/b/GEMINI.md", ["a/b"])


def test_code_assist_is_not_gemini_cli(contexts: Contexts) -> None:
    found = contexts({".gemini/config.yaml": "x: y", ".gemini/styleguide.md": "style"})
    assert "gemini-cli" not in found
    assert starts(found["gemini-code-assist"]) == [".gemini/styleguide.md"]
    assert "gemini-code-assist" not in contexts({".gemini/config.yaml": "x: y"})


@cases(
    ("pattern", "left_out"),
    [
        ("**/CLAUDE.md", {"CLAUDE.md", "a/CLAUDE.md"}),
        ("**/a/**", {"a/CLAUDE.md"}),
        ("**/.claude/rules/**", {".claude/rules/r.md"}),
        ("CLAUDE.md", set()),
        ("/home/me/CLAUDE.md", set()),
    ],
)
def test_claude_leaves_out_what_its_settings_exclude(contexts: Contexts, pattern: str, left_out: set[str]) -> None:
    files = {
        ".claude/settings.json": f'{{"claudeMdExcludes": ["{pattern}"]}}',
        **dict.fromkeys(["CLAUDE.md", "a/CLAUDE.md", ".claude/rules/r.md"], "x"),
        ".claude/skills/s/SKILL.md": front("description: d"),
    }
    never = {charge.path: charge.reason for charge in contexts(files)["claude-code"].at("never")}
    assert set(never) == left_out
    assert all(".claude/settings.json" in reason for reason in never.values())


def test_claude_cuts_descriptions_where_its_settings_say(contexts: Contexts) -> None:
    files = {".claude/skills/s/SKILL.md": front("description: " + "d" * 30)}
    settings = {".claude/settings.json": '{"skillListingMaxDescChars": 20}'}
    assert contexts(files)["claude-code"].start_tokens == len("- s: ") + 30
    context = contexts(files | settings)["claude-code"]
    assert (context.start_tokens, context.lost_tokens) == (len("- s: ") + 20, 10)


def test_what_is_not_counted_is_named(contexts: Contexts) -> None:
    files = {
        "CLAUDE.md": "x",
        ".mcp.json": '{"mcpServers": {"github": {}, "db": {}}}',
        ".claude/settings.json": """{
            "outputStyle": "Terse",
            "enabledPlugins": {"on@kit": true, "off@kit": false},
            "hooks": {"SessionStart": []}
        }""",
        ".kiro/hooks/a.kiro.hook": "",
        ".kiro/hooks/b.kiro.hook": "",
    }
    found = contexts(files)
    assert {(part.what, part.names, part.file) for part in found["claude-code"].uncounted} == {
        ("system prompt and tools", (), ""),
        ("output style", ("Terse",), ".claude/settings.json"),
        ("plugin", ("on@kit",), ".claude/settings.json"),
        ("hook", ("SessionStart",), ".claude/settings.json"),
        ("MCP server", ("github", "db"), ".mcp.json"),
    }
    (hooks,) = [part.names for part in found["kiro"].uncounted if part.what == "hook"]
    assert hooks == (".kiro/hooks/a.kiro.hook", ".kiro/hooks/b.kiro.hook")
    assert found["claude-code"].start_tokens == 1


NAMES = st.sampled_from(["", *"../x.md /etc/passwd ~/x.md ./a.md a/../../x.md a.md ** *.md {a [".split()])


@given(st.lists(NAMES | st.text(max_size=10), max_size=4), st.sampled_from(["", "a"]))
def test_no_configuration_leads_out_of_the_project(names: list[str], cwd: str) -> None:
    config = json.dumps({"instructions": names, "skills": {"paths": names}, "context": {"fileName": names}})
    files = dict.fromkeys(("opencode.json", ".gemini/settings.json", "a/opencode.jsonc"), config)
    files |= {"a.md": "", "a/b.md": "", "a/SKILL.md": skill("a")}
    asked: set[str] = set()

    def read(path: str) -> str | None:
        asked.add(path)
        return files.get(path)

    found = classify(list(files), read, cwd=cwd)
    assert asked <= files.keys()
    assert {load.path for load in found} <= files.keys()
    assert all(".." not in PurePosixPath(path).parts for path in asked)
