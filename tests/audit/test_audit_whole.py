"""The whole audit: its order, its keys, its end, and content that would like to break it."""

import os
import re
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxtui.audit as package
from ctxtui.audit import RULES, SEVERITIES, Settings, audit
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import LOREM, audited, found, ignore
from tests.conftest import Project

INDEX = "---\nid: api/index\ntitle: I\ntype: index\nestimatedTokens: 900\nloadingStrategy: always\n---\n# I\n"


def test_rules_have_ids_and_sentences_of_their_own() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.id)
        assert rule.severity in SEVERITIES
        assert re.fullmatch(r"[A-Z].*\.", rule.about)


def test_public_names_are_exported_once_used() -> None:
    assert all(getattr(package, name) is not None for name in dir(package))
    with pytest.raises(AttributeError, match="no attribute"):
        package.unknown  # type: ignore[attr-defined]  # noqa: B018


def test_findings_come_by_severity_tokens_path_and_line(project: Project) -> None:
    files = {f".context/{name}.md": f"# {name}\n\n{LOREM}\n[x](gone{name}.md)\n\n[y](y.md)\n" for name in "BAC"}
    root = project({**files, "AGENTS.md": "0123456789abcde\n" * 2100, ".cursor/rules/a.md": "x\n"})
    findings = audited(root).findings
    ranks = [(SEVERITIES.index(each.severity), -each.tokens, each.path or "", each.line or 0) for each in findings]
    assert len(findings) > 5
    assert ranks == sorted(ranks)


def test_a_clean_project_has_no_findings(project: Project) -> None:
    root = project(
        {
            "AGENTS.md": f"# A\n\n[style](docs/style.md)\n\n{LOREM}",
            "docs/style.md": "# Style\n",
            ".claude/rules/api.md": "---\npaths: ['src/**']\n---\n# API\n",
            "src/a.py": "x = 1\n",
            ".context/TASKS.md": "# Tasks\n\n- [ ] One\n",
        }
    )
    result = audited(root)
    assert result.findings == ()
    assert result.is_complete
    assert "codex" in {context.agent.id for context in result.agents}


def test_keys_outlive_edits_elsewhere_in_the_file(project: Project) -> None:
    files = {".context/A.md": f"# A\n\n{LOREM}\n[x](gone.md)\n", ".context/B.md": f"# B\n\n{LOREM}"}
    before = {each.key for each in audited(project(files)).findings}
    files[".context/A.md"] = f"# A\n\nnew\n\n{LOREM}\nmore\n\n[x](gone.md)\n"
    assert before == {each.key for each in audited(project(files)).findings}
    assert len(before) == 2
    assert not any(re.search(r"\d", key) for key in before)


def test_a_stop_ends_the_audit_early(project: Project) -> None:
    stop = Event()
    stop.set()
    result = audit(Workspace.open(project({"AGENTS.md": "x\n"}), on_notice=ignore), stop=stop)
    assert not result.is_complete
    assert result.findings == ()


def test_a_folder_outside_to_start_in_is_refused(project: Project) -> None:
    workspace = Workspace.open(project({"AGENTS.md": "x\n"}), on_notice=ignore)
    with pytest.raises(ContextError, match="outside the project"):
        audit(workspace, settings=Settings(cwd="../.."))


def test_a_file_that_vanishes_is_a_notice(project: Project) -> None:
    # Opening reads no more than the beginning of a large file, so the audit has to read it again.
    root = project({".context/A.md": "# A\n" * 20_000, ".context/B.md": "# B\n"})
    workspace = Workspace.open(root, on_notice=ignore)
    (root / ".context/A.md").unlink()
    assert [notice.path for notice in audit(workspace).notices] == [".context/A.md"]


def test_a_changed_file_is_audited_anew(project: Project) -> None:
    root = project({".context/A.md": "# A\n", "README.md": "x\n"})
    workspace = Workspace.open(root, on_notice=ignore)
    assert audit(workspace).findings == ()
    (root / ".context/A.md").write_text("# A\n\n[x](gone.md)\n")
    assert [each.rule for each in audit(workspace.reload(on_notice=ignore)).findings] == ["broken-link"]


def test_only_the_rules_asked_for_run(project: Project) -> None:
    root = project({".context/A.md": "[x](gone.md)\n", ".cursor/rules/a.md": "x\n"})
    assert {each.rule for each in audited(root, ["never-loaded"]).findings} == {"never-loaded"}


def test_a_scope_limits_what_is_audited(project: Project) -> None:
    from ctxtui.workspace.scope import Scope

    root = project({".context/A.md": "[x](gone.md)\n", ".cursor/rules/a.md": "x\n"})
    workspace = Workspace.open(root, scope=Scope(exclude=(".cursor/",)), on_notice=ignore)
    assert {each.rule for each in audit(workspace).findings} == {"broken-link"}


def test_hostile_files_are_audited_without_harm(project: Project) -> None:
    root = project(
        {
            "AGENTS.md": b"\xff\xfe\x00" + b"[x](" * 2000,
            "CLAUDE.md": "@a.md " * 3000 + "[" * 20_000 + "](" * 20_000,
            "a.md": "@CLAUDE.md\n" * 500,
            ".claude/rules/a.md": "---\npaths: [" + "'{a,b}" * 400 + "']\n---\n",
            ".claude/rules/b.md": "---\npaths: " + "[" * 5000 + "\n---\n",
            ".claude/rules/c.md": "---\na: &a [x]\npaths: [*a, *a]\n---\n",
            ".claude/skills/x/SKILL.md": "---\n" + "k: v\n" * 40_000,
            ".context/TASKS.md": "\0",
            ".context/A.md": "\u202e" * 5000 + "a" * 200_000,
            ".context/B.md": "# " * 20_000 + "\r" * 20_000,
            "lib/index.md": INDEX,
            "lib/api/index.md": INDEX.replace(
                "---\n#", "sections: {a: 1}\nindexedFiles: [1, {path: [2]}, {id: ''}]\n---\n#"
            ),
            "lib/api/x.md": INDEX.replace("900", "!!python/object:os.system x"),
            "lib/cross_domain.md": "| Trigger | Load |\n|---|---|\n" + "| x | `../../etc/passwd.md` |\n" * 50,
        }
    )
    os.mkfifo(root / ".context" / "PIPE.md")
    (root / ".claude/rules/loop.md").symlink_to("loop.md")
    (root / ".claude/rules/out.md").symlink_to("/etc/passwd")
    result = audited(root)
    assert result.is_complete
    assert not any("/etc/passwd:" in repr(each) for each in result.findings)


PATHS = st.sampled_from(
    [
        *("AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".cursorrules", ".clinerules", "docs/x.md"),
        *(".claude/rules/a.md", ".claude/skills/s/SKILL.md", ".agents/skills/s/SKILL.md", ".agents/rules/r.md"),
        *(".cursor/rules/a.mdc", ".cursor/rules/a.md", ".github/instructions/a.instructions.md", ".context/T.md"),
        *("lib/index.md", "lib/api/index.md", "lib/api/a.md", "lib/cross_domain.md", "notes/n.md", "src/a.py"),
    ]
)
PIECES = st.sampled_from(
    [
        *("---\n", "name: s\n", "description: d\n", "globs: src/**\n", "paths: ['x/**', src]\n", "trigger: glob\n"),
        *("id: api/a\n", "domain: b\n", "estimatedTokens: 900\n", "entryId: e1\n", "category: Operational\n"),
        *("sections: [{name: One, estimatedTokens: 5}, x, 3]\n", "sections:\n", "  - name: Two\n"),
        *("loadingStrategy: x\n", "indexedFiles: [{path: gone.md}, {id: api/a, type: t}]\n", "## tags: [a]\n"),
        *("crossDomainTriggers: [a/b, c d]\n", "# One\n", "## Two\n", "@CLAUDE.md @docs/x.md @gone.md\n"),
        *("[x](gone.md) [y](docs/x.md)\n", "```\n", "\u200b\u202e\n"),
        *("| Trigger | Load |\n|---|---|\n| a | `x/y.md` |\n", LOREM, "x" * 3000, "\r", "\0", ": [\n", "-----BEGIN"),
    ]
)
FILES = st.dictionaries(PATHS, st.one_of(st.lists(PIECES, max_size=9).map("".join), st.text(max_size=40)), max_size=7)


@settings(max_examples=20)
@given(FILES)
def test_no_content_makes_the_audit_raise(project: Project, files: dict[str, str]) -> None:
    root: Path = project({path: text.encode("utf-8", "replace") for path, text in files.items()})
    notices: list[Notice] = []
    workspace = Workspace.open(root, on_notice=notices.append)
    limits = dict.fromkeys(("codex", "claude-code", "cursor"), 3)
    result = audit(workspace, settings=Settings(start_limits=limits, heavy_tokens=20, blob_tokens=10))
    known = {rule.id for rule in RULES}
    for finding in result.findings:
        assert finding.rule in known
        assert finding.message
        assert finding.evidence
        assert finding.tokens >= 0
        assert finding.path is None or (root / finding.path).exists()
        assert finding.line is None or finding.line >= 1
    assert len(set(result.findings)) == len(result.findings)


def test_the_places_of_a_finding_are_in_order_after_the_worst(project: Project) -> None:
    texts = {"a": "x\n", "b": "many more words\n" * 9, "c": "x\n", "d": "a few words\n"}
    root = project({f".claude/agents/{name}.md": f"# {name}\n\n{text}" for name, text in texts.items()})
    (finding,) = found(root, "frontmatter-rejected")
    assert [each.path for each in finding.places] == [f".claude/agents/{name}.md" for name in "bacd"]
