"""Files that git keeps or leaves out against their purpose."""

from tests.audit.auditing_helpers import audited, found, skill
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.conftest import Project

_IGNORED = "git tracks it but ignores new files beside it, so that nobody else gets them"
_OF_ONE = "git tracks it, but it is meant for one person: everybody who has the project gets it"


@cases(
    ("ignore", "path", "told"),
    [
        (".claude\n", ".claude/rules/a.md", _IGNORED),
        ("/.cursor/\n", ".cursor/rules/a.mdc", _IGNORED),
        (".claude/skills/*\n", ".claude/skills/a/SKILL.md", _IGNORED),
        (".claude/skills/*\n!.claude/skills/a/\n", ".claude/skills/a/SKILL.md", ""),
        (".claude/*\n!.claude/skills/a/SKILL.md\n", ".claude/skills/a/SKILL.md", ""),
        (".claude/rules/a.md\n", ".claude/rules/a.md", ""),
        (".claude/*\n!.claude/rules/\n", ".claude/rules/a.md", ""),
        ("*.md\n", "CLAUDE.md", ""),
        ("vendor/\n", "vendor/a/.claude/skills/a/SKILL.md", ""),
        ("lib/\n", "lib/a/.claude/skills/a/SKILL.md", _IGNORED),
        ("", "CLAUDE.local.md", _OF_ONE),
        ("*.local.*\n", "CLAUDE.local.md", _OF_ONE),
        ("", "web/.claude/settings.local.json", _OF_ONE),
        ("", "config/settings.local.json", ""),
        ("", "my app/CLAUDE.local.md", _OF_ONE),
    ],
)
def test_what_git_tracks_against_its_purpose_is_a_note(project: Project, ignore: str, path: str, told: str) -> None:
    text = skill("a") if path.endswith("SKILL.md") else "---\nalwaysApply: true\n---\nBe kind.\n"
    repo = Repo(project({path: "{}" if path.endswith("json") else text}))
    repo.commit()
    repo.write({".gitignore": ignore, "CLAUDE.md": "# A\n"})
    findings = found(repo.root, "wrong-tracking")
    assert [(each.path, each.severity, each.fact) for each in findings] == [(path, "info", told)] * bool(told)
    assert all("'my app/CLAUDE.local.md'" in each.remedy.words for each in findings if " " in path)


def test_files_of_one_ignored_folder_are_one_finding_until_git_lets_go(project: Project) -> None:
    repo = Repo(project({f".claude/rules/{name}.md": "Be kind.\n" for name in "ab"} | {"CLAUDE.local.md": "Me.\n"}))
    repo.commit()
    repo.write({".gitignore": ".claude\n"})
    assert (
        "git tracks 2 files in .claude/ that agents read but ignores new files there, so that nobody else gets them"
        in [each.fact for each in found(repo.root, "wrong-tracking")]
    )
    repo.git("rm", "--quiet", "--cached", "-r", ".claude", "CLAUDE.local.md")
    assert audited(repo.root, ["wrong-tracking"]).findings == ()


def test_a_file_of_nobody_is_tracked_by_nobody(project: Project) -> None:
    assert found(project({"CLAUDE.local.md": "Me.\n", ".gitignore": ".claude\n"}), "wrong-tracking") == []
