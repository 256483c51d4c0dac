"""Text at the start that could come only where it is needed, and text there that changes all the time."""

from tests.audit.auditing_helpers import LOREM, audited, found, one
from tests.cases import cases
from tests.conftest import Project

RULE = "---\nalwaysApply: true\n---\n"
CODE = {f"{folder}/src/{name}.{ending}": "" for folder, ending in (("web", "ts"), ("api", "py")) for name in "abcdef"}
NAMES = "Look at `web/src/a.ts`, `web/src/b.ts` and [that](web/src/c.ts).\n"


def test_a_rule_about_one_folder_or_language_could_be_scoped(project: Project) -> None:
    root = project({**CODE, ".cursor/rules/style.mdc": f"{RULE}# Style\n\n{NAMES}{LOREM}{LOREM}"})
    finding = one(root, "could-be-scoped")
    assert (finding.path, finding.agent) == (".cursor/rules/style.mdc", "cursor")
    assert "`web/src/**` in `globs`" in finding.message
    assert finding.tokens > 300
    # Paths written from a folder below lead to that folder.
    text = f"# Style\n\n{NAMES.replace('web/src', 'src')}{LOREM}{LOREM}"
    files = {path: "" for name in "abc" for path in (f"web/src/{name}.ts", f"api/src/{name}x.py", f"docs/{name}.md")}
    assert "`web/src/**` in `paths`" in one(project({**files, ".claude/rules/a.md": text}), "could-be-scoped").message
    root = project({**CODE, ".claude/rules/python.md": f"# Python style\n\n{LOREM}{LOREM}"})
    assert "`**/*.py` in `paths`" in one(root, "could-be-scoped").message


@cases(
    "rule",
    [
        f"# Style\n\n{NAMES}",
        f"# Style\n\n{NAMES}Also `api/src/a.py` and `api/src/b.py`.\n{LOREM}{LOREM}",
        f"# Style\n\nLook at `web/src/a.ts` and `web/src/none.ts`.\n{LOREM}{LOREM}",
        f"---\npaths: [web/**]\n---\n# Style\n\n{NAMES}{LOREM}{LOREM}",
        f"# How we work\n\n{LOREM}{LOREM}",
        f"# Style of all code\n\n{NAMES}{LOREM}{LOREM}",
        f"---\ndescription: For every task\n---\n# Style\n\n{NAMES}{LOREM}{LOREM}",
        f"# Core\n\n{NAMES.replace('web/src/', 'docs/api/').replace('.ts', '.md')}{LOREM}{LOREM}",
        f"# Core\n\n{NAMES.replace('web/src/', 'guides/')}{LOREM}{LOREM}".replace(".ts", ".md"),
    ],
)
def test_rules_that_are_short_broad_or_scoped_are_fine(project: Project, rule: str) -> None:
    documents = {f"{folder}/{name}.md": "" for folder in ("docs/api", "guides") for name in "abc"}
    assert found(project({**CODE, **documents, ".claude/rules/style.md": rule}), "could-be-scoped") == []


def test_the_only_language_needs_no_scope(project: Project) -> None:
    root = project({"a.py": "", "b.py": "", ".claude/rules/python.md": f"# Python\n\n{LOREM}{LOREM}"})
    assert found(root, "could-be-scoped") == []


@cases(
    ("text", "lines"),
    [
        (f"# C\n\nLast updated: 2026-10-02\n\n{LOREM * 3}", [3]),
        (f"# C\n\n**Generated on** 2026-10-02 08:15\n\n{LOREM * 3}", [3]),
        # A version by itself may be that of the rules, which changes as seldom as they do.
        (f"# C\n\nVersion: 1.2.3\n\n{LOREM * 3}", []),
        # At the end, or of the past.
        (f"# C\n\n{LOREM * 3}\nLast updated: 2026-10-02\n", []),
        ("Last updated: 2026-10-02\n", []),
        (f"Released 2026-10-02\n{LOREM * 3}", []),
    ],
)
def test_a_stamp_before_much_of_a_start_spoils_caching(project: Project, text: str, lines: list[int]) -> None:
    told = found(project({"CLAUDE.md": text}), "changing-text")
    assert [(each.path, each.line) for each in told] == [("CLAUDE.md", line) for line in lines]


def test_what_comes_after_a_stamp_is_what_the_agent_reads_then(project: Project) -> None:
    files = {"CLAUDE.md": "Last updated: 2026-10-02\n", ".claude/rules/a.md": LOREM * 3}
    finding = one(project(files), "changing-text")
    start = next(each.start_tokens for each in audited(project(files)).agents if each.agent.id == "claude-code")
    assert start - 20 < finding.tokens < start


def test_copies_with_one_stamp_are_one_finding_that_does_not_say_how_often_it_changes(project: Project) -> None:
    text = f"Last synced: 2026-08-12\n{LOREM * 3}"
    finding = one(project({".windsurfrules": text, ".clinerules": text}), "changing-text")
    assert "changes often;" not in finding.message
    assert "if it changes often" in finding.message
