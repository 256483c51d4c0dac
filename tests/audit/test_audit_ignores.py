"""Findings that configuration and comments ask not to be told, and ignores that are useless."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.audit import Finding, Settings, audit
from ctxtui.audit.dismissed import find_comments
from ctxtui.audit.fixes import undo
from ctxtui.audit.rule_settings import tuned
from ctxtui.audit.text.facts import read_facts
from ctxtui.audit.types import Ignore, Place
from ctxtui.audit.write_ignore import ignore_entry, propose_ignore, would_be_ignored, write_ignore
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.root import Root
from ctxtui.core.text.data.toml import load_toml
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import audited, found, ignore, one
from tests.cases import cases
from tests.conftest import Project

LINK = "[x](gone.md)\n"


def test_an_ignore_by_glob_and_rule_leaves_the_rest(project: Project) -> None:
    root = project({"AGENTS.md": f"{LINK}\n[y](lost.md)\n", "docs/AGENTS.md": LINK})
    result = audited(root, ["broken-link"], ignores=(Ignore("old", ("docs/**",), ("broken-link",)),))
    assert {each.path for each in result.findings} == {"AGENTS.md"}
    assert [each.path for each in result.ignored] == ["docs/AGENTS.md"]


def test_the_places_of_one_cause_are_ignored_one_by_one(project: Project) -> None:
    root = project({f".cursor/rules/{name}.md": "x\n" for name in "abc"})
    whole = one(root, "never-loaded")
    assert (whole.count, "these 3 files" in whole.message) == (3, True)
    left = one(root, "never-loaded", ignores=(Ignore("kept", (".cursor/rules/b.md",)),))
    assert [each.path for each in left.places] == [".cursor/rules/a.md", ".cursor/rules/c.md"]
    assert "these 2 files" in left.message
    assert left.key == whole.key


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"# A\n\n<!-- ctxtui-ignore: broken-link: built later -->\n\n{LINK}\n{LINK}", [7]),
        (f"# A\n{LINK.strip()} <!-- ctxtui-ignore: broken-link: built later -->\n\n[y](lost.md)\n", [4]),
        (f"{LINK}\n<!-- ctxtui-ignore-file: broken-link, blob: built later -->\n\n[y](lost.md)\n", []),
    ],
)
def test_a_comment_is_about_its_line_or_the_next_or_the_file(project: Project, text: str, lines: list[int]) -> None:
    # Two links to one target are one finding at the first line, so that the targets differ.
    root = project({"AGENTS.md": text.replace(f"\n{LINK}\n{LINK}", f"\n{LINK}\n[z](none.md)\n")})
    assert [each.line for each in found(root, "broken-link")] == lines
    assert found(root, "useless-ignore") == []


@cases(
    ("comment", "why"),
    [
        ("<!-- ctxtui-ignore: broken-link: nothing is broken -->", "nothing to ignore"),
        ("<!-- ctxtui-ignore: broken-lnk: typo -->", "did you mean broken-link?"),
        ("<!-- ctxtui-ignore: broken-link -->", "gives no reason"),
        ("<!-- ctxtui-ignore: : because -->", "names no rule"),
        ("<!-- ctxtui-ignore-file: secret: mine -->", "a file cannot ignore secret itself"),
        ("<!-- ctxtui-ignore-file: invisible-text: mine -->", "a file cannot ignore invisible-text itself"),
    ],
)
def test_a_comment_that_does_nothing_is_a_finding(project: Project, comment: str, why: str) -> None:
    result = audited(project({"AGENTS.md": f"# A\n\n{comment}\n\ntext\n"}))
    (finding,) = [each for each in result.findings if each.rule == "useless-ignore"]
    assert (finding.path, finding.line) == ("AGENTS.md", 3)
    assert why in finding.message


@cases(
    ("text", "rule", "lines"),
    [
        # A file cannot hide what it hides.
        ("<!-- ctxtui-ignore-file: invisible-text: trust me -->\n\na\u200bb\n", "invisible-text", [3]),
        # In code, a comment is shown.
        (f"{LINK}\n```\n<!-- ctxtui-ignore-file: broken-link: shown -->\n```\n", "broken-link", [1]),
        (f"{LINK}\nWrite `<!-- ctxtui-ignore-file: broken-link: shown -->`.\n", "broken-link", [1]),
        # Above one another, all are about the line below them.
        (f"<!-- ctxtui-ignore: broken-link: b -->\n<!-- ctxtui-ignore: blob: b -->\n{LINK}", "broken-link", []),
    ],
)
def test_what_a_comment_is_about(project: Project, text: str, rule: str, lines: list[int]) -> None:
    root = project({"AGENTS.md": text})
    assert [each.line for each in found(root, rule)] == lines
    assert "shown" not in text or found(root, "useless-ignore") == []


def test_an_ignore_of_a_rule_that_was_not_run_is_not_called_useless(project: Project) -> None:
    root = project({"AGENTS.md": "# A\n"})
    asked = (Ignore("x", (), ("broken-link",)),)
    assert audited(root, ["useless-ignore"], ignores=asked).findings == ()
    (finding,) = audited(root, ["useless-ignore", "broken-link"], ignores=asked).findings
    assert "there is nothing to ignore" in finding.message
    off = Settings(off=frozenset({"broken-link"}), ignores=asked)
    assert audit(Workspace.open(root, on_notice=ignore), settings=off).findings == ()


@given(st.text(alphabet="<!->: \nctxui-gnorefl`~abc,\r", max_size=400))
def test_comments_are_found_at_lines_that_exist(text: str) -> None:
    text = text.replace("~", "<!-- ctxtui-ignore: a: b -->")
    count = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for comment in find_comments(text):
        assert 1 <= comment.line <= count
        assert comment.lines is None or comment.line <= comment.lines[0] <= comment.lines[1] <= count
    assert read_facts(text).comments == find_comments(text)


def _finding(*paths: str, rule: str = "broken-link") -> Finding:
    return Finding(rule, "warning", "m", path=paths[0], line=1, places=tuple(map(Place, paths)))


def test_what_is_written_ignores_just_that(project: Project) -> None:
    root = project({"AGENTS.md": LINK, "docs/AGENTS.md": LINK, "ctxtui.toml": 'budget = "4k"'})
    first = next(each for each in found(root, "broken-link") if each.path == "AGENTS.md")
    addition = propose_ignore(Root(root), first, "the build makes\nit “soon”")
    assert addition.after.startswith('budget = "4k"\n\n[[rules.ignore]]\n')
    assert (root / "ctxtui.toml").read_text() == 'budget = "4k"'
    write_ignore(Root(root), addition)
    expected = {"rules": ["broken-link"], "paths": ["AGENTS.md"], "reason": "the build makes it “soon”"}
    assert load_config(root, {}).rules == {"ignore": [expected]}
    # More entries go where entries are.
    shared = '[[tool.ctxtui.rules.ignore]]\nrules = ["blob"]\nreason = "x"\n'
    root = project({"AGENTS.md": LINK, "pyproject.toml": shared})
    addition = propose_ignore(Root(root), _finding("AGENTS.md"), "y")
    assert addition.path == "pyproject.toml"
    write_ignore(Root(root), addition)
    assert [each["reason"] for each in load_config(root, {}).rules["ignore"]] == ["x", "y"]


def test_what_has_changed_or_cannot_take_an_entry_is_left_alone(project: Project) -> None:
    root = project({"AGENTS.md": LINK})
    addition = propose_ignore(Root(root), _finding("AGENTS.md"), "y")
    (root / "ctxtui.toml").write_text("# mine\n")
    with pytest.raises(ContextError, match="has changed"):
        write_ignore(Root(root), addition)
    (root / "ctxtui.toml").write_text('[rules]\nignore = [{paths = ["x"], reason = "y"}]\n')
    with pytest.raises(ContextError, match="cannot add an entry") as refused:
        propose_ignore(Root(root), _finding("AGENTS.md"), "y")
    assert "[[rules.ignore]]" in (refused.value.hint or "")
    with pytest.raises(ContextError, match="needs a reason"):
        propose_ignore(Root(root), _finding("AGENTS.md"), " \n ")


def test_an_entry_never_replaces_those_of_the_shared_file(project: Project) -> None:
    shared = '[tool.ctxtui.rules]\nignore = [{rules = ["blob"], reason = "x"}]\n'
    root = project({"AGENTS.md": LINK, "pyproject.toml": shared})
    with pytest.raises(ContextError, match=r"end of pyproject\.toml"):
        propose_ignore(Root(root), _finding("AGENTS.md"), "y")
    # An empty list replaces them, too.
    (root / "ctxtui.toml").write_text("[rules]\nignore = []\n")
    with pytest.raises(ContextError, match=r"end of ctxtui\.toml"):
        propose_ignore(Root(root), _finding("AGENTS.md"), "y")


@pytest.mark.parametrize("path", ["a" * 600, "b" * 501])
def test_what_the_audit_could_not_read_is_not_written(project: Project, path: str) -> None:
    with pytest.raises(ContextError, match="500 characters"):
        propose_ignore(Root(project({"AGENTS.md": LINK})), _finding(path), "y")


@cases("before", [None, b"", b"# no newline", b'\r\nbudget = "4k"\r\n'])
def test_what_was_written_is_taken_back_to_the_byte(project: Project, before: bytes | None) -> None:
    root = project({"AGENTS.md": LINK})
    config = root / "ctxtui.toml"
    if before is not None:
        config.write_bytes(before)
    addition = propose_ignore(Root(root), _finding("AGENTS.md"), "y")
    write_ignore(Root(root), addition)
    assert config.read_bytes().startswith(before or b"")
    assert load_config(root, {}).rules["ignore"]
    undo(Root(root), [addition.written])
    assert (config.read_bytes() if config.exists() else None) == before
    config.write_text("# Others wrote this\n")
    with pytest.raises(ContextError, match="has changed since"):
        undo(Root(root), [addition.written])


def test_an_ignore_covers_what_the_next_audit_leaves_out(project: Project) -> None:
    root = project({"CLAUDE.md": "@gone.md\n\n@lost.md\n", "docs/CLAUDE.md": "@gone.md\n"})
    findings = found(root, "broken-import")
    first = next(each for each in findings if each.path == "CLAUDE.md")
    left = would_be_ignored(first, findings)
    write_ignore(Root(root), propose_ignore(Root(root), first, "y"))
    rules = tuned(Settings(), load_config(root, {}).rules, ["broken-import"])
    result = audited(root, ["broken-import"], ignores=rules.ignores)
    assert [each.line for each in result.ignored] == [each.line for each in left] == [1, 3]
    assert len(result.findings) == len(findings) - len(left)


@given(st.text(max_size=60).filter(str.strip), st.text(min_size=1, max_size=60))
def test_any_path_and_reason_make_a_table_that_can_be_read(reason: str, path: str) -> None:
    try:
        reason.encode()
        path.encode()
    except UnicodeEncodeError:
        return
    try:
        entry = ignore_entry(_finding(path), reason)
    except ContextError:
        return
    (table,) = load_toml(entry)["rules"]["ignore"]
    assert len(table["paths"][0]) == len(path)
    assert table["reason"]


def test_a_finding_of_many_places_is_ignored_by_their_folder() -> None:
    entry = ignore_entry(_finding(*(f"docs/old/{number}.md" for number in range(40))), "old")
    (table,) = load_toml(entry)["rules"]["ignore"]
    assert table["paths"] == ["docs/old/**"]
