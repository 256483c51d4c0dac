"""What a touched path brings, and the matrix of files and agents. A token is a character here."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents import AgentContext, Cell, Touched, compare, load_table, what_if
from ctxtui.agents.loads import GlobDialect, Scope
from ctxtui.agents.project.globs import Trigger, Triggers
from ctxtui.core.base.errors import ContextError
from tests.agents.conftest import Contexts, front
from tests.cases import cases

FILES = {
    "CLAUDE.md": "1",
    "AGENTS.md": "22",
    "src/CLAUDE.md": "333",
    "src/api/AGENTS.md": "4444",
    ".claude/rules/py.md": front("paths: '**/*.py'") + "55555",
    ".cursor/rules/ts.mdc": front("globs: src/**/*.ts,lib/**"),
    ".continue/rules/no.md": front("globs: ['src/**', '!**/test_*']") + "rule",
    ".continue/rules/todo.md": front("regex: TODO") + "todo",
    "src/rules.md": front("globs: '**/*.py'") + "here",
    "lib/.claude/rules/.claude-hidden.md": "666666",
}


def touched(contexts: Contexts, path: str) -> dict[str, Touched]:
    return {each.agent.id: each for each in what_if(list(contexts(FILES).values()), path)}


@cases(
    ("path", "agent", "paths", "tokens"),
    [
        ("src/api/a.py", "claude-code", ["src/CLAUDE.md", ".claude/rules/py.md"], 3 + 5),
        ("./src/../a.py", "claude-code", [".claude/rules/py.md"], 5),
        ("docs/a.md", "claude-code", [], 0),
        ("lib/a.md", "claude-code", ["lib/.claude/rules/.claude-hidden.md"], 6),
        ("src/api/a.ts", "cursor", [".cursor/rules/ts.mdc", "src/api/AGENTS.md"], None),
        ("lib/deep/a.md", "cursor", [".cursor/rules/ts.mdc"], None),
        ("src/api/a.py", "codex", [], 0),
        ("src/a.py", "continue", [".continue/rules/no.md", "src/rules.md"], len("rule") + len("here")),
        ("src/test_a.py", "continue", ["src/rules.md"], len("here")),
        ("a.py", "continue", [], 0),
        ("docs/a.md", "continue", [], 0),
    ],
)
def test_a_path_brings_its_rules_which_cost_what_enters(
    contexts: Contexts, path: str, agent: str, paths: list[str], tokens: int | None
) -> None:
    found = touched(contexts, path)[agent]
    assert [charge.path for charge in found.charges] == paths
    assert tokens in (None, found.tokens)
    # What depends on words may come.
    assert agent != "continue" or [charge.path for charge in found.perhaps] == [".continue/rules/todo.md"]


def test_a_touched_skill_is_only_listed(contexts: Contexts) -> None:
    files = {
        ".claude/skills/a/SKILL.md": front("description: for it", "paths: src/**") + "body" * 99,
        "src/.claude/skills/b/SKILL.md": front("name: b", "description: here") + "body" * 99,
    }
    context = contexts(files)["claude-code"]
    assert context.start_tokens == 0
    (found,) = what_if([context], "src/a.py")
    assert [charge.entry.text for charge in found.charges if charge.entry] == ["- a: for it", "- b: here"]
    assert found.tokens == len("- a: for it") + len("- b: here")


def test_rules_and_imports_below_come_with_their_folder(contexts: Contexts) -> None:
    files = {"AGENTS.md": "x", ".claude/settings.json": "", "a/AGENTS.md": "yy", "a/.claude/rules/r.md": "zzz"}
    (found,) = what_if([contexts(files)["claude-code"]], "a/b/c.py")
    charges = [(charge.path, charge.touch_tokens) for charge in found.charges]
    assert charges == [("a/AGENTS.md", 2), ("a/.claude/rules/r.md", 3)]
    context = contexts({"a/CLAUDE.md": "@../n.md", "b/CLAUDE.md": "@../n.md", "n.md": "x"})["claude-code"]
    for folder in "ab":
        (found,) = what_if([context], f"{folder}/x.py")
        assert {charge.path for charge in found.charges} == {f"{folder}/CLAUDE.md", "n.md"}


@cases("path", ["../x", "/etc/passwd", "a/../../x", ".."])
def test_paths_outside_are_refused(contexts: Contexts, path: str) -> None:
    with pytest.raises(ContextError, match="outside the project"):
        what_if(list(contexts(FILES).values()), path)
    with pytest.raises(ContextError, match="outside the project"):
        contexts(FILES, cwd=path)


USUAL = GlobDialect()


def fires(globs: tuple[str, ...], path: str, dialect: GlobDialect = USUAL) -> bool:
    return Trigger((Scope("", globs, dialect),)).fires(path)


def test_barred_globs_bar() -> None:
    assert fires(("a/**", "!a/b/**"), "a/c.py")
    assert not fires(("a/**", "!a/b/**"), "a/b/c.py")
    assert fires(("!a/**",), "b.py")


def dialect_of(agent: str, row: str) -> GlobDialect:
    agents = {agent.id: agent for agent in load_table()}
    return next(each.globs_as for each in agents[agent].rows if each.id == row)


@cases(
    ("glob", "path", "usual", "vscode", "cline"),
    [
        ("src/**/*.ts", "src/a.ts", True, True, True),
        ("src/**/*.ts", "pkg/src/a.ts", False, True, False),
        ("*.ts", "src/a.ts", True, True, False),
        ("**/*.TS", "src/a.ts", False, True, False),
        ("./src/**", "src/a.ts", True, False, True),
        ("/src/**", "src/a.ts", True, False, False),
        ("src", "src/a.ts", True, False, False),
        ("src/", "src/a.ts", True, False, False),
        ("**/src/*", "src/a.ts", True, True, True),
    ],
)
def test_agents_read_globs_in_their_own_way(glob: str, path: str, usual: bool, vscode: bool, cline: bool) -> None:
    known = (GlobDialect(), dialect_of("copilot", "copilot.scoped"), dialect_of("cline", "cline.rule"))
    assert [fires((glob,), path, dialect) for dialect in known] == [usual, vscode, cline]


_NAMES = st.lists(st.sampled_from(["a", "b", "A", "a.py", "{a", "b}", "[ab]"]), min_size=1, max_size=4)
_PARTS = st.sampled_from(["a", "b", "**", "*.py", "*.PY", "{a,b}", "{a", "b}", "[ab]", "?", "[", ""])
_SIGNS = st.sampled_from(["", "", "!", "./", "/"])
_GLOBS = st.tuples(_SIGNS, st.lists(_PARTS, min_size=1, max_size=4).map("/".join)).map("".join)
_DIALECTS = st.sampled_from(sorted({row.globs_as for agent in load_table() for row in agent.rows}))
_SETS = st.lists(_GLOBS, min_size=1, max_size=3).map(tuple)
_SCOPE = st.builds(Scope, st.sampled_from(["", "a", "a/[ab]"]), _SETS, _DIALECTS)
_SCOPES = st.lists(_SCOPE, min_size=1, max_size=2).map(tuple)


@given(st.lists(_SCOPES, max_size=6), _NAMES.map("/".join))
def test_triggers_fire_as_each_set_of_globs_does(sets: list[tuple[Scope, ...]], path: str) -> None:
    firing = list(Triggers(sets).firing(path))
    assert len(set(firing)) == len(firing)
    assert set(firing) == {number for number, scopes in enumerate(sets) if Trigger(scopes).fires(path)}


@given(st.lists(_GLOBS.filter(lambda glob: not glob.startswith("!")), min_size=1, max_size=40), _NAMES, _DIALECTS)
def test_globs_together_match_what_each_does(globs: list[str], names: list[str], dialect: GlobDialect) -> None:
    path, scope = "/".join(names), Scope("", tuple(globs), dialect)
    assert Trigger((scope,)).fires(path) == any(Trigger((each,)).fires(path) for _, each in scope.each())


def test_the_folder_of_a_file_is_no_pattern(contexts: Contexts) -> None:
    context = contexts({".cursorrules": "x", "app/[id]/AGENTS.md": "yy"})["cursor"]
    assert [charge.path for charge in what_if([context], "app/[id]/page.ts")[0].charges] == ["app/[id]/AGENTS.md"]
    assert what_if([context], "app/i/page.ts")[0].charges == ()


@cases("agent", ["claude-code", "cursor", "copilot", "cline", "continue", "kiro"])
def test_a_folder_below_a_root_is_touched_as_a_copy_of_it_is(contexts: Contexts, agent: str) -> None:
    files = {
        ".claude/rules/a.md": front("paths: src/**/*.py"),
        ".cursor/rules/a.mdc": front("globs: src/**/*.py"),
        ".github/instructions/a.instructions.md": front("applyTo: src/**/*.py"),
        ".clinerules/a.md": front("paths: ['src/**/*.py']"),
        ".continue/rules/a.md": front("globs: src/**/*.py"),
        ".kiro/steering/a.md": front("inclusion: fileMatch", "fileMatchPattern: src/**/*.py"),
        "src/AGENTS.md": "below",
    }
    alone, below = contexts(files)[agent], contexts(files, base="svc")[agent]
    for path in ("src/api/a.py", "src/b.ts", "svc/src/a.py"):
        touched = [what_if([each], path)[0] for each in (alone, below)]
        found = [[(charge.path, charge.reason, charge.globs) for charge in each.charges] for each in touched]
        assert found[0] == found[1]
    assert what_if([below], "src/api/a.py")[0].charges


def test_a_rule_in_a_folder_above_counts_from_that_folder(contexts: Contexts) -> None:
    files = {"../.claude/rules/a.md": front("paths: svc/src/**"), "CLAUDE.md": "x"}
    context = contexts(files, base="svc")["claude-code"]
    assert [charge.path for charge in what_if([context], "src/a.py")[0].charges] == ["../.claude/rules/a.md"]


def test_many_globs_of_one_rule_take_time_in_proportion() -> None:
    def seconds(count: int) -> float:
        began = time.process_time()
        triggers = Triggers([(Scope("", tuple(f"src/p{number}/**" for number in range(count))),)])
        assert [list(triggers.firing(f"src/p{number}/a.py")) for number in range(0, count, count // 4)] == [[0]] * 4
        return time.process_time() - began

    seconds(100)
    assert seconds(8_000) < 20 * max(seconds(1_000), 0.01)


def test_a_path_is_compared_with_the_globs_of_its_own_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    triggers = Triggers((Scope("", (f"packages/p{number}/**",)),) for number in range(1_000))
    asked: list[Trigger] = []
    monkeypatch.setattr(Trigger, "fires", lambda self, _path: asked.append(self))
    assert not list(triggers.firing("packages/p7/src/a.py"))
    assert len(asked) == 1


def test_the_matrix_says_when_and_how_much(contexts: Contexts) -> None:
    found = list(contexts(FILES).values())
    matrix = compare(found)
    assert matrix.agents == tuple(context.agent.id for context in found)
    cells = {line.path: dict(zip(matrix.agents, line.cells, strict=True)) for line in matrix.lines}
    assert list(cells) == sorted(cells)
    claude, touched = cells["CLAUDE.md"]["claude-code"], cells["src/CLAUDE.md"]["claude-code"]
    assert claude
    assert touched
    assert (claude.moment, claude.tokens, claude.start_tokens) == ("start", 1, 1)
    assert cells["src/CLAUDE.md"]["codex"] is None
    assert (touched.moment, touched.tokens, touched.start_tokens) == ("touch", 3, 0)
    for context in found:
        start = [cell.start_tokens for cells_of in cells.values() if (cell := cells_of[context.agent.id])]
        assert sum(start) == context.start_tokens


def _cell(context: AgentContext, path: str) -> Cell:
    (cell,) = next(line.cells for line in compare([context]).lines if line.path == path)
    assert cell is not None
    return cell


def test_the_matrix_sums_what_enters_again_and_counts_the_line_of_what_is_listed(contexts: Contexts) -> None:
    files = {"GEMINI.md": "@a.md @b.md", "a.md": "@b.md", "b.md": "xx"}
    cell = _cell(contexts(files)["gemini-cli"], "b.md")
    assert (cell.tokens, cell.start_tokens) == (4, 4)
    path, skill = ".claude/skills/deploy/SKILL.md", front("name: deploy", "description: deploys") + "word " * 500
    cell = _cell(contexts({path: skill})["claude-code"], path)
    assert (cell.moment, cell.tokens) == ("listed", cell.start_tokens)
    assert 0 < cell.start_tokens < len(skill) // 10
