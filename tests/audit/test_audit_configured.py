"""Configuration that points nowhere, names that agents do not know, and text that contradicts the project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import run_audit
from ctxtui.audit.types import Finding, Fix
from ctxtui.session.budget import Budget
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import found, ignore, one, skill
from tests.cases import cases
from tests.conftest import Project

_AGENT = "---\nname: review\ndescription: Reviews changes. Use it before each commit.\n{}\n---\nReview it.\n"
_FILE = ".claude/settings.json"
_HOOK = {"hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/.claude/hooks/check.sh"}]}
_SERVERS = {
    "shop": {"command": "node", "args": ["tools/shop.js"]},
    "docs": {"type": "http", "url": "https://mcp.example.com/mcp"},
    "any": {"command": "npx", "args": ["-y"]},
    "all": {"command": "npx -y shop@1.2.3"},
}
PLANTED = {
    "CLAUDE.md": "# Shop\n\nRun `npm run lint` and `npm run biuld`, then `make deploy`.\nThe app uses React 17.\n\n"
    "Lines have a line length of 120 and 2-space indentation.\n\nSee [the guide](docs/guide.md).\nThe entry is `src/mian.ts`.\n",
    "package.json": '{"packageManager": "pnpm@9.1.0", "prettier": {"printWidth": 100, "tabWidth": 4}, "scripts": {"build": "tsc",'
    ' "lint": "eslint ."}, "dependencies": {"react": "^19.0.0", "vite": ">=6.1", "zod": "^3.0 || ^4.1"}, "engines": {"node": "18 || >=20"}}\n',
    "pnpm-lock.yaml": "",
    "Makefile": "test:\n\ttrue\n",
    "src/main.ts": "",
    ".claude/agents/review.md": _AGENT.format("tools: Read, Grep, LS\nmodel: sonnnet"),
    ".claude/settings.json": json.dumps({"hooks": {"PreToolUse": [_HOOK], "PreToolUs": []}}),
    ".claude/rules/m.md": '---\npaths: ["migrations/**"]\n---\nBe kind.\n',
    ".mcp.json": json.dumps({"mcpServers": _SERVERS}),
}
"""A small project with a fault in nearly every line."""


def _report(root: Path) -> Report:
    workspace = Workspace.open(root, on_notice=ignore)
    return run_audit(workspace, Budget(), load_config(workspace.root, on_notice=ignore), on_notice=ignore)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("conflicting-text", "says 2 times something else than package.json:1, such as `npm run lint`: it says pnpm"),
        ("conflicting-text", "says `React 17`, but package.json:1 says `^19.0.0`"),
        ("conflicting-text", "says `line length of 120`, but package.json:1 says 100"),
        ("conflicting-text", "says `2-space indent`, but package.json:1 says 4"),
        ("missing-command", "runs `npm run biuld`, but package.json has no script biuld; write `npm run build`"),
        ("missing-command", "runs `make deploy`, but Makefile has no target deploy"),
        ("unknown-name", "Claude Code no longer knows the tool `LS`; remove it"),
        ("unknown-name", "Claude Code does not know the model `sonnnet`; write `sonnet`"),
        ("unknown-name", "Claude Code does not know the hook event `PreToolUs`; write `PreToolUse`"),
        ("missing-file", "a hook runs .claude/hooks/check.sh, which does not exist"),
        ("missing-file", "the MCP server shop runs tools/shop.js, which does not exist"),
        ("broken-server", "the MCP server docs has a URL that leads nowhere: https://mcp.example.com/mcp"),
        ("broken-server", "the MCP server any runs npx without a package"),
        ("broken-server", "the MCP server all runs a program named 'npx -y shop@1.2.3'"),
        ("dead-glob", "`migrations/**` matches no file; the rule never loads"),
        ("broken-link", "links to docs/guide.md, which does not exist"),
        ("missing-path", "names `src/mian.ts`, which does not exist; write `src/main.ts`"),
    ],
)
def test_every_planted_fault_is_found(planted: list[Finding], rule: str, words: str) -> None:
    assert any(each.rule == rule and words in each.message for each in planted)


def test_a_program_of_several_words_differs_from_one_without_arguments(project: Project) -> None:
    servers = _servers(all={"command": "npx -y @shop/server"}, bare={"command": "npx"})
    findings = _report(project(servers)).findings
    assert sorted(each.message.partition(";")[0] for each in findings if each.rule == "broken-server") == [
        "the MCP server all runs a program named 'npx -y @shop/server'",
        "the MCP server bare runs npx without a package",
    ]


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    root = tmp_path_factory.mktemp("planted")
    for path, text in PLANTED.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return list(_report(root).findings)


@cases(
    "text",
    [
        "Run `pnpm run lint`, as `npm run lint` in pnpm would.\n",
        "Run `npm run lint`, or `pnpm run lint`.\n",
        "Run `cd docs && npm run lint`.\n",
        "Upgrade from React 17.\n",
        "It supports React 17 and 19.\n",
        "It needs React 19.\n",
        "It needs Vite 7 and Zod 4, on Node 18.\n",
        "TypeScript strict + ESLint 0, ESLint 0 errors, React 17 components, Vite 3/5.\n",
        "A commit message has a line length of 72.\n",
        "The line length is 100, with 4-space indentation.\n",
        "Indent nested lists by 2 spaces.\n",
        "```ts\nconst react = 'React 17'\n```\n",
        # The label of a task is no command.
        "- `npm watch (functions)`: watch\n",
    ],
)
def test_text_about_something_else_contradicts_nothing(project: Project, text: str) -> None:
    root = project({**PLANTED, "CLAUDE.md": text})
    assert [*found(root, "conflicting-text"), *found(root, "missing-command")] == []


@cases("folder", ["", "apps/#1/"])
def test_the_line_of_what_contradicts_a_text_is_that_of_its_key(project: Project, folder: str) -> None:
    scripts, versions = {"dev": "electron-vite dev"}, {"zod": "1", "electron": "^38.0.0"}
    manifest = json.dumps({"scripts": scripts, "dependencies": versions}, indent="\t")
    root = project({"CLAUDE.md": "It runs on Electron 37.\n", f"{folder}package.json": manifest})
    finding = one(root, "conflicting-text")
    assert finding.severity == "info"
    assert finding.message == f"says `Electron 37`, but {folder}package.json:7 says `^38.0.0`"


@cases(
    ("said", "written"),
    [
        ("pnpm test", "bun run test"),
        ("pnpm dev", "bun dev"),
        ("npm run build", "bun run build"),
        ("pnpm --filter web dev", ""),
        ("yarn workspace web dev", ""),
        ("npm run dev -w web", ""),
        ("npm run dev -- --watch", ""),
    ],
)
def test_a_command_is_told_for_the_manager_of_the_project(project: Project, said: str, written: str) -> None:
    package = json.dumps({"scripts": {"test": "x", "build": "x", "dev": "x"}})
    root = project({"CLAUDE.md": f"Run `{said}`.\n", "package.json": package, "bun.lock": ""})
    remedy = one(root, "conflicting-text").remedy
    assert (remedy.hint, remedy.words) == (written, f"write `{written}`" if written else "write bun instead")
    assert len(remedy.steps) == bool(written)


def test_what_contradicts_several_statements_is_one_place(project: Project) -> None:
    text = "Run `npm test`.\n\nThen run `npm run lint`.\n\nIt needs React 17.\n"
    manifest = {"scripts": {"test": "x", "lint": "x"}, "dependencies": {"react": "^19.0.0"}}
    files = {"CLAUDE.md": text, "sub/CLAUDE.md": "It needs React 17.\n", "yarn.lock": ""}
    told = found(project({**files, "package.json": json.dumps(manifest)}), "conflicting-text")
    assert sorted([f"{each.path}:{each.line}" for each in finding.places] for finding in told) == [
        ["CLAUDE.md:1", "CLAUDE.md:3", "yarn.lock:None"],
        ["CLAUDE.md:5", "package.json:1", "sub/CLAUDE.md:1"],
    ]


def test_two_lock_files_or_one_left_over_decide_nothing(project: Project) -> None:
    files = {"CLAUDE.md": "Run `npm test`.\n", "package.json": '{"scripts": {"test": "x"}}', "yarn.lock": ""}
    assert one(project(files), "conflicting-text").remedy.hint == "yarn test"
    assert found(project({**files, "package-lock.json": "{}"}), "conflicting-text") == []
    manifest = '{"packageManager": "pnpm@10.1.0", "scripts": {"lint": "eslint ."}}'
    files = {"CLAUDE.md": "Run `pnpm run lint`.\n", "package-lock.json": "{}", "package.json": manifest}
    assert found(project(files), "conflicting-text") == []


@cases(
    ("keys", "told"),
    [
        ("tools: Read, Bash(git log, git diff), mcp__docs__search\nmodel: inherit", []),
        ("tools: [read, bash]\nmodel: claude-opus-5-5", [("warning", "write `Bash` and `Read`")]),
        ("model: us.anthropic.claude-sonnet-4-v1:0", []),
        ("tools: Reed, WEBFETCH", [("warning", "write `Read` and `WebFetch`")]),
        ("tools:\n  - Read\n  - Task Decomposer", [("info", "")]),
        ("tools: KillBash", [("info", "write `TaskStop`")]),
        ("tools: Teleport, Create", [("info", "")]),
        ("model: gpt-5", [("info", "")]),
    ],
)
def test_a_name_unlike_known_ones_may_be_new(project: Project, keys: str, told: list[tuple[str, str]]) -> None:
    names = found(project({".claude/agents/review.md": _AGENT.format(keys)}), "unknown-name")
    assert [(each.severity, each.remedy.words) for each in names] == told


def test_a_name_is_corrected_below_its_key_alone(project: Project) -> None:
    keys = "hint: Uses Grepp and sonnnet\ntools:\n- Grepp\nmodel: sonnnet\ndisallowedTools: Grepp"
    findings = found(project({".claude/agents/review.md": _AGENT.format(keys)}), "unknown-name")
    steps = [step for each in findings for step in each.remedy.steps if isinstance(step, Fix)]
    written = {6: "- Grep", 7: "model: sonnet", 8: "disallowedTools: Grep"}
    assert sorted((step.line, step.after) for step in steps) == [*written.items()]


def _servers(**entries: object) -> dict[str, str]:
    return {"CLAUDE.md": "x\n", ".mcp.json": json.dumps({"mcpServers": entries})}


@cases(
    "entry",
    [
        {"command": "npx", "args": ["-y", "@scope/server@1.2.3"]},
        {"command": "uvx", "args": ["--from", "git+https://host/x.git@main", "x"]},
        {"command": "uvx", "args": ["--from", "git+ssh://git@host/me/x@main", "x"]},
        {"command": "npx", "args": ["github:me/x#v1"]},
        {"command": "docker", "args": ["run", "-w", "/home/node/app", "image:1"]},
        {"command": "node", "args": ["dist/server.js", "${HOME}/notes"]},
        {"command": "node", "args": ["src/main.ts"]},
        {"type": "http", "url": "${HOST}/mcp"},
    ],
)
def test_a_server_that_can_start_is_not_told(project: Project, entry: dict[str, object]) -> None:
    assert list(_report(project({"src/main.ts": "", **_servers(one=entry)})).findings) == []


@cases("path", ["web/CLAUDE.md", ".cursor/rules/web.mdc", ".claude/agents/web.md", ".claude/skills/web/SKILL.md"])
def test_a_version_counts_in_texts_of_the_project_only(project: Project, path: str) -> None:
    text = "---\nname: web\ndescription: Pages\nglobs: web/**\n---\n\nPages are made with React 17.\n"
    manifest = '{"dependencies": {"react": "^19.0.0", "vite": ">=6.1", "zod": "^3.0 || ^4.1"}}'
    findings = found(project({path: text, "web/package.json": manifest, "web/a.ts": ""}), "conflicting-text")
    told = "says `React 17`, but web/package.json:1 says `^19.0.0`"
    assert [each.fact for each in findings] == [told] * (not path.startswith(".claude"))


def test_servers_without_a_version_are_one_note(project: Project) -> None:
    servers = {name: {"command": "npx", "args": ["-y", f"@scope/{name}"]} for name in ("one", "two")}
    (finding,) = _report(project(_servers(**servers))).findings
    assert (finding.rule, finding.severity, finding.count) == ("broken-server", "info", 2)
    told = "2 entries of MCP servers take the newest version at every start; name a version, as in `NAME@1.2.3`"
    assert finding.message == told


@cases(
    ("entry", "says"),
    [
        ({"command": "uvx", "args": ["--from", "git+https://host/me/x", "x"]}, "start; name a tag or a commit"),
        ({"command": "npx", "args": ["env-cli@1.0.0", "--", "npx", "-y", "notes"]}, "takes the newest notes at"),
        ({"command": "/Users/ann/bin/notes"}, "names /Users/ann/bin/notes, a path of one machine"),
        ({"command": "node", "args": ["--root=C:\\Users\\ann"]}, "names --root=C:\\Users\\ann, a path of"),
        (
            {"command": "dotenv", "args": ["-e", "/home/ann/.env", "--", "npx", "x@1.0"]},
            "names /home/ann/.env, a path of one",
        ),
        ({"command": "php", "cwd": "/Users/ann/devel/shop"}, "names /Users/ann/devel/shop, a path of one machine"),
        ({"command": "node", "args": ["/path/to/server.js"]}, "names /path/to/server.js, a placeholder"),
    ],
)
def test_an_entry_that_works_for_some_only_is_a_note(project: Project, entry: dict[str, object], says: str) -> None:
    (finding,) = _report(project(_servers(one=entry))).findings
    assert (finding.rule, finding.severity) == ("broken-server", "info")
    assert says in finding.message


def test_a_permission_is_no_matcher_of_a_hook(project: Project) -> None:
    groups = [{"matcher": name, "hooks": []} for name in ("Bash(gh pr review*)", "Edit|Write", "mcp__x__.*")]
    finding = one(project({".claude/settings.json": json.dumps({"hooks": {"PreToolUse": groups}})}), "unknown-name")
    told = "Claude Code does not know the matcher `Bash(gh pr review*)`; write `Bash`"
    assert (finding.severity, finding.message) == ("warning", told)


@cases(
    ("named", "severity", "words"),
    [
        (["Write(src/**)"], "warning", "write `Edit(src/**)`"),
        (["NotebookEdit(a.ipynb)"], "warning", "write `Edit(a.ipynb)`"),
        (["Write(src/**)", "Edit(src/**)"], "info", "remove it: `Edit(src/**)` is there"),
        (["Bash(git:log:*)"], "warning", "write `Bash(git log:*)`"),
        (["Bash(git log:*)", "Bash(git:*)", "Bash(npm run a:b:*)"], "", ""),
        (["WebFetch(domain:a.dev/docs)"], "warning", "write `WebFetch(domain:a.dev)`"),
        (["Read(/etc/**)"], "warning", "write `Read(//etc/**)`"),
        (["Write(/tmp/)"], "warning", "write `Edit(//tmp/)`"),
        (["Read(/home/**)", "Read(//etc/**)", "Read(/src/**)"], "", ""),
        (["Write", "Write(*)", "WebFetch(domain:a.dev)", "Write(**)", "Read(src/**)", "Edit(src/**)"], "", ""),
    ],
)
def test_a_permission_says_what_it_is_for(project: Project, named: list[str], severity: str, words: str) -> None:
    settings = json.dumps({"permissions": {"deny": named}}, indent=1)
    root = project({".claude/settings.json": settings, "home/a.md": ""})
    told = [(each.severity, each.remedy.words) for each in found(root, "unknown-name")]
    assert told == [(severity, words)] * bool(severity)


@cases(
    ("shared", "own", "told"),
    [
        ({"allow": ["Edit", "Write(src/**)"]}, {}, [("info", 5, "remove it: `Edit` is there")]),
        ({"allow": ["Edit(a)"]}, {"allow": ["Write(a)"]}, [("info", 4, "remove it: `Edit(a)` is there")]),
        ({"allow": ["Write(src/**)"]}, {"allow": ["Edit(src/**)"]}, [("warning", 4, "write `Edit(src/**)`")]),
        ({"allow": ["Edit(a)"], "deny": ["Write(a)"]}, {}, [("warning", 7, "write `Edit(a)`")]),
        ({"deny": ["Edit(a)"], "allow": ["Write(a)"]}, {}, [("info", 7, "remove it: `Edit(a)` is there")]),
        ({"allow": ["Write(a)"], "deny": ["Write(a)"]}, {}, [("warning", 4, "write each like `Edit(a)`")]),
        ({"additionalDirectories": ["Docs"], "allow": [["Write(a)"], 1]}, {}, []),
    ],
)
def test_a_permission_is_not_written_again(
    project: Project, shared: dict[str, list[str]], own: dict[str, list[str]], told: list[tuple[str, int, str]]
) -> None:
    files = {".claude/settings.json": shared, ".claude/settings.local.json": own}
    root = project({path: json.dumps({"permissions": lists}, indent=1) for path, lists in files.items()})
    assert [(each.severity, each.line, each.remedy.words) for each in found(root, "unknown-name")] == told


@cases(
    ("event", "command", "told"),
    [
        ("PreToolUse", "bash -c '[ \"$1\" = a ] || true' --", ["a hook reads `$1`"]),
        ("PostToolUse", "prettier --write $1", ["a hook reads `$1`"]),
        ("PreToolUse", "echo BLOCKED >&2; exit 1", ["a hook forbids something with `exit 1`"]),
        ("PostToolUse", "echo blocked; exit 1", []),
        ("PreToolUse", "test -f a || exit 1", []),
        ("PreToolUse", "jq -r .tool_input | awk '{print $1}'", []),
        ("PreToolUse", 'bash -c \'echo "$1"\' _ "$CLAUDE_PROJECT_DIR"', []),
        ("PreToolUse", "check() { test $1; }; check a", []),
        ("PreToolUse", "echo denied >&2; exit 2", []),
    ],
)
def test_a_hook_has_no_arguments_and_blocks_by_2(project: Project, event: str, command: str, told: list[str]) -> None:
    findings = found(project({".claude/settings.json": _settings(event, command, {})}), "unknown-name")
    assert [each.fact.partition(",")[0].partition(" after")[0] for each in findings] == told
    assert all(each.severity == "warning" for each in findings)


@cases(("timeout", "told"), [(60_000, "write seconds"), (7_200, ""), (60_001, ""), ("60000", ""), (True, "")])
def test_the_timeout_of_a_hook_has_seconds(project: Project, timeout: object, told: str) -> None:
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": timeout}]}]}
    findings = found(project({".claude/settings.json": json.dumps({"hooks": hooks}, indent=1)}), "unknown-name")
    assert [each.remedy.words for each in findings] == [told] * bool(told)


def test_the_line_of_a_hook_is_that_of_its_command(project: Project) -> None:
    commands = ["ls | awk '{print $1}'", 'echo "$1"']
    groups = [{"hooks": [{"type": "command", "command": each} for each in commands]}]
    text = json.dumps({"hooks": {"PostToolUse": groups}}, indent=1)
    finding = one(project({".claude/settings.json": text}), "unknown-name")
    assert text.splitlines()[(finding.line or 0) - 1].endswith(json.dumps(commands[1]))


def test_a_server_with_an_address_and_no_type_is_a_warning_where_only_claude_code_reads_it(project: Project) -> None:
    files = _servers(one={"url": "https://host.dev/mcp"})
    (finding,) = _report(project(files)).findings
    says = 'Claude Code drops the MCP server one, which has a `url` and no `type`; write `"type": "http"`'
    assert (finding.severity, finding.message) == ("warning", says)
    for url in ("https://host.dev/mcp/sse", "${HOST:-http://localhost/sse}"):
        (finding,) = _report(project(_servers(one={"url": url}))).findings
        assert finding.remedy.words == 'write `"type": "sse"`'
    files |= {".github/copilot-instructions.md": "x\n", ".github/agents/a.agent.md": skill("a")}
    for more, severity in (({}, "info"), ({".claude-plugin/plugin.json": '{"name": "one"}'}, "warning")):
        findings = _report(project({**files, **more})).findings
        assert [each.severity for each in findings if each.rule == "broken-server"] == [severity]


@cases(
    ("file", "settings", "told"),
    [
        (".claude/settings.json", {"_x": 1, "$schema": "x", "description": "x", "model": "opus", "hooks": {}}, []),
        (".claude/settings.json", {"permission": {"deny": ["Read"]}}, ["setting `permission`; write `permissions`"]),
        (".claude/settings.json", {"defaultMode": "plan"}, ["`defaultMode`; write `permissions.defaultMode`"]),
        (".claude/settings.json", {"mcpServers": {"one": {}}}, ["`mcpServers`; move it to `.mcp.json`"]),
        (".claude/settings.json", {"mcpServers": {}}, ["does not know the setting `mcpServers`"]),
        (".claude/settings.json", {"agents": {}}, ["Claude Code does not know the setting `agents`"]),
        (".claude/settings.json", {"lsp": {}, "team": "x"}, ["does not know 2 settings, such as `lsp`"]),
        (".gemini/settings.json", {"model": {"name": "x"}, "context": {"fileName": "X.md"}}, []),
        (".gemini/settings.json", {"model": "x", "coreTools": ["ls"]}, ["write `model.name` and `tools.core`"]),
        (".gemini/settings.json", {"theme": "x"}, ["Gemini CLI does not know the setting `theme`; write `ui.theme`"]),
    ],
)
def test_ignored_settings_are_told(project: Project, file: str, settings: dict[str, object], told: list[str]) -> None:
    findings = found(project({file: json.dumps(settings, indent=1)}), "unknown-name")
    assert [words in each.message for each, words in zip(findings, told, strict=True)] == [True] * len(told)
    is_used = any(settings.values())
    assert all(each.severity == ("warning" if each.remedy.words and is_used else "info") for each in findings)


def test_names_that_copilot_knows_may_be_for_it_where_it_is_used(project: Project) -> None:
    agent = {".claude/agents/review.md": _AGENT.format("tools: [read, search]")}
    assert found(project({**agent, ".github/copilot-instructions.md": "x\n"}), "unknown-name") == []
    assert found(project(agent), "unknown-name")


@cases(("there", "words"), [("one", "remove it: `.mcp.json` has it"), ("other", "move it to `.mcp.json`")])
def test_servers_that_are_in_the_right_file_too_are_removed(project: Project, there: str, words: str) -> None:
    lists = {path: json.dumps({"mcpServers": {name: {}}}) for path, name in ((".mcp.json", there), (_FILE, "one"))}
    assert one(project(lists), "unknown-name").remedy.words == words


@cases(
    ("hooks", "remedy", "steps"),
    [
        ({"pre_tool_use": []}, "write `PreToolUse`", 1),
        ({"user-prompt-submit": {"command": "x"}}, "write `UserPromptSubmit`, with a list of hooks", 0),
        ({"configFile": "hooks.yaml"}, "", 0),
        # In two spellings, it is to be removed once.
        ({"preToolUse": [], "PreToolUse": []}, "remove it: `PreToolUse` is there", 0),
    ],
)
def test_an_event_has_its_name(project: Project, hooks: dict[str, object], remedy: str, steps: int) -> None:
    for indent in (None, 1):
        settings = json.dumps({"hooks": hooks}, indent=indent)
        finding = one(project({".claude/settings.json": settings}), "unknown-name")
        assert (finding.subject, finding.remedy.words) == (f"hook event {next(iter(hooks))}", remedy)
        assert len(finding.remedy.steps) == steps, indent


def test_a_key_in_another_spelling_has_its_name(project: Project) -> None:
    text = "---\nname: pay\ndescription: Pays.\nallowed_tools: Read\nowner: me\nversion: 1\n---\nPay.\n"
    finding = one(project({".claude/skills/pay/SKILL.md": text}), "unknown-name")
    assert finding.message == "Claude Code does not know the key `allowed_tools`; write `allowed-tools`"


@cases(
    ("path", "keys", "told"),
    [
        (".claude/agents/pay.md", "allowedTools: Read", True),
        ("agents/pay.md", "allowed-tools: Read", True),
        (".claude/agents/pay.md", "tools: Read\nallowedTools: Read", False),
        (".claude/agents/pay.md", "tools: Read", False),
        # Nobody reads the keys of what a skill names.
        (".claude/skills/a/agents/pay.md", "allowedTools: Read", False),
    ],
)
def test_the_tools_of_a_subagent_have_their_own_key(project: Project, path: str, keys: str, told: bool) -> None:
    text = f"---\nname: pay\ndescription: Pays.\n{keys}\n---\nPay.\n"
    findings = found(project({path: text, ".claude-plugin/plugin.json": '{"name": "shop"}'}), "unknown-name")
    assert [(each.severity, each.line, each.remedy.hint) for each in findings] == [("warning", 4, "tools")] * told


def _settings(event: str, command: str, env: object = None) -> str:
    hooks = [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]
    return json.dumps({"hooks": {event: hooks}, "env": env or {}}, indent=1)


@cases(
    ("command", "env", "told"),
    [
        ("ruff check --fix $CLAUDE_FILE_PATHS", {}, "CLAUDE_FILE_PATHS"),
        ('echo "${CLAUDE_TOOL_INPUT:-x}"', {}, "CLAUDE_TOOL_INPUT"),
        ("CLAUDE_FILE_PATH=$(jq -r .tool_input.file_path); cat $CLAUDE_FILE_PATH", {}, ""),
        ("cat $CLAUDE_TOOL_HOME/x", {"CLAUDE_TOOL_HOME": "/x"}, ""),
        ("cat $CLAUDE_PROJECT_DIR/x $CLAUDE_ENV_FILE", {}, ""),
    ],
)
def test_a_variable_that_no_hook_gets_is_told(project: Project, command: str, env: dict[str, str], told: str) -> None:
    findings = found(project({".claude/settings.json": _settings("PostToolUse", command, env)}), "unknown-name")
    assert [each.message for each in findings] == [
        f"Claude Code does not know the variable `{told}`; read it from the JSON on the standard input"
    ] * bool(told)


@cases(
    ("event", "command", "steps"),
    [
        ("PreToolUse", ".claude/check.sh --all", 1),
        ("PreToolUse", ".claude/check.sh && cd sub", 1),
        ("Stop", "python3 -u .claude/check.sh", 1),
        ("Stop", 'bash "./.claude/check.sh"', 0),
        ("Stop", '"$CLAUDE_PROJECT_DIR"/.claude/check.sh', None),
        ("Stop", 'cd "$CLAUDE_PROJECT_DIR" && .claude/check.sh', None),
        ("Stop", "echo run .claude/check.sh", None),
        ("Stop", "test -f .claude/check.sh && .claude/check.sh", None),
        ("SessionStart", ".claude/check.sh", None),
    ],
)
def test_a_hook_by_a_relative_path_is_a_note(project: Project, event: str, command: str, steps: int | None) -> None:
    files = {".claude/check.sh": "", "CLAUDE.md": "x\n", ".claude/settings.json": _settings(event, command)}
    root = project(files)
    (root / ".claude/check.sh").chmod(0o755)
    findings = found(root, "missing-file")
    assert [(each.severity, len(each.remedy.steps)) for each in findings] == [("info", steps)] * (steps is not None)
    stays = _settings(event, command, {"CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR": "1"})
    (root / ".claude/settings.json").write_text(stays)
    assert found(root, "missing-file") == []


_LAST = "a last comma, which other agents take"
_SKIPPED = "Claude Code skips the whole file: a comment or a last comma, which other agents take"


@cases(
    ("file", "text", "told"),
    [
        (".claude/settings.json", '{\n  // no hooks\n  "hooks": {}\n}\n', _SKIPPED),
        (".claude/settings.local.json", '{\n  "a": 1,}\n', _SKIPPED),
        (".claude/settings.json", '{"hooks": {}}\n', ""),
        (".claude/settings.json", "", ""),
        (".mcp.json", '{\n"mcpServers": []}\n', "none of its MCP servers: `mcpServers` is no table of servers"),
        (".mcp.json", '{"servers": {},\n "a" 1}\n', "none of its MCP servers: Expecting ':' delimiter"),
        (".cursor/mcp.json", '{"mcpServers": {},\n]\n', "Cursor starts none of its MCP servers: Expecting"),
        (".cursor/mcp.json", '// ours\n{"mcpServers": {},}\n', ""),
        (".gemini/settings.json", '{\n  "a": 1,\n}\n', f"Gemini CLI does not start: {_LAST}"),
        (".gemini/settings.json", '{\n  // why\n  "a": 1\n}\n', ""),
        (".codex/config.toml", '[mcp_servers.a]\ncommand = "x\n', "OpenAI Codex does not start in a project that it"),
        (".codex/config.toml", 'model = "x"\n', ""),
        (".vscode/mcp.json", '{"servers": {},,}', ""),
        ("web/.gemini/settings.json", "{", ""),
    ],
)
def test_a_configuration_that_is_refused_is_an_error(project: Project, file: str, text: str, told: str) -> None:
    memory = {"CLAUDE.md": "x\n", "AGENTS.md": "x\n", "GEMINI.md": "x\n", ".cursor/rules/a.md": "x\n"}
    findings = found(project({**memory, file: text}), "refused-configuration")
    assert [each.severity for each in findings] == ["error"] * bool(told)
    assert all(told in each.fact and each.path == file and each.line in (2, 3) for each in findings)


@cases(
    ("file", "key", "beside", "reads"),
    [
        (".cursor/mcp.json", "servers", "", "Cursor loads no MCP servers from this file: it reads `mcpServers`"),
        (".vscode/mcp.json", "mcpServers", "", "VS Code loads no MCP servers from this file: it reads `servers`"),
        (".mcp.json", "servers", "", "Claude Code loads no MCP servers from this file: it reads `mcpServers`"),
        (".mcp.json", "servers", "Shop.sln", ""),
        (".cursor/mcp.json", "mcpServers", "", ""),
        (".vscode/mcp.json", "servers", "", ""),
        ("mcp.json", "servers", "", ""),
    ],
)
def test_servers_under_a_wrong_key_are_told(project: Project, file: str, key: str, beside: str, reads: str) -> None:
    servers = {key: {"one": {"command": "node", "args": ["./one.js", key]}}}
    files = {file: json.dumps(servers), "one.js": "", **({beside: ""} if beside else {})}
    told = found(project(files), "broken-server")
    assert [reads in each.message for each in told] == [True] * bool(reads)
    assert all(len(each.remedy.steps) == 1 for each in told)


@cases(
    ("command", "mode", "is_told"),
    [
        ('"$CLAUDE_PROJECT_DIR"/.claude/hooks/a.sh', 0o644, True),
        ("cat x | $CLAUDE_PROJECT_DIR/.claude/hooks/a.sh", 0o644, True),
        ("cat x\n./.claude/hooks/a.sh", 0o644, True),
        ('"$CLAUDE_PROJECT_DIR"/.claude/hooks/a.sh', 0o755, False),
        ('bash "$CLAUDE_PROJECT_DIR"/.claude/hooks/a.sh', 0o644, False),
        ('"$HOME/bin/python" "$CLAUDE_PROJECT_DIR"/.claude/hooks/a.sh', 0o644, False),
        ("cd sub && ./.claude/hooks/a.sh", 0o644, False),
    ],
)
def test_a_hook_runs_only_files_that_may_be_executed(
    project: Project, command: str, mode: int, is_told: bool
) -> None:
    root = project({".claude/settings.json": _settings("PreToolUse", command), ".claude/hooks/a.sh": "exit 0\n"})
    (root / ".claude/hooks/a.sh").chmod(mode)
    told = [each.message for each in found(root, "missing-file")]
    fault = "a hook runs .claude/hooks/a.sh, which nobody may execute"
    assert told == [f"{fault}; run `chmod +x .claude/hooks/a.sh`"] * is_told
