"""The plan of changes that save start tokens: what it proposes, what it says they save, writing and undoing them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.audit.fixes import Written, apply, preview, undo
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import run_audit
from ctxtui.audit.slim.change import Change, Plan
from ctxtui.audit.slim.plan import make_plan, savings_together
from ctxtui.audit.slim.write import last_record, undo_last, write_changes
from ctxtui.audit.types import Edit, NewFile, Removal, Step
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.disk.root import Root
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import LOREM, ignore, skill
from tests.cases import cases
from tests.conftest import Project

CODE = {f"src/part{number}.py": "" for number in range(9)} | {f"web/page{number}.ts": "" for number in range(6)}
NAMES = "See `web/page1.ts`, `web/page2.ts`, `web/page3.ts` and `web/page4.ts`.\n"
OTHER = "".join(f"Sentence {number} is about something else, number {number * 41}.\n" for number in range(30))


def reported(root: Path) -> tuple[Workspace, Report]:
    workspace = Workspace.open(root, on_notice=ignore)
    return workspace, run_audit(workspace, workspace.session().budget, load_config(root, on_notice=ignore))


def plan_of(root: Path) -> Plan:
    return make_plan(*reported(root))


def only(root: Path, kind: str) -> Change:
    (change,) = (each for each in plan_of(root).changes if each.kind == kind)
    return change


def starts(root: Path) -> dict[str, int]:
    _, report = reported(root)
    return {each.agent.id: each.start_tokens for each in report.result.agents if not each.agent.installable}


def files(root: Path) -> dict[str, bytes]:
    """Every file with its bytes, and every folder."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else b"" for path in root.rglob("*")
    }


def holds_what_it_says(root: Path, change: Change) -> None:
    """Writing the change saves exactly what it says, and undoing it leaves no trace."""
    before, old = starts(root), files(root)
    write_changes(Root(root), [change])
    after = starts(root)
    assert {agent: tokens - after[agent] for agent, tokens in before.items() if tokens != after[agent]} == {
        each.agent: each.tokens for each in change.saved
    }
    undo_last(Root(root))
    assert files(root) == old
    assert starts(root) == before


def rule(text: str, head: str = "") -> str:
    return f"---\n{head}---\n{text}" if head else text


def test_a_claude_md_with_the_text_of_agents_md_becomes_an_import(project: Project) -> None:
    text = f"# Ours\n\n{LOREM}"
    root = project({"AGENTS.md": text, "CLAUDE.md": text, ".cursor/rules/a.mdc": rule("A.\n", "alwaysApply: true\n")})
    change = only(root, "twin")
    assert change.title == "Make CLAUDE.md an import of AGENTS.md"
    assert {each.agent for each in change.saved if each.tokens > 0} == {"cursor"}
    holds_what_it_says(root, change)
    write_changes(Root(root), [change])
    assert (root / "CLAUDE.md").read_text() == "@AGENTS.md\n"


def test_a_copy_that_an_agent_needs_stays(project: Project) -> None:
    """Codex reads AGENTS.md only, and Claude Code CLAUDE.md only: nobody pays twice, and nothing can be dropped."""
    text = f"# Ours\n\n{LOREM}"
    assert plan_of(project({"AGENTS.md": text, "CLAUDE.md": text, ".codex/config.toml": ""})).changes == ()


def test_a_mirror_for_another_agent_and_skills_of_two_folders_stay(project: Project) -> None:
    """People keep such copies on purpose, and few agents document that they read the files of others."""
    text = skill(description=LOREM.replace("\n", " ").replace(":", ""))
    skills = {f"{home}/skills/helper/SKILL.md": text for home in (".cursor", ".agents")}
    always = {".cursor/rules/ours.mdc": rule(f"# Ours\n\n{LOREM}", "alwaysApply: true\n")}
    assert plan_of(project({"CLAUDE.md": rule(f"# Ours\n\n{LOREM}"), **skills, **always})).changes == ()


SCOPED = {
    ".cursor/rules/web.mdc": ("alwaysApply: true\n", "globs: web/**\n"),
    ".claude/rules/web.md": ("", 'paths:\n  - "web/**"\n'),
    ".clinerules/web.md": ("", 'paths:\n  - "web/**"\n'),
    ".github/instructions/web.instructions.md": ('applyTo: "**"\n', "applyTo: web/**\n"),
    ".continue/rules/web.md": ("", "globs: web/**\n"),
    ".kiro/steering/web.md": ("inclusion: always\n", "inclusion: fileMatch\nfileMatchPattern: web/**\n"),
    ".devin/rules/web.md": ("trigger: always_on\n", "trigger: glob\nglobs: web/**\n"),
    ".agents/rules/web.md": ("trigger: always_on\n", "trigger: glob\nglobs: web/**\n"),
}


@cases(("path", "head", "added"), [(path, *heads) for path, heads in SCOPED.items()])
def test_a_rule_about_a_folder_is_scoped_for_every_agent(project: Project, path: str, head: str, added: str) -> None:
    root = project({**CODE, path: rule(f"# Pages\n\n{NAMES}{LOREM}{OTHER}", head)})
    change = only(root, "scope")
    assert all(each.tokens > 0 for each in change.saved)
    lines = [line[1:] for line in change.diff.splitlines() if line[:1] == "+" and line[:3] != "+++"]
    assert "".join(f"{line}\n" for line in lines if line not in ("---", "", "alwaysApply: false")) == added
    holds_what_it_says(root, change)


def test_a_rule_is_not_scoped_if_another_reader_would_lose_it(project: Project) -> None:
    """Claude Code imports the rule; with a scope, Cursor reads it for its files, and nothing changes for Claude Code."""
    path = ".cursor/rules/web.mdc"
    text = rule(f"# Pages\n\n{NAMES}{LOREM}{OTHER}", "alwaysApply: true\n")
    root = project({**CODE, path: text, "CLAUDE.md": f"@{path}\n"})
    change = only(root, "scope")
    assert {each.agent for each in change.saved if each.tokens > 0} == {"cursor"}
    holds_what_it_says(root, change)


def test_ignored_globs_are_written_under_the_key_that_counts(project: Project) -> None:
    root = project({**CODE, ".claude/rules/web.md": rule(f"# Pages\n\n{LOREM}", "globs: web/**, src/part1.py\n")})
    change = only(root, "scope")
    assert '+paths:\n+  - "web/**"\n+  - "src/part1.py"\n' in change.diff
    holds_what_it_says(root, change)


@cases(("glob", "is_scoped"), [("web/**", True), ("web/p*", True), ("*.ts", False)])
def test_globs_beside_an_explicit_always_have_to_name_a_folder(project: Project, glob: str, is_scoped: bool) -> None:
    head = f"globs: {glob}\nalwaysApply: true\n"
    root = project({**CODE, ".cursor/rules/web.mdc": rule(f"# Commits\n\n{LOREM}{OTHER}", head)})
    changes = plan_of(root).changes
    assert [change.kind for change in changes] == ["scope"] * is_scoped
    # The globs stay as written.
    assert all("globs" not in line for each in changes for line in each.diff.splitlines() if line[:1] in "+-")


def test_globs_in_a_form_that_an_agent_does_not_read_are_written_anew(project: Project) -> None:
    root = project({**CODE, ".clinerules/web.md": rule(f"# Pages\n\n{LOREM}{OTHER}", "paths: web/**\n")})
    assert '+  - "web/**"' in only(root, "scope").diff


def test_ignored_globs_that_match_no_file_are_left_to_people(project: Project) -> None:
    """Written under the key that counts, they would end a rule that loads today."""
    root = project({**CODE, ".claude/rules/web.md": rule(f"# Pages\n\n{LOREM}", "globs: web/**, migrations/**\n")})
    assert not [change for change in plan_of(root).changes if change.kind == "scope"]


ENDPOINTS = f"## API endpoints\n\n{LOREM}{OTHER}\n"


def test_a_section_about_what_few_tasks_need_moves(project: Project) -> None:
    last = "---\n\n## Last\n\nThe end.\n"
    root = project({"AGENTS.md": f"# Ours\n\n{OTHER}\n{ENDPOINTS}{last}", ".codex/x.toml": ""})
    change = only(root, "move")
    holds_what_it_says(root, change)
    write_changes(Root(root), [change])
    left = f"## API endpoints\n\nWhen this comes up, read `.agents/docs/api-endpoints.md`.\n\n{last}"
    assert (root / "AGENTS.md").read_text().endswith(left)
    # The rule between sections stays.
    assert "---" not in (root / ".agents/docs/api-endpoints.md").read_text()


@cases(
    "more",
    [
        # Nobody else would get the file.
        {".git/HEAD": "", ".gitignore": ".agents/\n"},
        # The two would drift apart.
        {"CLAUDE.md": f"# Ours\n\n{OTHER}\n{ENDPOINTS}"},
    ],
)
def test_a_section_moves_only_where_it_reaches_everybody(project: Project, more: dict[str, str]) -> None:
    root = project({"AGENTS.md": f"# Ours\n\n{OTHER}\n{ENDPOINTS}", ".codex/x.toml": "", **more})
    assert not [change for change in plan_of(root).changes if change.kind == "move"]


@cases(
    "name",
    [
        "1. API endpoints",
        "Phase 2: endpoints",
        "Quick command reference",
        "Strings and localization",
        "Architecture of endpoints",
        "Where endpoints are",
        "Quick reference",
        "Code review",
        "Layout\n\n### Endpoints",
        "Adding new features",
        "Endpoints\n\nNEVER remove one.",
        "Migrations (do not invent old names)",
        "Always read the API reference first",
    ],
)
def test_what_every_session_may_need_stays(project: Project, name: str) -> None:
    section = f"## {name}\n\n{LOREM}{OTHER}\n"
    moved = {"AGENTS.md": f"# Ours\n\n{OTHER}\n{section}", ".codex/x.toml": ""}
    assert plan_of(project(moved)).changes == ()


def test_a_section_on_the_topic_of_its_file_stays(project: Project) -> None:
    section = f"## Release notes and releases\n\n{LOREM}{OTHER}\n"
    text = rule(f"# Ours\n\n{OTHER}\n{section}", "alwaysApply: true\n")
    assert plan_of(project({".cursor/rules/releases.mdc": text})).changes == ()
    assert only(project({".cursor/rules/ours.mdc": text}), "move")


@cases("line", ["See [it](docs/it.md).\n", "See [it][there].\n", "@docs/it.md\n", "<!-- generated -->\n"])
def test_a_section_that_is_bound_to_its_place_stays(project: Project, line: str) -> None:
    section = f"{ENDPOINTS}{line}"
    root = project({**CODE, "AGENTS.md": f"# Ours\n\n{OTHER}\n{section}", "docs/it.md": "", ".codex/x.toml": ""})
    assert plan_of(root).changes == ()


def test_what_is_ignored_is_not_proposed(project: Project) -> None:
    path = ".claude/rules/web.md"
    text = f"# Pages\n\n{NAMES}{LOREM}{OTHER}"
    assert only(project({**CODE, path: text}), "scope")
    comment = "<!-- ctxtui-ignore-file: could-be-scoped: needed everywhere -->\n"
    assert plan_of(project({**CODE, path: f"{text}\n{comment}"})).changes == ()


@cases(
    ("line", "why"),
    [("Generated by us. Do not edit.\n", "says that it is generated"), ("caf\u00e9\n", "not valid UTF-8")],
)
def test_a_file_that_no_program_should_change_is_named_and_left(project: Project, line: str, why: str) -> None:
    text = f"# Pages\n\n{line}{NAMES}{LOREM}{OTHER}"
    plan = plan_of(project({**CODE, ".claude/rules/web.md": text.encode("latin-1")}))
    assert plan.changes == ()
    assert [why in each.message for each in plan.by_hand] == [True]


def two_scopes(project: Project) -> tuple[Path, list[Change]]:
    rules = {f".claude/rules/{name}.md": f"# {name}\n\n{name}\n{NAMES}{LOREM}{OTHER}" for name in ("one", "two")}
    root = project({**CODE, **rules})
    return root, [each for each in plan_of(root).changes if each.kind == "scope"]


def test_changes_are_weighed_together_and_undone_together(project: Project) -> None:
    root, changes = two_scopes(project)
    before, old = starts(root), files(root)
    together = savings_together(*reported(root), changes)
    write_changes(Root(root), changes)
    assert {each.agent: each.after for each in together}.items() == starts(root).items() - before.items()
    assert undo_last(Root(root)).titles == tuple(change.title for change in changes)
    assert files(root) == old
    with pytest.raises(NotFound, match="no change of this project to undo"):
        undo_last(Root(root))


def test_nothing_is_written_or_undone_if_a_file_changed_meanwhile(project: Project) -> None:
    root, (one, _) = two_scopes(project)
    path = root / one.path
    audited = path.read_bytes()
    path.write_bytes(audited + b"Mine.\n")
    with pytest.raises(ContextError, match="has changed since"):
        write_changes(Root(root), [one])
    assert path.read_bytes() == audited + b"Mine.\n"
    assert last_record(Root(root)) is None
    path.write_bytes(audited)
    write_changes(Root(root), [one])
    path.write_bytes(b"Mine now.\n")
    with pytest.raises(ContextError, match="has changed since"):
        undo_last(Root(root))
    assert path.read_bytes() == b"Mine now.\n"
    assert last_record(Root(root)) is not None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_what_cannot_be_written_changes_nothing(project: Project) -> None:
    section = f"## Pages (`web`)\n\n{LOREM}{OTHER}\n"
    root = project({**CODE, "AGENTS.md": f"# Ours\n\n{OTHER}\n{section}", ".codex/x.toml": ""})
    change = only(root, "move")
    (root / ".agents").mkdir(mode=0o500)
    with pytest.raises(ContextError, match="cannot write"):
        write_changes(Root(root), [change])
    assert last_record(Root(root)) is None


def test_a_damaged_record_is_named(project: Project) -> None:
    root, (one, _) = two_scopes(project)
    write_changes(Root(root), [one]).file.write_text(json.dumps({"titles": []}))
    with pytest.raises(ContextError, match="is damaged"):
        undo_last(Root(root))


# The door for changes of several files.


def test_a_step_that_fails_undoes_those_before_it(project: Project) -> None:
    root = project({"a.md": "A.\n", "taken": "not a folder\n"})
    digest = digest_of(b"A.\n")
    steps: list[Step] = [NewFile("new/b.md", "B.\n"), NewFile("taken/c.md", "C.\n"), Removal("a.md", digest)]
    old = files(root)
    with pytest.raises(ContextError):
        apply(Root(root), steps)
    assert files(root) == old


@cases(
    ("step", "said"),
    [
        (NewFile("a.md", "B.\n"), "already exists"),
        (Removal("link.md", digest_of(b"A.\n")), "is a link"),
        (Removal("gone.md", b""), "cannot be read"),
        (Removal("a.md", b"other"), "has changed since"),
        (NewFile("../b.md", "B.\n"), "leads out of the project"),
        (NewFile("linked/b.md", "B.\n"), "reached through one"),
    ],
)
def test_steps_that_cannot_be_taken_are_refused(project: Project, step: Step, said: str) -> None:
    root = project({"a.md": "A.\n", "folder/x.md": "X.\n"})
    (root / "link.md").symlink_to("a.md")
    (root / "linked").symlink_to("folder")
    old = files(root)
    for attempt in (preview, apply):
        with pytest.raises(ContextError, match=said):
            attempt(Root(root), [step])
    assert files(root) == old


def test_a_read_only_file_is_refused_and_a_removed_one_comes_back_with_its_permissions(project: Project) -> None:
    root, digest = project({"a.md": "A.\n"}), digest_of(b"A.\n")
    (root / "a.md").chmod(0o600)
    undo(Root(root), apply(Root(root), [Removal("a.md", digest)]))
    assert (root / "a.md").stat().st_mode & 0o777 == 0o600
    (root / "a.md").chmod(0o444)
    steps: list[Step] = [Edit("a.md", 0, 1, "B", digest), Removal("a.md", digest)]
    for step in steps:
        with pytest.raises(ContextError, match=r"a\.md is read-only"):
            apply(Root(root), [step])
    assert (root / "a.md").read_bytes() == b"A.\n"


def test_changes_of_the_same_lines_are_refused(project: Project) -> None:
    root = project({"a.md": "A line.\n"})
    digest = digest_of(b"A line.\n")
    edit = Edit("a.md", 0, 4, "x", digest)
    others: list[Step] = [Edit("a.md", 2, 6, "y", digest), Removal("a.md", digest)]
    for other in others:
        with pytest.raises(ContextError, match="concern the same lines"):
            apply(Root(root), [edit, other])
    assert (root / "a.md").read_text() == "A line.\n"


def test_folders_of_new_files_go_with_them_unless_somebody_uses_them(project: Project) -> None:
    root = project({"a.md": "A.\n"})
    steps = [NewFile("new/deep/b.md", "B.\n"), NewFile("new/c.md", "C.\n")]
    undo(Root(root), apply(Root(root), steps))
    assert set(files(root)) == {"a.md"}
    written = apply(Root(root), steps)
    (root / "new/mine.md").write_text("Mine.\n")
    undo(Root(root), written)
    assert set(files(root)) == {"a.md", "new", "new/mine.md"}


LINES = st.lists(st.text("abc é𝄞#-:*`", max_size=8), max_size=8)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    end = draw(ENDS)
    text = end.join(draw(LINES)) + draw(st.sampled_from(["", end]))
    return (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + text.encode()


@settings(max_examples=40)
@given(contents(), st.data())
def test_what_is_written_touches_no_more_and_is_undone(project: Project, data: bytes, choices: st.DataObject) -> None:
    root = project({"a.md": data, "b.md": b"B.\n"})
    text = data.removeprefix(b"\xef\xbb\xbf").decode()
    places = sorted(choices.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6)))
    pairs = list(zip(places[::2], places[1::2], strict=False))
    edits = [Edit("a.md", *pair, choices.draw(st.text("xyz\n", max_size=4)), digest_of(data)) for pair in pairs]
    old = files(root)
    written = apply(Root(root), [*edits, Removal("b.md", digest_of(b"B.\n")), NewFile("new/c.md", "C.\n")])
    kept = _kept(text, set(edits))
    after = (root / "a.md").read_bytes()
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    assert after == mark + kept.encode()
    assert set(files(root)) == {"a.md", "new", "new/c.md"}
    undo(Root(root), written)
    assert files(root) == old
    assert all(isinstance(each, Written) for each in written)


def _kept(text: str, edits: Iterable[Edit]) -> str:
    # From the last to the first, so that earlier places stay what they are.
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end, edit.text), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@settings(max_examples=15)
@given(ENDS.filter(lambda end: end != "\r"), st.booleans(), st.booleans())
def test_a_plan_keeps_line_ends_marks_and_last_lines(project: Project, end: str, mark: bool, last: bool) -> None:
    """Every line of the old file is in the new one, byte for byte, unless the diff says otherwise."""
    text = f"---\nalwaysApply: true\nnote: déjà  # ours\n---\n# Pages\n\n{NAMES}{LOREM}{OTHER}".replace("\n", end)
    data = (b"\xef\xbb\xbf" if mark else b"") + (text if last else text.rstrip("\r\n")).encode()
    root = project({**CODE, ".cursor/rules/web.mdc": data})
    write_changes(Root(root), [only(root, "scope")])
    after = (root / ".cursor/rules/web.mdc").read_bytes()
    new = f"alwaysApply: false{end}".encode(), f"globs: web/**{end}".encode()
    assert after.replace(new[1], b"").replace(new[0], f"alwaysApply: true{end}".encode()) == data
    undo_last(Root(root))
    assert (root / ".cursor/rules/web.mdc").read_bytes() == data


PIECES = (
    "# Ours\n\nSome words.\n",
    f"## Shared\n\n{LOREM}\n",
    f"## API reference\n\n{LOREM}{OTHER}\n",
    f"## Pages (`web`)\n\n{OTHER}\n",
    f"{NAMES}{LOREM}{OTHER}",
    f"Setext\n======\n\n{LOREM}\n",
    "```\n## Not a heading\n```\n",
    "@AGENTS.md\n",
    "<!-- note -->\n",
    "déjà vu 𝄞\u2028\n",
    f"## Shared\n\n{OTHER}\n### Inner\n\n{LOREM}",
)


HEADS = (
    *("", "---\n---\n", "---\nopen\n", "---\npaths:\n---\n\n"),
    *("---\nalwaysApply: true\n---\n", "---\nglobs: web/**\n---\n"),
)
PLACES = (
    *("AGENTS.md", "CLAUDE.md", ".clinerules/a.md", ".clinerules/b.md", ".cursor/rules/a.mdc"),
    ".claude/rules/a.md",
)


@st.composite
def anything(draw: st.DrawFn) -> dict[str, bytes]:
    texts: dict[str, bytes] = {}
    for path in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=4, unique=True)):
        body = "".join(draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4)))
        text = draw(st.sampled_from(HEADS)) + (body if draw(st.booleans()) else body.rstrip("\n"))
        mark = b"\xef\xbb\xbf" if draw(st.booleans()) else b""
        texts[path] = mark + text.replace("\n", draw(ENDS)).encode()
    if len(texts) > 1 and draw(st.booleans()):
        first, *others = texts
        texts[draw(st.sampled_from(others))] = texts[first]
    return texts


@pytest.mark.heavy
@settings(max_examples=40)
@given(anything())
def test_every_change_of_any_plan_holds_what_it_says(project: Project, texts: dict[str, bytes]) -> None:
    root = project({**CODE, **texts})
    for change in plan_of(root).changes:
        holds_what_it_says(root, change)
