"""The rule about commands that no manifest of the project defines."""

import json
import time

from ctxtui import Workspace
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.references.commands import missing_commands
from ctxtui.audit.rules.references.conflicts import conflicts
from ctxtui.audit.types import Fix
from tests.audit.auditing_helpers import found, one, skill
from tests.audit.manifests import MANIFESTS as FILES
from tests.audit.manifests import PACKAGE
from tests.cases import cases
from tests.conftest import Project


@cases(
    ("command", "says"),
    [
        ("npm run lint-fix", "has no script lint-fix; write `npm run lint:fix`"),
        ("yarn fix-lint", "has no script fix-lint; write `yarn lint:fix`"),
        ("pnpm run gone -- --watch", "`pnpm run gone`, but package.json has no script gone"),
        ("yarn db:seed", "has no script db:seed"),
        ("CI=1 bun run --silent db:seed", "has no script db:seed"),
        ("npm build", "which npm takes for a command of its own and does not know; write `npm run build`"),
        ("make docs", "Makefile has no target docs"),
        ("make all V=1 && make -j4 realease", "has no target realease; write `make -j4 release`"),
        ("just bakee", "justfile has no recipe bakee; write `just bake`"),
        ("task geen", "Taskfile.yml has no task geen; write `task gen`"),
        ("composer run gone", "composer.json has no script gone"),
        ("tox -e lint", "tox.ini has no environment lint"),
        ("uv run nox -s docs", "noxfile.py has no session docs"),
        ("poe gone", "pyproject.toml has no task gone"),
        ("deno task gone", "deno.json has no task gone"),
        ("pre-commit run black --all-files", "has no hook black"),
    ],
)
def test_a_command_that_no_manifest_defines_is_reported_in_code(project: Project, command: str, says: str) -> None:
    for text in (f"# A\n\nRun `{command}` first.\n", f"# A\n\n```sh\n$ {command}  # now\n```\n"):
        finding = one(project({**FILES, "AGENTS.md": text}), "missing-command")
        assert (finding.severity, finding.line) == ("warning", 3 if "first" in text else 4)
        assert says in finding.message


@cases(
    ("name", "manifest"),
    [
        (".pre-commit-config.yaml", "repos: &all\n- hooks: &o\n  - id: &n fmt\n- {hooks: *o, repo: *n}\nci: *all\n"),
        *(
            (".pre-commit-config.yaml", text)
            for text in ("a: b", "repos:", "repos: [1, {a: b}, {hooks: [c]}, {hooks: d}]")
        ),
        *(("pyproject.toml", text) for text in ("tool = 3", "[tool]\npoe = 1", "[tool.poe]\ntasks = 3")),
        *(("Taskfile.yml", f"tasks: {text}") for text in ("", "[a]", "{a: [b], c: {aliases: d}}")),
    ],
)
def test_a_manifest_of_any_form_is_read(project: Project, name: str, manifest: str) -> None:
    command = {"pyproject.toml": "poe gone", "Taskfile.yml": "task gone"}.get(name, "pre-commit run gone")
    told = found(project({name: manifest, "AGENTS.md": f"# A\n\nRun `{command}`.\n"}), "missing-command")
    assert [each.subject for each in told] in (["gone"], [])


@cases(
    ("files", "told"),
    [
        (
            {"package.json": '{"scripts": {"build\\\\xyz": "x"}}', "AGENTS.md": "Run `npm run build-xyz`.\n"},
            ["build-xyz"],
        ),
        # Refs of a command are no hooks.
        ({**FILES, "AGENTS.md": "```sh\npre-commit run ruff --from-ref main --to-ref HEAD\n```\n"}, []),
        ({**FILES, "AGENTS.md": "```sh\npre-commit run --from-ref main\n```\n"}, []),
        # Rules for files of a folder are read there.
        ({**FILES, ".cursor/rules/a.mdc": "---\nglobs: apps/web/**\n---\nRun `npm run preview`.\n"}, []),
        # What is kept for a skill is no text of the project, whatever its name.
        ({**FILES, ".gemini/skills/a/GEMINI.md": "Run `npm run start`.\n"}, []),
        # The folder that a line enters decides alone.
        ({**FILES, "AGENTS.md": "Run `cd apps/web && npm run db:seed`.\n"}, ["db:seed"]),
        (
            {**FILES, "AGENTS.md": "Run `cd apps/web && npm run build`, then `cd apps/web && npm run preview`.\n"},
            ["build"],
        ),
        ({**FILES, "AGENTS.md": "Run `cd apps/lost && npm run build`.\n"}, []),
        ({**FILES, "AGENTS.md": "Run `cd apps && npm run --prefix web preview`, `cd apps && make -C .. all`.\n"}, []),
        ({**FILES, "AGENTS.md": "Run `cd apps/web && (cd ../.. && npm run build)`.\n"}, []),
        # A command is judged by its own sentence.
        ({**FILES, "AGENTS.md": "Run `npm run gone`. Stubs don't work. Never use `npm run lost`.\n"}, ["gone"]),
    ],
)
def test_a_command_is_what_its_sentence_says(project: Project, files: dict[str, str], told: list[str]) -> None:
    assert [each.subject for each in found(project(files), "missing-command")] == told


@cases("name", ["lint:explore", "fix", "lint:fits", "builder"])
def test_a_script_that_is_more_than_one_letter_away_is_not_suggested(project: Project, name: str) -> None:
    assert one(project({**FILES, "AGENTS.md": f"Run `npm run {name}`.\n"}), "missing-command").remedy.hint == ""


@cases(
    "text",
    [
        "`npm run build`, `npm test`, `yarn vitest`, `bun run biome`, `bun run src/a.ts`, `bun builds.mjs`, `pnpm builder`, `npm ci`",
        "`pnpm --filter web preview` and `cd apps/web && npm run preview`",
        "In apps/web, `npm run preview`.",
        "1. Go to it: `cd apps/web`\n2. Install it\n3. `npm run preview`",
        "```sh\ncd apps/web\n```\n\nIt is small.\n\n```sh\nnpm run preview\n```",
        "`make all release x-image`, `make Makefile`, `make main.o`, `make CC=gcc`, `make -C docs html`",
        "`just b`, `just bake it`, `task g`, `composer stan`, `composer install`, `poe fmt`, `deno task serve`",
        "`tox -e py311-unit,style`, `tox -e py`, `nox -s types tests-3.11`, `pre-commit run ruff`",
        "`npm run <script>`, `npm run your-script`, `npm run test:*`, `make`, `make sure that all is well`",
        "Never `npm run gone`. There is no `make gone`. If it exists, `npm run gone`. For example, `make gone`.",
        "Run npm run gone.",
        "```json\nnpm run gone\n```",
        "```sh\ngit clone x && cd x\nnpm run gone\n```",
        "```sh\nnpx @acme/shop my-shop\nnpm run gone\n```",
        "```sh\n# not yet\nnpm run gone\n```",
        "<!--\n`npm run gone`\n-->",
        "## Example\n\n```sh\nnpm run gone\n```",
        "Forbidden commands:\n\n- `npm run gone`\n- `make gone`",
    ],
)
def test_commands_that_exist_or_are_only_shown_are_not_missing(project: Project, text: str) -> None:
    assert found(project({**FILES, "AGENTS.md": f"# A\n\n{text}\n"}), "missing-command") == []


@cases(
    ("path", "severity"),
    [
        ("CLAUDE.md", "warning"),
        (".claude/CLAUDE.md", "warning"),
        (".github/copilot-instructions.md", "warning"),
        ("kit/CLAUDE.md", "info"),
        ("apps/web/CLAUDE.md", "warning"),
    ],
)
def test_a_text_without_a_manifest_may_be_of_another_project(project: Project, path: str, severity: str) -> None:
    assert one(project({**FILES, path: "# A\n\nRun `npm run gone`.\n"}), "missing-command").severity == severity


@cases(
    ("text", "manifest", "plugin"),
    [
        ("`uv run pytest tests -n 8`", '["pytest"]', "pytest-xdist"),
        ("`pytest -q --cov=src`", '["pytest"]', "pytest-cov"),
        ("`pytest -n auto`", '["pytest", "pytest_xdist"]', ""),
        ("`pytest -n auto`", "[]", ""),
        ("`pytest -k one`", '["pytest"]', ""),
    ],
)
def test_an_option_of_pytest_needs_its_plugin(project: Project, text: str, manifest: str, plugin: str) -> None:
    files = {"AGENTS.md": f"# A\n\nRun {text} first.\n", "pyproject.toml": f"[project]\ndependencies = {manifest}\n"}
    findings = found(project(files), "missing-command")
    assert [(each.subject, each.line, each.severity) for each in findings] == [(plugin, 3, "info")] * bool(plugin)


@cases(("script", "is_told"), [("vitest", True), ("bun test --coverage", False), ("", False)])
def test_the_runner_of_bun_is_not_the_script(project: Project, script: str, is_told: bool) -> None:
    package = json.dumps({"scripts": {"test": script} if script else {"dev": "x"}})
    files = {"apps/web/package.json": package, "package.json": PACKAGE.replace("test", "dev")}
    findings = found(project({**files, "CLAUDE.md": "# A\n\nRun `bun test` first.\n"}), "missing-command")
    told = "runs `bun test`, which is bun's own runner and not the script test; write `bun run test`"
    assert [(each.message, each.severity) for each in findings] == [(told, "info")] * is_told


def test_a_script_of_a_folder_that_the_text_does_not_name_is_a_note(project: Project) -> None:
    for text in ("Run `npm run preview`.\n", "# A\n\nGo `cd apps/web`.\n\n# B\n\nRun `npm run preview`.\n"):
        finding = one(project({**FILES, "AGENTS.md": text}), "missing-command")
        assert (finding.severity, finding.message.partition("; ")[2]) == ("info", "run it in apps/web/")
    again = {"apps/shop/package.json": FILES["apps/web/package.json"]}
    finding = one(project({**FILES, **again, "AGENTS.md": "Run `npm run preview`.\n"}), "missing-command")
    told = "runs `npm run preview`, but package.json has no script preview, 2 below have"
    assert finding.message == f"{told}; run it in apps/shop/ and apps/web/"
    more = {**again, "apps/web/package.json": PACKAGE.replace("build", "preview"), "apps/shop/Makefile": "open:\n"}
    text = "Run `npm run preview`.\n\nRun `npm run preview -- -q`.\n"
    assert one(project({**FILES, **more, "AGENTS.md": text}), "missing-command").remedy.words.startswith("run each")


def test_commands_without_a_manifest_above_or_with_one_of_another_form_are_not_judged(project: Project) -> None:
    text = "Run `npm run gone` and `make gone`.\n"
    others = dict.fromkeys((f"{folder}/AGENTS.md" for folder in ("node_modules/a", "tests", "template")), text)
    for files in (
        {"AGENTS.md": text, "docs/package.json": PACKAGE},
        {"AGENTS.md": text, "package.json": "{", "Makefile": "include $(X)/a.mk\na:\n"},
        {"package.json": PACKAGE, **others},
    ):
        assert found(project(files), "missing-command") == []


def test_makefiles_that_include_each_other_are_read_once(project: Project) -> None:
    makefiles = {f"{number}.mk": f"include *.mk\nt{number}:\n" for number in range(30)}
    text = "Run `make t1`, then `make gone`.\n"
    told = found(project({"Makefile": "include *.mk\na:\n", **makefiles, "AGENTS.md": text}), "missing-command")
    assert [each.subject for each in told] == ["gone"]


def test_a_skill_for_any_project_names_usual_scripts(project: Project) -> None:
    for body, told in (
        ("Run `npm run build`, then `npm run coverage`.\n", []),
        ("Run `npm run lint:fix`, `make release`, then `npm run coverage`.\n", ["info"]),
    ):
        files = {"CLAUDE.md": "Be short.\n", **FILES, ".claude/skills/helper/SKILL.md": skill(body=body)}
        assert [each.severity for each in found(project(files), "missing-command")] == told


def test_the_commands_that_one_manifest_lacks_are_one_finding(project: Project) -> None:
    text = "`npm run a1`\n\n`npm run b1`\n\n```sh\nnpm run a1\n```\n\n`npm run a1`\n"
    finding = one(project({**FILES, "AGENTS.md": text}), "missing-command")
    assert finding.message == "runs commands in 4 places that package.json does not have, such as `npm run a1`"
    assert [place.line for place in finding.places] == [1, 3, 6, 9]
    # Each place is corrected.
    text = "`npm run lint-fix`\n\n`npm run lint-fix -- -w` or `npm run lint-fix` as npm run lint-fix.one\n"
    steps = one(project({**FILES, "AGENTS.md": text}), "missing-command").remedy.steps
    assert [step.line for step in steps if isinstance(step, Fix)] == [1, 3, 3]
    files = {path: f"# {path}\n\n`npm run a1`\n" for path in ("AGENTS.md", "CLAUDE.md", "GEMINI.md")}
    assert [place.path for place in one(project({**FILES, **files}), "missing-command").places] == [*files]


@cases(
    ("text", "each"),
    [
        ("Run {}.", "`yarn job-{}` "),
        ("```sh\n{}\n```", "npm run job-{} && "),
        ("all of them, " * 8_000 + "\n\n{}", "- `npm run job-{}`\n"),
    ],
)
def test_many_commands_around_one_long_text_take_time_in_proportion(project: Project, text: str, each: str) -> None:
    lines = "".join(each.format(number) for number in range(2_000))
    root = project(
        {"AGENTS.md": f"# A\n\n{text.format(lines)}\n", "package.json": PACKAGE, "package-lock.json": "{}"}
    )
    audited = Audited(Workspace.open(root))
    assert audited.instructions()
    began = time.process_time()
    list(missing_commands(audited))
    list(conflicts(audited))
    assert time.process_time() - began < 2.5  # 0.5 on a quiet machine
