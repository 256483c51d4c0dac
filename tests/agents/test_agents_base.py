"""A folder opened below its repository: the same starts as from the root, with paths seen from the folder."""

import posixpath

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents import AgentContext, audit_agents, classify, longest_chains, what_if
from ctxtui.agents.project.base import Base
from tests.cases import cases

FOLDERS = ("", "a/", "b/", "a/b/", "a/b/c/", "docs/")
NAMES = (
    "AGENTS.md CLAUDE.md CLAUDE.local.md GEMINI.md .claude/rules/r.md .claude/skills/s/SKILL.md .codex/config.toml"
    " .gemini/settings.json opencode.json x.md"
).split()
CODEX = 'project_doc_fallback_filenames = ["x.md"]\nproject_doc_max_bytes = 9\n'
OPENCODE = '{"instructions": ["docs/*.md"], "context": {"fileName": "x.md"}}'
SKILL = "---\nname: s\ndescription: about s\npaths: a/**\n---\nbody\n"
TEXTS = st.sampled_from(["plain", "@x.md and @../x.md", "@docs/x.md", SKILL, CODEX, OPENCODE])
TREES = st.dictionaries(st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES)).map("".join), TEXTS, max_size=12)


def _told(contexts: tuple[AgentContext, ...], base: Base) -> dict[str, object]:
    return {
        context.agent.id: (
            context.start_tokens,
            context.lost_tokens,
            [(base.to_root(charge.path), charge.moment, charge.tokens) for charge in context.charges],
            [tuple(map(base.to_root, repeat.paths)) for repeat in context.repeats],
            [base.to_root(each.importer) for each in context.unmet],
            {each.agent.id: each.tokens for each in what_if(contexts, base.to_folder("a/b/new.py"))},
        )
        for context in contexts
    }


@given(TREES)
def test_the_start_in_an_opened_folder_is_that_of_the_repository_in_it(files: dict[str, str]) -> None:
    base = Base("a/b")
    whole = audit_agents(list(files), files.get, len, cwd="a/b")
    seen = {base.to_folder(path): text for path, text in files.items()}
    assert _told(audit_agents(list(seen), seen.get, len, base="a/b"), base) == _told(whole, Base())
    loads = [
        (load.agent, base.to_root(load.path), load.moment, load.reason)
        for load in classify(list(seen), seen.get, base="a/b")
    ]
    expected = [(load.agent, load.path, load.moment) for load in classify(list(files), files.get, cwd="a/b")]
    assert [load[:3] for load in loads] == expected
    assert not any("a/b/CLAUDE.md" in load[3] for load in loads)


def test_reasons_and_chains_are_told_from_the_opened_folder() -> None:
    files = {"../CLAUDE.md": "@docs/x.md", "../docs/x.md": "x", "../AGENTS.md": "r" * 9, "AGENTS.md": "a"}
    files["d/AGENTS.md"] = "d"
    loads = {(load.agent, load.path): load for load in classify(list(files), files.get, base="pkg")}
    assert loads["claude-code", "../AGENTS.md"].reason == "not read, because ../CLAUDE.md exists"
    imported = loads["claude-code", "../docs/x.md"]
    assert imported.imported_by == "../CLAUDE.md"
    assert imported.reason == "imported by ../CLAUDE.md, but outside the folder where the agent starts"
    (codex,) = [each for each in longest_chains(list(files), files.get, base="pkg") if each.agent.id == "codex"]
    assert (codex.folder, codex.paths) == ("d", ("../AGENTS.md", "AGENTS.md", "d/AGENTS.md"))
    assert (codex.root_size, codex.size) == (10, 11)


@cases("folder", ["a", "a/b", "a/b/c"])
@cases("path", ["AGENTS.md", "a", "a/x", "a/b/x", "a/b/c/x", "ab/x", "b/a/x"])
def test_a_path_seen_from_a_folder_is_the_relative_one(folder: str, path: str) -> None:
    base = Base(folder)
    expected = posixpath.relpath(path, folder)
    assert base.to_folder(path) == ("" if expected == "." else expected)
    assert base.to_root(base.to_folder(path)) == path
