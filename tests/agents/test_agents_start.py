"""What is in context at the start: the peculiar rule of each agent, weighed. A token is a character here."""

from ctxtui.agents import AgentContext, audit_agents, load_table
from ctxtui.core.tokens.by_name import get_counter
from tests.agents.conftest import Contexts, front, moments_of, when
from tests.cases import cases


def costs(context: AgentContext) -> dict[str, int]:
    return {charge.path: charge.start_tokens for charge in context.charges if charge.start_tokens}


def test_tokens_are_those_of_exactly_the_text_that_enters() -> None:
    files = {
        "CLAUDE.md": "# Rules\n\n<!-- for people: write to somebody -->\nTabs, never spaces. See @docs/a.md\n",
        "docs/a.md": "Ünïcödé 😀 and `code`\n",
        ".claude/rules/r.md": front("description: x") + "Always test.\n",
    }
    count = get_counter("o200k_base").count
    (context,) = [one for one in audit_agents(list(files), files.get, count) if one.agent.id == "claude-code"]
    entering = ["# Rules\n\nTabs, never spaces. See @docs/a.md\n", files["docs/a.md"], "Always test.\n"]
    assert [charge.text(files[charge.path]) for charge in context.charges] == entering
    assert context.start_tokens == sum(map(count, entering))


def test_claude_takes_comments_away_outside_fences_only(contexts: Contexts) -> None:
    text = "<!-- a -->\n```\n<!-- b -->\n```\ntext <!-- c -->\n  <!-- d\nd --> rest\n<!-- open\n"
    (charge,) = contexts({"CLAUDE.md": text})["claude-code"].charges
    assert charge.text(text) == "```\n<!-- b -->\n```\ntext <!-- c -->\n rest\n<!-- open\n"
    assert charge.lost == ()


def test_claude_imports_a_file_once_however_often_it_is_named(contexts: Contexts) -> None:
    files = {"CLAUDE.md": "@a.md @b.md", "a.md": "@b.md", "b.md": "12345", "CLAUDE.local.md": "@a.md"}
    context = contexts(files)["claude-code"]
    assert costs(context) == {"CLAUDE.md": 11, "a.md": 5, "b.md": 5, "CLAUDE.local.md": 5}
    assert context.repeats == ()


def test_gemini_inlines_a_file_at_every_mention(contexts: Contexts) -> None:
    context = contexts({"GEMINI.md": "@a.md @b.md", "a.md": "@b.md", "b.md": "12345"})["gemini-cli"]
    assert [charge.path for charge in context.charges] == ["GEMINI.md", "a.md", "b.md", "b.md"]
    assert context.start_tokens == 11 + 5 + 5 + 5
    (repeat,) = context.repeats
    assert (repeat.paths, repeat.why, repeat.tokens) == (("b.md", "b.md"), "imported again", 5)


def test_gemini_stops_at_cycles_and_trims_its_own_files(contexts: Contexts) -> None:
    context = contexts({"GEMINI.md": "\n\n@a.md\n\n", "a.md": " @GEMINI.md "})["gemini-cli"]
    charges = [(charge.path, charge.tokens) for charge in context.charges]
    assert charges == [("GEMINI.md", 5), ("a.md", 12), ("GEMINI.md", 9)]


def test_endless_imports_end(contexts: Contexts) -> None:
    names = [f"n{n}.md" for n in range(30)]
    context = contexts(dict.fromkeys([*names, "GEMINI.md"], " ".join(f"@{name}" for name in names)))["gemini-cli"]
    assert sum(charge.moment == "start" for charge in context.charges) == 1 + 1_000
    (unmet,) = context.unmet
    assert (unmet.importer, unmet.why) == ("GEMINI.md", "only the first 1,000 imports are followed")


def test_codex_sees_the_chain_to_the_folder_it_starts_in(contexts: Contexts) -> None:
    files = {"AGENTS.md": "1", "a/AGENTS.md": "22", "a/b/AGENTS.override.md": "333", "a/b/AGENTS.md": "4444"}
    files["c/AGENTS.md"] = "5"
    assert costs(contexts(files)["codex"]) == {"AGENTS.md": 1}
    assert costs(contexts(files, cwd="a")["codex"]) == {"AGENTS.md": 1, "a/AGENTS.md": 2}
    started_deep = contexts(files, cwd="./a/b/")["codex"]
    assert costs(started_deep) == {"AGENTS.md": 1, "a/AGENTS.md": 2, "a/b/AGENTS.override.md": 3}
    assert [(charge.path, charge.moment) for charge in started_deep.at("never")] == [("a/b/AGENTS.md", "never")]


@cases(
    ("paths", "cwd", "expected"),
    [
        # Started in a folder, it reads below it on touch.
        (
            "CLAUDE.md a/CLAUDE.md a/b/CLAUDE.md c/CLAUDE.md",
            "a",
            when(start="CLAUDE.md a/CLAUDE.md", touch="a/b/CLAUDE.md"),
        ),
        # A CLAUDE.md anywhere above turns AGENTS.md off.
        (
            "AGENTS.md a/CLAUDE.md a/AGENTS.md",
            "",
            when(start="AGENTS.md", touch="a/CLAUDE.md", never="a/AGENTS.md"),
        ),
        ("AGENTS.md a/CLAUDE.md a/AGENTS.md", "a", when(start="a/CLAUDE.md", never="AGENTS.md a/AGENTS.md")),
        (
            "a/AGENTS.md a/b/AGENTS.md a/b/c/CLAUDE.md a/b/c/AGENTS.md",
            "a",
            when(start="a/AGENTS.md", touch="a/b/AGENTS.md a/b/c/CLAUDE.md", never="a/b/c/AGENTS.md"),
        ),
        (
            "a/AGENTS.md a/b/AGENTS.md a/b/c/CLAUDE.md a/b/c/AGENTS.md a/CLAUDE.local.md",
            "a",
            when(
                start="a/CLAUDE.local.md", touch="a/b/c/CLAUDE.md", never="a/AGENTS.md a/b/AGENTS.md a/b/c/AGENTS.md"
            ),
        ),
    ],
)
def test_where_claude_starts_decides_what_it_reads(
    contexts: Contexts, paths: str, cwd: str, expected: dict[str, str]
) -> None:
    assert moments_of(contexts(dict.fromkeys(paths.split(), "x"), cwd=cwd)["claude-code"]) == expected


def test_copilot_pays_for_rules_of_the_whole_project_and_lists_the_described(contexts: Contexts) -> None:
    everywhere, described = front("applyTo: '**'") + "x", front("description: for tests")
    a, b = (f".github/instructions/{name}.instructions.md" for name in "ab")
    found = contexts({a: everywhere, b: described})
    assert costs(found["copilot"]) == {a: len(everywhere), b: len("b.instructions: for tests")}
    assert found["copilot-cli"].start_tokens == len(everywhere) + len(described)


def test_devin_reads_its_own_and_the_old_folder(contexts: Contexts) -> None:
    text = front("trigger: always_on")
    files = {".devin/rules/a.md": text, ".windsurf/rules/a.md": text, ".windsurfrules": "x"}
    assert contexts(files)["devin"].start_tokens == 2 * len(text) + 1


def test_cline_takes_frontmatter_away_only_where_it_is_yaml(contexts: Contexts) -> None:
    broken = front("globs: **/*.ts") + "rule"
    files = {".clinerules/a.md": front("title: x") + "\nrule\n", "AGENTS.md": broken}
    assert costs(contexts(files)["cline"]) == {".clinerules/a.md": 4, "AGENTS.md": len(broken)}


def test_roo_trims_and_leaves_working_files_out(contexts: Contexts) -> None:
    files = {".roo/rules/a.md": "\n rule \n", ".roo/rules/b.log": "x" * 99, ".roo/rules-code/c.md": "xx"}
    context = contexts(files)["roo"]
    assert costs(context) == {".roo/rules/a.md": 4}
    assert [charge.path for charge in context.at("manual")] == [".roo/rules-code/c.md"]


def test_kiro_and_augment_list_what_the_model_may_ask_for(contexts: Contexts) -> None:
    steering = front("inclusion: auto", "name: api", "description: about the API") + "body"
    rule = front("type: agent_requested", "description: about tests") + "body"
    found = contexts({".kiro/steering/a.md": steering, ".augment/rules/b.md": rule})
    assert [charge.entry.text for charge in found["kiro"].charges if charge.entry] == ["api: about the API"]
    assert [charge.entry.text for charge in found["augment"].charges if charge.entry] == ["b: about tests"]
    assert found["kiro"].charges[0].tokens == len(steering)


@cases(
    ("config", "expected"),
    [
        ("read: CONVENTIONS.md\n", {"CONVENTIONS.md": 1}),
        ("read: [docs/../CONVENTIONS.md, ./docs//a.md]\n", {"CONVENTIONS.md": 1, "docs/a.md": 2}),
        ("# nothing\n", {}),
        ("read: [", {}),
        ("read: {a: b}\n", {}),
    ],
)
def test_aider_reads_only_what_it_is_told_to(contexts: Contexts, config: str, expected: dict[str, int]) -> None:
    files = {".aider.conf.yml": config, "CONVENTIONS.md": "1", "docs/a.md": "22", "AGENTS.md": "333"}
    context = contexts(files)["aider"]
    assert costs(context) == expected
    assert all(charge.moment == "configured" for charge in context.charges)


def test_skills_to_be_installed_are_weighed_apart_from_any_start(contexts: Contexts) -> None:
    text = front("name: a", "description: b") + "body"
    files = {"skills/a/SKILL.md": text, "skills/a/ref.md": "12345"}
    context = contexts({**files, "docs/a/SKILL.md": text})["agent-skills"]
    assert (context.start_tokens, context.installed_tokens, context.repeats) == (0, 2 * len("a: b"), ())
    context = contexts(files)["agent-skills"]
    assert context.installed_tokens == len("a: b")
    assert [charge.tokens for charge in context.charges] == [len(text), 5]
    assert moments_of(context) == when(listed="skills/a/SKILL.md", reference="skills/a/ref.md")


def test_every_charge_names_row_source_and_day(contexts: Contexts) -> None:
    context = contexts({"CLAUDE.md": "x", ".claude/skills/a/SKILL.md": front("description: b")})["claude-code"]
    evidence = {charge.row.id: context.evidence(charge) for charge in context.charges}
    assert evidence["claude.project"][0] == "https://code.claude.com/docs/en/memory"
    assert evidence["claude.skill"][0] == "https://code.claude.com/docs/en/skills"
    assert all(day is not None and day.year == 2026 for _, day in evidence.values())
    assert {row.id for row in context.elsewhere} >= {"claude.user", "claude.managed"}


def test_imports_that_lead_nowhere_are_named_with_their_line(contexts: Contexts) -> None:
    text = (
        "@ok.md me@gone.md @gone.mdx\n\n@gone.md and @sub/gone.md#part\n@../out.md @/etc/x.md @~/y.md\n"
        "@name @scope/package `@code.md`\n```\n@late.md\n```\n_@late.md_\n"
    )
    unmet = contexts({"CLAUDE.md": text, "ok.md": "@deep.md"})["claude-code"].unmet
    here = [(each.line, each.target) for each in unmet if each.importer == "CLAUDE.md"]
    assert here == [
        *((1, "gone.mdx"), (3, "gone.md"), (3, "sub/gone.md")),
        *((4, "../out.md"), (4, "/etc/x.md"), (4, "~/y.md"), (9, "late.md")),
    ]
    assert [(each.importer, each.line, each.target) for each in unmet[len(here) :]] == [("ok.md", 1, "deep.md")]
    assert [each.why for each in unmet[2:4]] == ["no such file", "outside the project, not read here"]


def test_whole_files_are_counted_without_being_read() -> None:
    read: list[str] = []

    def text_of(path: str) -> str:
        read.append(path)
        return "text"

    table = [agent for agent in load_table() if agent.id in ("cursor", "copilot")]
    paths = [".github/copilot-instructions.md", ".cursorrules", "AGENTS.md", ".claude/skills/a/SKILL.md"]
    found = audit_agents(paths, text_of, len, count_file=len, table=table)
    listed = len("a:")
    # VS Code leaves a skill without a description out.
    assert [context.start_tokens for context in found] == [12 + 9 + listed, 31 + 9]
    assert set(read) == {".claude/skills/a/SKILL.md"}


def test_each_piece_is_counted_once() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    files = {"AGENTS.md": "one", "CLAUDE.md": "two", ".cursorrules": "one", ".clinerules": "one"}
    audit_agents(list(files), files.get, count)
    assert sorted(counted) == ["one", "two"]


def test_only_the_wanted_moments_are_weighed(contexts: Contexts) -> None:
    files = {"CLAUDE.md": "x", "a/CLAUDE.md": "y", ".claude/rules/r.md": "z"}
    context = contexts(files, moments=("start",))["claude-code"]
    assert [charge.path for charge in context.charges] == ["CLAUDE.md", ".claude/rules/r.md"]


def test_what_never_loads_costs_nothing_and_what_cannot_be_read_has_no_tokens(contexts: Contexts) -> None:
    (charge,) = contexts({".cursor/rules/a.md": "x"})["cursor"].charges
    assert (charge.moment, charge.tokens, charge.start_tokens, charge.kept) == ("never", 0, 0, ())
    assert ".mdc" in charge.reason
    found = audit_agents(["CLAUDE.md", ".cursorrules"], lambda path: None, len, count_file=lambda path: None)
    assert {charge.tokens for context in found for charge in context.charges} == {None}
    assert all(context.start_tokens == 0 for context in found)
