"""What one room of the house says of a project, every other room says as well."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from mcp import Client

from ctxtui import Workspace
from ctxtui.agents import compare, load_table
from ctxtui.audit import SEVERITIES, audit
from ctxtui.audit.reports.as_markdown import to_markdown
from ctxtui.audit.run import AuditOptions, run_audit
from ctxtui.audit.totals import share_tree
from ctxtui.cli import options
from ctxtui.cli.__main__ import main
from ctxtui.cli.audits.audit_table import audit_table
from ctxtui.core import OverBudget, get_counter
from ctxtui.core.base.wording import plural
from ctxtui.core.payload.formats import FORMATS, format_for
from ctxtui.core.payload.types import Over, Tree
from ctxtui.core.text.markdown.task_filter import TASK_FILTERS
from ctxtui.core.text.secrets import Secrets
from ctxtui.mcp.payload_tools import recipe_text
from ctxtui.mcp.project import Project
from ctxtui.mcp.server import make_server
from ctxtui.retrieval import ContextRetrievalRequest
from ctxtui.session.agent_start import agent_starts
from ctxtui.session.dashboard import Dashboard, largest_files
from ctxtui.session.figures import totals
from ctxtui.session.saved.autosave import from_recipe
from ctxtui.session.saved.config import load_config
from ctxtui.session.shares import Share
from ctxtui.tui.actions import output as output_commands
from ctxtui.tui.audit.figure_rows import agent_rows
from ctxtui.tui.panels.start_rows import start_rows
from ctxtui.workspace.scope import Scope
from tests.cases import cases
from tests.conftest import write

Cli = Callable[..., Any]
Make = Callable[..., Path]


@pytest.fixture(autouse=True, params=["on", "off"])
def _cache(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rooms agree with the cache, and without it."""
    monkeypatch.setenv("CTXTUI_CACHE", request.param)


RULES = "# Rules\n\nBe brief, be kind and be exact, in that order.\n"
SKILL = "---\nname: pack\ndescription: Packs parcels.\n---\n# Pack\n\nFold, then tape for the zebra depot.\n"
FILES = {
    "AGENTS.md": RULES,
    ".agents/skills/pack/SKILL.md": SKILL,
    ".context/CONSTITUTION.md": "# Constitution\n\n- Never guess a price.\n",
    ".context/TASKS.md": "# Tasks\n\n- [ ] weigh the zebra parcels\n- [x] buy tape\n",
    "docs/style.md": "# Style\n\nShort lines.\n",
    "src/app.py": "print('zebra')\n",
}
LINKS = {"CLAUDE.md": "AGENTS.md", ".claude/skills": "../.agents/skills", "docs/copy.md": "style.md"}


@pytest.fixture
def root(project: Make) -> Path:
    """A project with a link to a file of agents, to a folder of skills and to a plain file."""
    made = project(FILES)
    (made / ".claude").mkdir()
    for link, target in LINKS.items():
        (made / link).symlink_to(target)
    return made


@pytest.fixture
def asked(root: Path, capfd: pytest.CaptureFixture[str]) -> Cli:
    """Gives the result of a command, and its status."""

    def ask(*words: str) -> Any:
        status = main([*words, "--json"])
        return json.loads(capfd.readouterr().out)["result"], status

    return ask


def _count(*paths: str) -> int:
    return sum(get_counter().count(FILES[path]) for path in paths)


CONTEXT = [path for path in FILES if path.startswith((".", "AGENTS"))]


def _documents(share: Share) -> dict[str, int]:
    below = [each for child in share.children for each in _documents(child).items()]
    return dict(below) if share.id.endswith("/") or not share.id else {share.id: share.tokens}


def test_a_file_with_links_is_one_for_findings_totals_limits_and_lists(root: Path, asked: Cli) -> None:
    limits = f'[limits]\ntotal = "{_count(*CONTEXT)}"\n[limits.kind]\nskill = "1"\n'
    (root / "ctxtui.toml").write_text(limits)
    report, status = asked("audit", str(root), "--fail-on", "error")
    whole = _count(*CONTEXT)
    assert (report["totals"]["files"], report["totals"]["tokens"]) == (len(CONTEXT), whole)
    for rows in (report["totals"]["source"], report["totals"]["folder"]):
        assert [sum(row[key] for row in rows) for key in ("files", "tokens")] == [len(CONTEXT), whole]
    total, skill = report["limits"]
    assert (total["tokens"], total["passed"]) == (whole, True)
    assert (skill["path"], skill["passed"], status) == (".agents/skills/pack/SKILL.md", False, 1)
    listed, _ = asked("ls", str(root))
    contexts = [(row["path"], row["tokens"]) for row in listed if row["source"] != "files"]
    assert contexts == [(path, _count(path)) for path in CONTEXT]
    links = {alias: row["path"] for row in listed for alias in row["aliases"]}
    skill = {".claude/skills/pack/SKILL.md": ".agents/skills/pack/SKILL.md"}
    assert links == {"CLAUDE.md": "AGENTS.md", **skill, "docs/copy.md": "docs/style.md"}


def test_rows_of_the_tree_the_map_and_the_matrix_are_the_files_and_add_up(root: Path) -> None:
    workspace, counter = Workspace.open(root), get_counter()
    assert workspace.tree.tokens == _count(*FILES)
    assert sorted(each.path for each in workspace.tree.documents()) == sorted(FILES)
    report = audit(workspace)
    lines = compare(report.agents, lambda path: workspace.by_path[path].path).lines
    assert [line.path for line in lines] == [".agents/skills/pack/SKILL.md", "AGENTS.md"]
    shares = _documents(share_tree(workspace, counter, report.agents))
    assert shares == {workspace.by_path[path].id: _count(path) for path in CONTEXT}
    shown = totals(workspace, counter)
    large = {each.reference.path: each.total.tokens for each in largest_files(workspace, shown)}
    assert large == {path: _count(path) for path in FILES}
    assert (shown[""].tokens, shown[""].files) == (_count(*FILES), len(FILES))


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md"])
def test_a_pick_of_a_link_is_a_pick_of_the_file(root: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    session = Workspace.open(root).session().pick(name).pick("AGENTS.md#rules").pin(name)
    assert [pick.id for pick in session.picks] == ["AGENTS.md"]
    assert session.state("CLAUDE.md") == session.state("AGENTS.md") == "all"
    assert session.payload().text.count("Be brief") == 1
    assert session.tokens("CLAUDE.md") == _count("AGENTS.md")
    assert session.with_snippet(name, 1, 2).picks[-1].id == session.with_snippet("AGENTS.md", 1, 2).picks[-1].id
    assert main(["build", "-C", str(root), "--pick", str(root / name), "--pick", f"{name}#rules"]) == 0
    assert capfd.readouterr().out.count("Be brief") == 1


def test_what_was_picked_before_it_became_a_link_is_picked_still(root: Path) -> None:
    (root / "CLAUDE.md").unlink()
    write(root, {"CLAUDE.md": "# Rules\n\nBe brief.\n\n# More\n\nBe kind.\n"})
    before = Workspace.open(root)
    session = before.session().pick("AGENTS.md#rules").pick("CLAUDE.md").pick(".context/TASKS").pin("CLAUDE.md")
    (root / "CLAUDE.md").unlink()
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    after = session.on(before.reload())
    assert [pick.id for pick in after.picks] == ["AGENTS.md", ".context/TASKS"]
    assert after.picks[0].pinned
    assert after.payload().missing == ()
    assert after.payload().text.count("Be brief") == 1


def test_a_recipe_that_names_a_link_builds_the_file(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(root, {".ctxtui/recipes/r.yaml": "picks:\n- id: CLAUDE.md\n- id: AGENTS.md\n"})
    assert main(["build", "r", "-C", str(root)]) == 0
    assert capfd.readouterr().out.count("Be brief") == 1
    assert main(["check", "r", "-C", str(root)]) == 0


SEEN = {
    ".gitignore": "build/\n*.local.md\nsecret/\n",
    ".kiro/steering/product.md": "# Product\n\nzebra invoices\n",
    ".junie/guidelines.md": "# Guidelines\n\nzebra guides\n",
    ".mine/rules/a.md": "# Mine\n\nzebra of my own\n",
    ".hidden/a.md": "zebra hidden\n",
    ".hidden.md": "zebra hidden\n",
    ".claude/notes.txt": "zebra notes\n",
    "CLAUDE.local.md": "# Local\n\nzebra local\n",
    "notes.local.md": "zebra nobody lists\n",
    "build/out.md": "zebra built\n",
    ".context/archive/old.md": "# Old\n\nzebra old\n",
    ".env": "ZEBRA=1\n",
    "python/index.md": "# Python\n\nzebra index\n",
    "python/a.md": "---\nid: a\ntype: pattern\n---\n# A\n\nzebra pattern\n",
    "notes/n1.md": "---\nentryId: n1\ncategory: CustomerNote\ncreatedAt: 2026-01-01T00:00:00Z\n---\nzebra entry\n",
    "src/b.py": "zebra = 1\n",
    "src/deep/c.py": "zebra = 2\n",
}
OWN = """
[agents.mine]
name = "Mine"
detect = [".mine/**"]
src = ["https://example.org/docs"]
checked = 2026-11-01

[[agents.mine.rows]]
id = "mine.rule"
files = [".mine/rules/*.md"]
load = "start"
"""
OPTIONS = (
    "",
    "--exclude src/**",
    "--include src/** --include .kiro/**",
    "--ignored",
    "--ignored --exclude *.local.md",
)


def _seen(asked: Cli, root: Path, *words: str) -> set[str]:
    rows, _ = asked(*words, "-C", str(root), "--limit", "50")
    places = [Path(row["reference"]["path"] if "reference" in row else root / row["path"]) for row in rows]
    return {place.relative_to(root.resolve()).as_posix() for place in places}


@pytest.mark.parametrize("config", ["", OWN], ids=["packaged", "own"])
@pytest.mark.parametrize("line", OPTIONS)
def test_every_room_sees_the_same_files(project: Make, asked: Cli, line: str, config: str) -> None:
    options = line.split()
    root = project({**FILES, **SEEN, "ctxtui.toml": config}).resolve()
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    listed = {row["path"] for row in asked("ls", str(root), *options)[0]}
    lists_ignored = "--ignored" in options
    assert (".mine/rules/a.md" in listed) == (lists_ignored or (bool(config) and options[:1] != ["--include"]))
    assert ("build/out.md" in listed) == lists_ignored
    expected = {path for path in listed & (FILES | SEEN).keys() if "zebra" in (FILES | SEEN)[path].lower()}
    assert len(expected) > 2
    assert _seen(asked, root, "search", "zebra", "--in", "text", *options) == expected
    # Files of secrets are known by their names and never retrieved.
    retrieved = expected - {".env"}
    assert _seen(asked, root, "search", "zebra", "--in", "prompt", *options) == retrieved
    assert _seen(asked, root, "retrieve", "zebra", *options) == retrieved
    for word in (".", "**/*"):
        built = asked("build", "-C", str(root), "--pick", word, *options)[0]
        assert {block["source"] for block in built["blocks"]} == listed
    for path in sorted(expected)[::5]:
        assert asked("show", path, "-C", str(root), *options)[0]["path"] == path


def test_the_server_retrieves_from_the_files_that_it_lists(project: Make) -> None:
    root = project({**FILES, **SEEN}).resolve()
    scope = Scope(exclude=("src/deep/**",))
    served = Project(root, lambda _notice: None, scope)
    engine = served.engine("filesystem")

    def found(folder: Path) -> set[str]:
        request = ContextRetrievalRequest("zebra", "s", "s", str(folder), "filesystem", 50)
        paths = (folder / hit.snippet.path for hit in engine.search(request).hits)
        return {path.relative_to(root).as_posix() for path in paths}

    zebras = {each.path for each in served.workspace().references if "zebra" in (FILES | SEEN)[each.path]}
    try:
        assert found(root) == zebras
        assert found(root / "src") == {"src/app.py", "src/b.py"} <= zebras
    finally:
        served.close()


@pytest.mark.parametrize("line", ["", "--tokenizer heuristic", "--model claude-sonnet-4-5"])
@pytest.mark.parametrize("config", ["", OWN], ids=["packaged", "own"])
def test_the_start_screen_says_what_the_audit_says(project: Make, asked: Cli, line: str, config: str) -> None:
    options, imports = line.split(), "@notes.local.md @docs/style.md @src/app.py\n"
    root = project({**FILES, **SEEN, "ctxtui.toml": config, "GEMINI.md": imports})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    report, _ = asked("audit", str(root), *options)
    workspace = Workspace.open(root, scope=Scope(table=load_table(tomllib.loads(config).get("agents"))))
    session = workspace.session()
    if options:
        session = session.with_budget(**{options[0][2:]: options[1]})
    starts = agent_starts(workspace, session.budget.counter, session.budget.window)
    audited = {each["name"]: each["startTokens"] for each in report["agents"] if each["startTokens"]}
    assert len(audited) > 3
    assert {start.name: start.tokens for start in starts} == audited
    for agent in report["agents"]:
        assert sum(file["startTokens"] for file in agent["files"]) == agent["startTokens"]
    assert {row["name"]: row["tokens"] for row in report["totals"]["agent"] if row["tokens"]} == {
        agent["id"]: agent["startTokens"] for agent in report["agents"] if agent["startTokens"]
    }


def _rooms(root: Path, cwd: str, asked: Cli, with_home: bool = False) -> None:
    """Compare the starts of the app, the report's data, its table and its Markdown, entry by entry."""
    words = ["--user"] if with_home else []
    data, _ = asked("audit", str(root), *(["--cwd", str(root / cwd)] if cwd else []), *words)
    workspace = Workspace.open(root, scope=Scope(home=with_home))
    report = run_audit(workspace, workspace.session().budget, load_config(root), AuditOptions(cwd=cwd))
    starts = agent_starts(workspace, report.counter, cwd=cwd, home=workspace.home.at)
    shown = agent_rows(report)
    pages = ["".join([*(text for text, _ in row.left), *(each.text for each in row.told)]) for row in shown]
    agents = {each["id"]: each for each in data["agents"] if each["startTokens"]}
    assert [start.agent for start in starts] == [start.agent for start in report.starts]
    assert {start.agent for start in starts} == set(agents)
    table = audit_table(report, every=True)
    markdown = to_markdown(report)
    for start, audited in zip(starts, report.starts, strict=True):
        agent = agents[start.agent]
        entries = [(each.path, each.start_tokens, each.lost_tokens) for each in start.entries]
        assert entries == [(each.path, each.start_tokens, each.lost_tokens) for each in audited.entries]
        files = [each for each in agent["files"] if each["startTokens"]]
        assert entries == [(each["path"], each["startTokens"], each["lostTokens"]) for each in files]
        assert (start.cuts, start.later, start.versions) == (audited.cuts, audited.later, audited.versions)
        assert start.tokens == agent["startTokens"] == sum(tokens for _, tokens, _ in entries)
        at_home = sum(each["startTokens"] for each in agent["files"] if each["home"])
        assert start.home_tokens == audited.home_tokens == agent["homeTokens"] == at_home
        assert bool(at_home) == with_home
        assert [each["what"] for each in agent["uncounted"]] == [each.what for each in start.uncounted]
        assert [each["tokens"] for each in agent["fixed"]] == [each.tokens for each in start.fixed]
        told = [text for text in (start.from_home, start.left_out, *start.published) if text]
        assert start.left_out == audited.left_out
        assert start.left_out.startswith("not counted: system prompt and tools")
        assert all(text in pages for text in told)
        assert all(text in table for text in (start.from_home, *start.published))
        assert f" {start.left_out.removeprefix('not counted: ')} |" in markdown
        subagents = [{"name": each.name, "path": each.path, "tokens": each.tokens} for each in start.subagents]
        assert agent["subagents"] == subagents
        counted = rf"{start.agent} +{start.tokens:,} +{plural(len(start.paths), 'file')}"
        assert re.search(rf"^  {counted}( |$)", table, re.MULTILINE)
        (left_out,) = re.findall(r"^  not counted: (.*(?:\n    .*)*)", table, re.MULTILINE)
        for part in start.not_counted:
            of = re.search(rf"{re.escape(part)}(?: \(([^)]*)\))?", " ".join(left_out.split()))
            assert of is not None
            assert of[1] is None or start.agent in of[1].split(", ")
        assert f"| `{start.agent}` | {len(start.paths):,} | {start.tokens:,} |" in markdown
    rows = start_rows(workspace.session(), Dashboard(cwd, starts), str)
    for start, row in zip(starts, (row for row in rows if row.group), strict=True):
        assert (row.name[0], row.right[-1][0].strip()) == (start.name, f"{start.tokens:,}")
        remarks = {each.text for each in rows if row.group in each.within}
        assert {text for text in (start.from_home, start.left_out, *start.published) if text} <= remarks
    assert data["cwd"] == (cwd or ".")


STARTED = {
    ".git/HEAD": "",
    "AGENTS.md": "# Rules\n\n" + "A line of instructions.\n" * 2_000,
    "CLAUDE.md": "<!-- gone -->\n@AGENTS.md\n",
    "GEMINI.md": "@AGENTS.md\n",
    ".claude/agents/helper.md": "---\nname: helper\ndescription: helps\n---\nHelp.\n",
    ".claude/skills/s/SKILL.md": "---\nname: s\ndescription: about s\n---\nBody.\n",
    ".cursor/rules/r.mdc": "---\nalwaysApply: true\n---\nA rule.\n",
    ".github/copilot-instructions.md": "Instructions.\n",
    "opencode.json": '{"instructions": ["docs/*.md"]}',
    "docs/a.md": "A.\n",
    "pkg/AGENTS.md": "# Here\n",
    "pkg/sub/CLAUDE.md": "Below.\n",
}


def test_all_rooms_show_the_same_starts(project: Make, sample: Path, asked: Cli) -> None:
    root = project(STARTED)
    for opened, cwd in ((root, ""), (root, "pkg"), (root, "pkg/sub"), (root / "pkg", "sub"), (sample, "")):
        _rooms(opened, cwd, asked)


USERS = {
    ".claude/CLAUDE.md": "# Mine\n",
    ".codex/AGENTS.md": "# Mine\n",
    ".gemini/GEMINI.md": "# Mine\n",
    ".copilot/copilot-instructions.md": "Mine.\n",
    ".cursor/skills/s/SKILL.md": "---\nname: mine\ndescription: about mine\n---\nBody.\n",
    "XDG_CONFIG_HOME/opencode/AGENTS.md": "# Mine\n",
}


@pytest.mark.parametrize("cwd", ["", "pkg"])
def test_all_rooms_show_the_same_of_the_home_folder(project: Make, asked: Cli, cwd: str) -> None:
    # Agents with rows about the home folder, alone.
    root = project({path: text for path, text in STARTED.items() if "copilot" not in path})
    write(Path.home(), USERS)
    _rooms(root, cwd, asked, with_home=True)


async def test_the_server_shows_the_same_starts(project: Make) -> None:
    root = project(STARTED)
    workspace = Workspace.open(root)
    served = Project(root, lambda _notice: None)
    async with Client(make_server(served)) as client:
        for cwd in ("", "pkg", "pkg/sub"):
            answer = await client.call_tool("get_agent_starts", {"cwd": cwd} if cwd else {})
            data = json.loads(answer.content[0].text)["result"]
            starts = agent_starts(workspace, get_counter(), cwd=cwd)
            assert data["cwd"] == (cwd or ".")
            for each, start in zip(data["agents"], starts, strict=True):
                assert (each["id"], each["startTokens"]) == (start.agent, start.tokens)
                files = [(file["path"], file["startTokens"]) for file in each["files"]]
                assert files == [(file.path, file.start_tokens) for file in start.entries]
                assert [part["what"] for part in each["uncounted"]] == [part.what for part in start.uncounted]
                assert [fixed["src"] for fixed in each["fixed"]] == [fixed.src for fixed in start.fixed]
    served.close()


@pytest.fixture
def floored(root: Path) -> Path:
    """A project with a recipe whose pinned constitution alone passes its budget."""
    recipe = "picks:\n- id: .context/CONSTITUTION\n  pinned: true\nbudget: 5\nover: "
    return write(root, {f".ctxtui/recipes/{over}.yaml": f"{recipe}{over}\n" for over in ("cut", "fit", "fail")})


@pytest.mark.parametrize("over", ["cut", "fit", "fail"])
def test_no_door_lets_out_too_much(floored: Path, over: str, capfd: pytest.CaptureFixture[str]) -> None:
    session = from_recipe(Workspace.open(floored).session(), over).session
    assert session.picks
    assert session.budget.effective == 5
    out = floored.with_name("out.md")
    with pytest.raises(OverBudget, match="of 5"):
        output_commands.write_to(session, out)
    for words in (["-o", str(out)], [], ["--copy"], ["--json"], ["--over", "cut"], ["--format", "json"]):
        assert main(["build", over, "-C", str(floored), *words]) == 1
        written = capfd.readouterr()
        assert (written.out, "of 5" in written.err) == ("", True)
    assert not out.exists()
    assert main(["check", over, "-C", str(floored)]) == 1
    capfd.readouterr()
    with pytest.raises(OverBudget, match="of 5"):
        recipe_text(session.workspace, over)


async def test_the_server_lets_out_no_more_than_the_others(floored: Path) -> None:
    served = Project(floored, lambda _notice: None)
    async with Client(make_server(served)) as client:
        for arguments in ({"recipe": "cut"}, {"recipe": "cut", "budget": 7}):
            answer = await client.call_tool("build_payload", arguments)
            assert answer.is_error
            assert f"of {arguments.get('budget', 5)} tokens" in str(answer.content)
        assert not (await client.call_tool("build_payload", {"recipe": "cut", "budget": 700})).is_error
    served.close()


def test_load_and_a_pick_of_the_directory_keep_the_constitution_alike(project: Make, asked: Cli) -> None:
    tasks = "".join(f"- [ ] weigh parcel {number} before it leaves\n" for number in range(200))
    constitution = "# Constitution\n\n" + "".join(f"- Rule {number} holds always.\n" for number in range(30))
    root = str(project({".context/CONSTITUTION.md": constitution, ".context/TASKS.md": f"# Tasks\n\n{tasks}"}))
    rules = constitution.partition("\n\n")[2]
    whole = get_counter().count(constitution)
    for budget in (whole + 60, whole + 400, 9_000):
        loaded, _ = asked("load", root, "--budget", str(budget))
        built, status = asked("build", "-C", root, "--pick", ".context/", "--budget", str(budget), "--over", "cut")
        assert status == 0
        assert rules in loaded["summary"]
        assert rules in built["text"]
        assert max(loaded["tokenCount"], built["tokens"]) <= budget
        assert loaded["truncated"] == bool(built["truncated"]) == (budget < 9_000)


@cases(("option", "is_exact"), [("o200k_base", True), ("cl100k_base", True), ("heuristic", False)])
def test_a_number_is_marked_as_an_estimate_everywhere_or_nowhere(
    root: Path, option: str, is_exact: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    """Narration says `≈`, JSON says `exact`, for the same numbers."""
    place = ["-C", str(root), "--tokenizer", option]
    for words in (["ls"], ["build", "--pick", "AGENTS.md"], ["load"], ["audit"]):
        assert main([*words, *place]) == 0
        written = capfd.readouterr()
        assert ("≈" in (written.out if words == ["audit"] else "") + written.err) is not is_exact
    for command in ("ls", "audit"):
        assert main([command, *place, "--json"]) == 0
        result = json.loads(capfd.readouterr().out)["result"]
        assert all(row["exact"] is is_exact for row in (result if isinstance(result, list) else [result]))


def test_the_words_of_options_are_those_of_the_tables_behind_them() -> None:
    """The options are a table of their own, so that no command imports what another needs."""
    assert tuple(FORMATS) == options.FORMAT_NAMES
    tables = (get_args(Over), get_args(Secrets), get_args(Tree), TASK_FILTERS, SEVERITIES)
    names = (options.OVER_NAMES, options.SECRET_NAMES, options.TREE_NAMES, options.TASK_NAMES, options.SEVERITY_NAMES)
    assert list(map(set, tables)) == list(map(set, names))
    assert all(format_for(f"out{each.suffix}") == name for name, each in FORMATS.items())
