"""Skills and commands that texts call and nothing defines, and numbers over lists of another length."""

from tests.audit.auditing_helpers import found, one, skill
from tests.cases import cases
from tests.conftest import Project

_FILES = {".claude/skills/ship-it/SKILL.md": skill("ship-it"), ".claude/commands/review-all.md": "Review.\n"}


@cases(
    ("text", "written"),
    [
        ("Use the `write-plans` skill first.", "write-plans"),
        ("Then call the skill **write-plans**.", "write-plans"),
        ("## Skills\n\n| /write-plans | Plans |", "/write-plans"),
        ("Run `/review-all`, then `/write-plans docs`.", "/write-plans"),
        ("- **superpowers:write-plans** - Creates the plan", "superpowers:write-plans"),
        ("**REQUIRED SUB-SKILL:** Use superpowers:write-plans", "superpowers:write-plans"),
        ("REQUIRED BACKGROUND: You MUST understand superpowers:write-plans before.", "superpowers:write-plans"),
        ('```\nTask(\n  subagent_type="plan-writer",\n```', "plan-writer"),
        ('```\n{"subagent_type": "plan-writer"}\n```', "plan-writer"),
        ('For example, start one:\n\n```\nTask(subagent_type="plan-writer")\n```', ""),
        ('<!--\nTask(subagent_type="plan-writer")\n-->', ""),
        ("```\nTask(subagent_type: 'ship-it')\nTask(subagent_type='general-purpose')\n```", ""),
        ("Use the `ship-it` skill and `/review-all`.", ""),
        ("## Tools (installed in ~/.claude/commands)\n\n| /write-plans | Plans |", ""),
        ("The page is `/write-plans`.", ""),
        ("The logs are at `/debug-logs`.", ""),
        ("For example the `write-plans` skill.", ""),
        ("Do not use the `write-plans` skill.", ""),
        ("The `write-plans` skill of the plugin plans.", ""),
        ("See the `write-plans` skill (https://example.org).", ""),
        ("Use the `code-review` skill.", ""),
        ("Use the `frontend-design` skill.", ""),
        ("Utilise le skill `write-plans` si disponible.", ""),
        ("Ask @agent-plan-writer for plans.", "@agent-plan-writer"),
        ("Ask each as `@agent-name`, after @agent-plan-writer.", "@agent-plan-writer"),
        ("Ask @agent-ship-it, or @agent-general-purpose.", ""),
        ("```\nUse the `write-plans` skill.\n```", ""),
    ],
)
def test_a_skill_that_a_text_calls_has_to_exist(project: Project, text: str, written: str) -> None:
    findings = found(project({**_FILES, "CLAUDE.md": f"# A\n\n{text}\n"}), "missing-command")
    assert [(each.subject, each.severity) for each in findings] == [(written, "info")] * bool(written)


@cases(
    "files",
    [
        {".claude/settings.json": '{"enabledPlugins": {"plans@acme": true}}'},
        {"agents.toml": "[[skills]]\nname = 'write-plans'\n"},
        {".gitignore": ".claude/skills/write-*\n"},
        {"docs/write-plans.md": "Plans.\n"},
        {".cursor/rules/plans/RULE.md": "x\n", ".claude/agents/plans.md": skill("write-plans")},
    ],
)
def test_a_skill_may_come_from_elsewhere(project: Project, files: dict[str, str]) -> None:
    root = project({**_FILES, **files, "CLAUDE.md": "Use the `write-plans` skill first.\n"})
    assert found(root, "missing-command") == []


def test_the_missing_skills_of_a_text_are_one_finding(project: Project) -> None:
    text = "# Skills\n\n- `/ship-it` ships\n- `/write-plans` plans\n- the `fix-types` skill fixes\n"
    told = "names 2 skills, commands and subagents that nothing in the project defines, such as `/write-plans`"
    assert one(project({**_FILES, "CLAUDE.md": text}), "missing-command").fact == told


@cases(
    ("text", "told"),
    [
        ("## 3 Layers\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", "“3 Layers”, but the table below has 2 rows"),
        ("## The three layers\n\n- a\n  - of a\n- b", "says “The three layers”, but the list below has 2 items"),
        ("## Two parts\n\n1. a\n\n   More.\n2. b\n3. c\n\nThen more.\n\n- d", "3 items"),
        ("## 2 Layers\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", ""),
        ("## 2-3 Layers\n\n- a", ""),
        ("## 03 Layers\n\n- a\n- b", ""),
        ("## 9 Layers\n\n- a\n- b", ""),
        ("## 2 Layers\n\nSome words.\n\n- a\n- b\n- c", ""),
        ("```\n## 3 Layers\n\n- a\n- b\n```", ""),
        ("## 1 Aims\n\n- a\n- b\n\n## 2 Layers\n\n- a\n- b\n- c", ""),
        ("## 1. Aims\n\n## 3 Layers\n\n- a\n- b", "says “3 Layers”, but the list below has 2 items"),
    ],
)
def test_a_number_is_that_of_the_list_below(project: Project, text: str, told: str) -> None:
    facts = [each.fact for each in found(project({"CLAUDE.md": f"# A\n\n{text}\n"}), "conflicting-text")]
    assert [fact.endswith(told) for fact in facts] == [True] * bool(told)


def test_a_form_feed_ends_no_line(project: Project) -> None:
    files = {"CLAUDE.md": "# A\n\n- `src/app.py` (50 lines): the entry\n", "src/app.py": "x = 1\f\n" * 50}
    assert found(project(files), "conflicting-text") == []


@cases(
    ("said", "told"),
    [
        ("`src/app.py` (40 lines)", "says that src/app.py has 40 lines, but it has 50"),
        ("`/src/app.py` (1,040 lines)", "says that src/app.py has 1,040 lines, but it has 50"),
        ("`src/app.py` (~48 lines)", ""),
        ("`src/gone.py` (40 lines)", ""),
        ("`src/app.py` (lines 40 to 50)", ""),
    ],
)
def test_a_number_of_lines_is_that_of_the_file(project: Project, said: str, told: str) -> None:
    root = project({"CLAUDE.md": f"# A\n\n- {said}: the entry\n", "src/app.py": "x = 1\n" * 50})
    assert [each.fact for each in found(root, "conflicting-text")] == [told] * bool(told)


_SIDES = "<<<<<<< HEAD\nUse tabs.\n=======\nUse spaces.\n>>>>>>> topic\n"


@cases(
    ("text", "line"),
    [
        (_SIDES, 3),
        (_SIDES.replace("\n", "\r\n"), 3),
        (_SIDES.replace("\n", "\r"), 3),
        (f"{_SIDES}\n```text\n{_SIDES}```\n", 3),
        (f"```text\n{_SIDES}```\n", 0),
        ("Use tabs.\n=======\n\nOr spaces.\n", 0),
        (_SIDES.replace("=======", "======== ="), 0),
    ],
)
def test_both_sides_of_a_merge_are_a_warning(project: Project, text: str, line: int) -> None:
    findings = found(project({"AGENTS.md": f"# A\n\n{text}"}), "conflicting-text")
    assert [(each.severity, each.line) for each in findings] == [("warning", line)] * bool(line)


@cases(("path", "is_told"), [("AGENTS.md", True), (".github/instructions/markdown.instructions.md", False)])
def test_a_length_of_lines_may_be_that_of_texts(project: Project, path: str, is_told: bool) -> None:
    files = {path: "---\napplyTo: '**'\n---\n\nThe line length is 400.\n", ".prettierrc": '{"printWidth": 100}\n'}
    assert bool(found(project(files), "conflicting-text")) == is_told


@cases(("config", "is_told"), [(".flake8", True), (".flake8.cfg", False)])
def test_a_length_of_lines_may_be_that_of_a_linter(project: Project, config: str, is_told: bool) -> None:
    files = {
        "AGENTS.md": "# A\n\nflake8 has a line length of 119.\n",
        "pyproject.toml": "[tool.black]\nline-length = 88\n",
        config: f"[flake8]\nmax-line-length = {99 if is_told else 119}\n",
    }
    assert bool(found(project(files), "conflicting-text")) == is_told


@cases(
    ("command", "remedy"),
    [
        ("/shop:check", ["write `/check`"]),
        ("/kit:check", []),
        ("/db:move", []),
        ("/shop:move", ["write `/move`"]),
        ("/other:thing", []),
        ("/shop:app", []),
    ],
)
def test_a_command_has_the_name_of_its_folder_or_plugin(project: Project, command: str, remedy: list[str]) -> None:
    files = {
        "CLAUDE.md": f"# Slash commands\n\n| {command} | all |\n| `{command}` | all |\n",
        ".claude/commands/check.md": "Check.\n",
        ".claude/commands/db/move.md": "Move.\n",
        ".claude-plugin/plugin.json": '{"name": "kit"}',
        "sub/.claude-plugin/plugin.json": '{"name": ["kit"]}',
        "src/app.ts": "",
    }
    assert [each.remedy.words for each in found(project(files), "missing-command")] == remedy
