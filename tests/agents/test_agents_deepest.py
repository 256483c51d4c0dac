"""Where agents are started: the folder itself, those above it, and the one where a start is longest."""

import time

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents import Chain, audit_agents, longest_chains, longest_told
from tests.agents.conftest import Contexts


def _codex(files: dict[str, str]) -> Chain:
    return next(chain for chain in longest_chains(list(files), files.get) if chain.agent.id == "codex")


def test_the_longest_chain_of_codex_and_what_it_loses() -> None:
    codex = _codex({"AGENTS.md": "r" * 15_525, "tests/AGENTS.md": "t" * 20_903, "docs/AGENTS.md": "d" * 9_000})
    assert (codex.folder, codex.paths) == ("tests", ("AGENTS.md", "tests/AGENTS.md"))
    assert (codex.size, codex.root_size, codex.lost) == (36_428, 15_525, 3_660)
    config = 'project_doc_fallback_filenames = ["TEAM.md"]\nproject_doc_max_bytes = 3\n'
    codex = _codex({".codex/config.toml": config, "AGENTS.md": "12", "a/TEAM.md": "345"})
    assert (codex.folder, codex.size, codex.lost) == ("a", 5, 2)


def test_only_chains_over_a_limit_are_told_or_the_longest() -> None:
    files = {"AGENTS.md": "r", "a/AGENTS.md": "a" * 40_000, "GEMINI.md": "g", "b/GEMINI.md": "b" * 50_000}
    chains = longest_chains(list(files), files.get)
    assert longest_told(chains) == ("OpenAI Codex in a/: 40,001 bytes of instructions, over its limit of 32,768",)
    assert longest_told(chains, "a")[0].endswith(" more instructions than at the root")
    assert len(longest_told(chains, every=True)) == len(chains) > 1
    # Agents that read most at the root, or hardly less, are left out.
    files = {"AGENTS.md": "x", ".cursorrules": "", "a/README.md": "y" * 99, "b/AGENTS.md": ""}
    assert longest_chains(list(files), files.get) == ()
    files = {"AGENTS.md": "r" * 2_000, "a/AGENTS.md": "a" * 9}
    assert longest_told(longest_chains(list(files), files.get), every=True) == ()


def test_a_link_and_its_target_are_one_text() -> None:
    files = {"AGENTS.md": "r", "a/AGENTS.md": "xx", "a/QWEN.md": "xx", "QWEN.md": "q"}
    for real, size in ((str, 6), (lambda path: path.replace("a/QWEN", "a/AGENTS"), 4)):
        chains = longest_chains(list(files), files.get, real=real)
        assert [chain.size for chain in chains if chain.agent.id == "qwen-code"] == [size]


TREES = st.dictionaries(
    st.sampled_from(["", "a/", "b/", "a/b/", "a/b/c/"]).flatmap(
        lambda folder: st.sampled_from([folder + name for name in ("AGENTS.md", "AGENTS.override.md", "CLAUDE.md")])
    ),
    st.text(alphabet="ab ", max_size=6),
)


@given(TREES)
def test_no_folder_starts_codex_with_more_than_the_longest_chain(files: dict[str, str]) -> None:
    found = {chain.agent.id: chain.size for chain in longest_chains(list(files), files.get)}
    sizes = []
    for cwd in ("", "a", "b", "a/b", "a/b/c"):
        contexts = {each.agent.id: each for each in audit_agents(list(files), files.get, len, cwd=cwd)}
        if "codex" in contexts:
            sizes.append(contexts["codex"].start_tokens)
    if sizes:
        assert max(sizes) == found.get("codex", sizes[0])


def test_ten_thousand_folders_take_no_time() -> None:
    files = {f"p{n % 100}/q{n}/AGENTS.md": "x" * (n % 50) for n in range(10_000)} | {"AGENTS.md": "r"}
    start = time.process_time()
    assert longest_chains(list(files), files.get)[0].size == 50
    assert time.process_time() - start < 3  # 0.5 on a quiet machine


def test_a_tool_that_opens_a_folder_reads_what_lies_there(contexts: Contexts) -> None:
    rule = "---\nalwaysApply: true\n---\n"
    files = {
        ".cursor/rules/r.mdc": rule,
        "app/.cursor/rules/a.mdc": rule,
        "AGENTS.md": "root",
        "app/AGENTS.md": "app",
    }
    start = [charge.path for charge in contexts(files, cwd="app")["cursor"].at("start")]
    assert start == ["app/.cursor/rules/a.mdc", "app/AGENTS.md"]
    del files[".cursor/rules/r.mdc"]
    assert "cursor" in contexts(files, cwd="app")
    assert "cursor" not in contexts(files, cwd="")


def test_claude_takes_rules_from_above_and_settings_from_its_own_folder(contexts: Contexts) -> None:
    files = {
        ".claude/rules/r.md": "root",
        "app/.claude/rules/a.md": "app",
        ".claude/settings.json": '{"claudeMdExcludes": ["**/r.md"]}',
    }
    assert [charge.path for charge in contexts(files)["claude-code"].at("start")] == []
    below = [charge.path for charge in contexts(files, cwd="app")["claude-code"].at("start")]
    assert below == [".claude/rules/r.md", "app/.claude/rules/a.md"]


AGENT = "---\nname: a\ndescription: d\n---\nbody"


def test_what_compaction_leaves_of_a_start(contexts: Contexts) -> None:
    listed = {".claude/skills/s/SKILL.md": "---\ndescription: d\n---\n", ".claude/agents/a.md": AGENT}
    context = contexts({"CLAUDE.md": "12345", **listed})["claude-code"]
    after = context.after_compaction
    assert (after.kept, after.gone, after.unknown) == (5, len("- s: d"), len("- a: d (Tools: All tools)"))
    assert after.kept + after.gone + after.unknown == context.start_tokens


def test_a_subagent_pays_for_the_instructions_again(contexts: Contexts) -> None:
    files = {"CLAUDE.md": "12345", ".claude/rules/r.md": "67"}
    found = contexts({**files, ".claude/agents/a.md": AGENT, ".cursor/agents/a.md": AGENT})
    (subagent,) = found["claude-code"].subagents
    assert (subagent.name, subagent.path, subagent.tokens) == ("a", ".claude/agents/a.md", 7 + len(AGENT))
    assert found["cursor"].subagents == ()
