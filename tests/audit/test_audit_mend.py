"""Changes that a finding's remedy names: each ends the finding, and can be undone byte for byte."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ctxtui.audit.fixes import apply, commands, undo
from ctxtui.core.disk.root import Root
from tests.audit.auditing_helpers import found, one
from tests.cases import cases
from tests.conftest import Project

_CURSOR = {".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nA.\n"}
_PROJECTS = {
    "never-loaded": {**_CURSOR, ".cursor/rules/b.md": "B.\r\n", ".cursor/rules/it's.md": "C.\n"},
    "wrong-place": {"GEMINI.md": "x\n", "sub/.gemini/GEMINI.md": "Be kind.\n"},
    "missing-twin": {
        "CLAUDE.md": "x\n",
        **{f"{name}/AGENTS.md": f"About {name}.\n" for name in "abcd"},
        **{f"{name}/CLAUDE.md": "@AGENTS.md\n" for name in "ab"},
    },
    "untriggered": {".github/instructions/a.instructions.md": "Tabs.\r\n", ".github/copilot-instructions.md": "x\n"},
    "globs-ignored": {"src/a.py": "", ".claude/rules/a.md": "---\nglobs: src/**\n---\nKind.\n", "CLAUDE.md": "x\n"},
    "broken-link": {"CLAUDE.md": "[glazing.md](glazing.md#top), [it](glazing.md)\r\n", "docs/glazing.md": "# Top\n"},
    "missing-path": {"AGENTS.md": "The start is `src/main_loop.py`.\n", "src/b.py": "", "src/app/main_loop.py": ""},
    "missing-command": {
        "AGENTS.md": "# A\n\nRun `npm run lint:fix`, then `npm run lint`.\n",
        "package.json": '{"scripts": {"lint:fix": "x", "lints": "x"}}\n',
    },
    "skill-name": {".claude/skills/pay/SKILL.md": "---\nname: Pay\ndescription: Pays.\n---\nPay.\n"},
    "replaced-text": {".claude/skills/pay/SKILL.md": "---\nname: pay\ndescription: Pays.\n---\n`rm $0` or `ls $0`\n"},
    "missing-file": {
        "CLAUDE.md": "x\n",
        ".claude/check.py": "",
        ".claude/settings.json": '{"hooks": {"Stop": [{"hooks": [\r\n'
        '{"type": "command", "command": "python3 .claude/check.py --all"}]}]}}',
    },
    "unknown-name": {".claude/settings.json": '\ufeff{"hooks": {"pre_tool_use": []}, "env": {}}\n'},
    "broken-server": {".cursor/mcp.json": '{"servers": {"one": {"command": "node"}}}\n'},
    "shadowed": {"AGENTS.md": "# Rules for all agents\n\nBe kind.\n", "CLAUDE.md": "# Claude\n\nBe brief.\n"},
}


def _files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@cases("rule", _PROJECTS)
def test_a_change_ends_its_finding_and_is_undone(project: Project, rule: str) -> None:
    folder = project(_PROJECTS[rule])
    before = _files(folder)
    steps = one(folder, rule).remedy.steps
    assert steps
    written = apply(Root(folder), steps)
    after = _files(folder)
    assert after != before
    assert found(folder, rule) == []
    undo(Root(folder), written)
    assert _files(folder) == before
    if told := commands(steps):
        # Outside a repository, `git mv` is `mv`.
        script = "\n".join(each.removeprefix("git ") for each in told)
        (folder / ".gemini").mkdir(exist_ok=True)
        subprocess.run(["sh", "-ec", script], cwd=folder, check=True)
        assert _files(folder) == after


def test_an_import_is_mended_where_the_agent_reads_it(project: Project) -> None:
    text = "Write imports as\n\n```\n@docs/gone.md\n```\n\n@docs/gone.md\n"
    folder = project({"CLAUDE.md": text, "docs/Gone.md": "x\n"})
    finding = one(folder, "broken-import")
    assert finding.line == 7
    apply(Root(folder), finding.remedy.steps)
    assert (folder / "CLAUDE.md").read_text() == text[:-14] + "@docs/Gone.md\n"


@cases("text", ["See `AGENTS.md`.\n", "Read AGENTS.md.\n", "[AGENTS.md](AGENTS.md)\n"])
def test_a_file_that_names_another_in_words_imports_it_on_top(project: Project, text: str) -> None:
    folder = project({"AGENTS.md": "# Rules\n\nBe kind.\n", "CLAUDE.md": text})
    apply(Root(folder), one(folder, "shadowed").remedy.steps)
    assert (folder / "CLAUDE.md").read_text().startswith("@AGENTS.md\n")
    assert (folder / "CLAUDE.md").read_text().endswith(text)
    assert found(folder, "shadowed") == []


def test_what_only_a_person_can_write_has_no_change(project: Project) -> None:
    assert one(project({"CLAUDE.md": "[a](gone.md)\n"}), "broken-link").remedy.steps == ()
