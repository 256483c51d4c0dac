"""Rules about imports and links that lead nowhere."""

import posixpath
from pathlib import Path

import pytest

from ctxtui.audit.types import Fix
from tests.audit.auditing_helpers import found, one, skill
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.conftest import Project


def test_an_import_of_a_missing_file_is_broken(project: Project) -> None:
    finding = one(project({"CLAUDE.md": "# C\n\nSee @docs/style.md for style.\n"}), "broken-import")
    assert (finding.path, finding.line, finding.subject) == ("CLAUDE.md", 3, "docs/style.md")
    assert finding.agent == "claude-code"
    files = {f"docs/{name}.md": "# D\n" for name in "abcde"}
    files["web/CLAUDE.md"] = "".join(f"@docs/{name}.md\n" for name in "abcdef")
    finding = one(project(files), "broken-import", cwd="web")
    assert finding.message.startswith("imports 6 files that do not exist, such as docs/a.md; write `@../docs/a.md`")
    finding = one(project({"CLAUDE.md": "@agents.md\n", "AGENTS.md": "# A\n"}), "broken-import")
    assert finding.message == "imports agents.md, which does not exist; write `@AGENTS.md`"
    assert finding.fix is not None


@cases(
    "text",
    [
        "@docs/style.md\n",
        "Write to `@docs/missing.md` or me@example.md, ask @someone.\n",
        "```\n@docs/missing.md\n```\n",
        "@~/.claude/mine.md and @CLAUDE.local.md\n",
        "@<CONTEXT_DIR>/identity.md and @{{ folder }}/style.md and @$FOLDER/style.md\n",
        "@/etc/motd and @../other/README.md\n",
        "@vendor/notes.md\n",
        "@vendor/mine.md\n",
    ],
)
def test_imports_that_exist_or_are_none_are_fine(project: Project, text: str) -> None:
    files = {"CLAUDE.md": text, "docs/style.md": "x\n", "vendor/notes.md": "x\n", ".gitignore": "vendor/\n"}
    assert found(project(files), "broken-import") == []


def test_imports_too_deep_or_in_a_circle(project: Project) -> None:
    chain = {f"a{n}.md": f"@a{n + 1}.md\n" for n in range(1, 5)}
    deep = one(project({"CLAUDE.md": "@a1.md\n", **chain, "a5.md": "the end of it\n"}), "broken-import")
    assert (deep.path, deep.subject, deep.severity) == ("a5.md", "depth", "warning")
    assert deep.tokens > 0
    circle = one(project({"CLAUDE.md": "@a.md\n", "a.md": "@b.md\n", "b.md": "@a.md\n"}), "broken-import")
    assert (circle.severity, circle.subject, circle.path) == ("info", "a.md, b.md", "b.md")
    assert "a.md imports b.md imports a.md" in circle.message
    # One file imported by two is no circle.
    twice = {"CLAUDE.md": "@a.md\n@b.md\n", "a.md": "@c.md\n", "b.md": "@c.md\n", "c.md": "x\n"}
    assert found(project(twice), "broken-import") == []


@cases(
    ("target", "severities"),
    [("./style", []), ("./gone", ["info"]), ("../other-repository", ["info"]), ("./gone/", ["warning"])],
)
def test_links_without_an_ending_may_be_pages(project: Project, target: str, severities: list[str]) -> None:
    root = project({"web/AGENTS.md": f"See [that]({target}).\n", "web/style.md": "x\n", "AGENTS.md": "x\n"})
    assert [each.severity for each in found(root, "broken-link")] == severities


@cases(
    ("said", "severity"),
    [
        ("Read [more](old/1.2.3.md).", "warning"),
        ("Read the files in `old/`.", "warning"),
        ("Read `steps.md`.", "warning"),
        ("Do it as of old.", "info"),
    ],
)
def test_links_in_files_to_which_a_skill_does_not_lead_are_notes(project: Project, said: str, severity: str) -> None:
    more = {"steps.md": "Then old/1.2.3.md.\n", "old/1.2.3.md": "See [that](gone.md).\n"}
    finding = one(_skill(project, f"{said}\n", more), "broken-link")
    assert (finding.path, finding.severity) == ("skills/pots/old/1.2.3.md", severity)


def test_a_link_to_a_missing_file_is_broken(project: Project) -> None:
    text = "# A\n\nRead [style](docs/style.md#names), then [that](docs/gone.md).\n\n[again]: docs/gone.md\n"
    finding = one(project({"AGENTS.md": text, "docs/style.md": "x\n"}), "broken-link")
    assert (finding.path, finding.line, finding.subject) == ("AGENTS.md", 3, "docs/gone.md")
    assert "also on line 5" in finding.message


@cases(
    "link",
    [
        *("[a](docs/style.md)", "[a](docs/my%20file.md)", "[a](<docs/my file.md>)", "[a](/docs/style.md)"),
        *("[a](docs/)", "[a](/spec/)", "[a](.env)", "[a](vendor/notes.md)", "[a](vendor/not-made-yet.md)"),
        *("[a](https://example.org/x.md)", "[a](mdc:docs/style.md)", "[a](mailto:a@b.md)", "[a](#heading)"),
        *("\\[a](docs/gone.md)", "\\[a\\](docs/gone.md)", "[a\\](docs/gone.md)", "`[a](docs/gone.md)`"),
        *("[a](~/gone.md)", "[a](../outside.md)", "![a](missing.png)", "[a](node_modules/kit/README.md)"),
        # Placeholders.
        *("[a](docs/[name].md)", "[a](docs/<name>.md)", "[a](url)", "[a](path/to/file.md)"),
        *("[a]({baseDir}/x.md)", "[a](${CLAUDE_SKILL_DIR}/x.md)", "[ADR-NNN](ADR-NNN-title.md)"),
        *("[^1]: docs/gone.md", "<!-- [a](docs/gone.md) -->", "```\n[a](docs/gone.md)\n```"),
        'Write texts such as: "See the [guide](gone.md) first"',
    ],
)
def test_links_that_exist_elsewhere_or_are_none_are_fine(project: Project, link: str) -> None:
    files = {"AGENTS.md": f"{link}\n", "docs/style.md": "x\n", "docs/my file.md": "x\n", ".env": "x"}
    assert found(project({**files, "vendor/notes.md": "x\n", ".gitignore": "vendor/\n"}), "broken-link") == []


def test_links_and_imports_into_a_submodule_that_is_not_checked_out_are_fine(project: Project) -> None:
    repo = Repo(project({"CLAUDE.md": "@kit/a.md\n[b](kit/docs/b.md) [c](kite/c.md)\n", "kit/.keep": ""}))
    head = repo.commit({"a": ""})
    repo.git("rm", "--cached", "--quiet", "kit/.keep")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{head},kit")
    told = [*found(repo.root, "broken-link"), *found(repo.root, "broken-import")]
    assert [each.subject for each in told] == ["kite/c.md"]


def _skill(project: Project, body: str, more: dict[str, str]) -> Path:
    """A project with a skill and files beside it."""
    beside = {f"skills/pots/{path}": text for path, text in more.items()}
    return project({"skills/pots/SKILL.md": skill("pots", body=body), **beside})


def test_a_sample_with_fences_of_its_own_makes_no_claims(project: Project) -> None:
    sample = "```md\n# Title\n\n```sh\nls\n```\n\nSee [x](docs/x.md) and `src/gone.py`.\n```\n"
    root = project({"CLAUDE.md": f"# A\n\n{sample}\nRead `src/lost.py`.\n", "src/app.py": "", "docs/a.md": ""})
    assert (found(root, "broken-link"), one(root, "missing-path").subject) == ([], "src/lost.py")
    # Behind it, fences are those of the author again.
    behind = f"# A\n\n{sample}\n```\n[y](docs/y.md)\n```\n"
    assert found(project({"CLAUDE.md": behind, "docs/a.md": ""}), "broken-link") == []


_NESTED = "[a](style.md) [b](docs/style.md) [c](../README.md) [d](gone.md)\n"
_UP = "[how](../../docs/how.md), [issues](../../issues), [other](../../other/a.md)\n"
_MDC = "---\nalwaysApply: true\n---\nSee [a](mdc:docs/style.md) and [b](mdc:docs/b.md).\n"


@cases(
    ("path", "text", "told"),
    [
        ("AGENTS.md", "```bash\nls\n```\n[a](docs/gone.md)\n```\nx\n```\n", ["warning docs/gone.md"]),
        ("AGENTS.md", "```bash\nls\n```sh\nls\n```\n[a](docs/gone.md)\n", ["warning docs/gone.md"]),
        # From the folder of the file, or from the root.
        ("docs/AGENTS.md", _NESTED, ["warning gone.md"]),
        # Those of plain files are nobody's context.
        ("docs/guide.md", "[a](gone.md)\n", []),
        # Too many steps up lead out of the project.
        (".github/copilot-instructions.md", _UP, ["info ../../docs/how.md; write ../docs/how.md"]),
        # As Cursor writes it, from the root.
        (".cursor/rules/a.mdc", _MDC, ["warning mdc:docs/b.md"]),
        # In disguise, outside of the project.
        ("AGENTS.md", "[a](%2Fnowhere/b.md)\n", ["info %2Fnowhere/b.md"]),
    ],
)
def test_where_a_link_begins(project: Project, path: str, text: str, told: list[str]) -> None:
    there = dict.fromkeys((".context/NOTES.md", "README.md", "docs/style.md", "docs/how.md"), "")
    findings = found(project({"AGENTS.md": "# A\n", **there, path: text}), "broken-link")
    facts = [f"{each.severity} {each.message.removeprefix('links to ')}" for each in findings]
    assert [each.replace(", which does not exist", "") for each in facts] == told


def test_links_of_files_of_a_skill(project: Project) -> None:
    # What it runs, copies or shows to people is not the model's.
    for path in ("scripts/make.py", "assets/page.md", "templates/plan.md", "plan-template.md", "CHANGELOG.md"):
        files = dict.fromkeys((path, "README.md"), "[x](gone.md)\n")
        assert found(_skill(project, "Do it.\n", files), "broken-link") == []
    named = one(_skill(project, "Read python/README.md.\n", {"python/README.md": "[x](gone.md)\n"}), "broken-link")
    assert named.path == "skills/pots/python/README.md"
    # Links count from the root of the skill as well.
    more = "[glaze](references/glaze.md) and [kiln](references/kiln.md)\n"
    root = _skill(project, "Do it.\n", {"references/more.md": more, "references/glaze.md": "# Glaze\n"})
    assert [each.subject for each in found(root, "broken-link")] == ["references/kiln.md"]


def test_a_link_into_another_skill_has_a_hint_where_both_are_used(project: Project) -> None:
    link = "[y](references/glaze-guide.md)\n"
    for folder, hint in ((".claude/skills", ".claude/skills/cups/references/glaze-guide.md"), ("skills", "")):
        files = {f"{folder}/{name}/SKILL.md": skill(name, body=link) for name in ("pots", "cups")}
        files |= {f"{folder}/cups/references/glaze-guide.md": "x\n", f"{folder}/pots/references/other.md": "x\n"}
        hints = {each.subject: each.remedy.hint for each in found(project(files), "broken-link")}
        assert hints["references/glaze-guide.md"] == hint


def test_links_of_one_file_into_one_folder_are_one_finding(project: Project) -> None:
    links = [f"\n[{name}](references/part-{name}.md)\n" for name in "abc"]
    root = project({"AGENTS.md": f"# A\n{''.join(links)}\n[else](docs/none.md)\n", "docs/part-a.md": ""})
    alone, together = found(root, "broken-link")
    assert (together.count, together.line) == (3, 3)
    places = [(3, "references/part-a.md"), (5, "references/part-b.md"), (7, "references/part-c.md")]
    assert [(each.line, each.subject) for each in together.places] == places
    told = "links to files that do not exist, such as references/part-a.md; write docs/part-a.md, for 1 of them"
    assert (together.message, together.also(2)) == (told, "also line 5, line 7")
    assert (alone.subject, alone.places) == ("docs/none.md", ())
    # The key outlives a change of the count.
    fewer = [one(project({"AGENTS.md": "".join(links[:count])}), "broken-link") for count in (1, 2)]
    assert [each.key for each in fewer] == [together.key] * 2


def test_what_several_files_miss_is_one_finding_that_names_it(project: Project) -> None:
    files = {
        "AGENTS.md": "[a](docs/TESTING.md)\n",
        "tests/AGENTS.md": "[b](../docs/TESTING.md#units) [c](fakes.md)\n",
        "tests/unit/AGENTS.md": "[d](../../docs/TESTING.md)\n",
    }
    alone, together = found(project({**files, "guide/TESTING.md": "x\n"}), "broken-link")
    assert [(each.path, each.line) for each in together.places] == [(path, 1) for path in files]
    told = "links lead to docs/TESTING.md, which does not exist; make them lead to guide/TESTING.md"
    assert (together.message, alone.message) == (told, "links to fakes.md, which does not exist")


def test_many_files_that_are_missing_are_told_by_file_or_by_folder(project: Project) -> None:
    links = "".join(f"\n[{name}](docs/{name}.md)\n" for name in "abc")
    told = found(project({"AGENTS.md": links, "CLAUDE.md": links, "docs/x.md": ""}), "broken-link")
    assert [(each.path, each.count) for each in told] == [("AGENTS.md", 3), ("CLAUDE.md", 3)]
    pages = {f"part-{name}.md": f"[a](old/{name}.md)\n" for name in "abcdef"}
    finding = one(_skill(project, f"{' '.join(pages)}\n", pages), "broken-link")
    assert finding.message == "6 links lead to files that do not exist in skills/pots/old/"


def test_links_of_a_file_that_is_linked_elsewhere_count_from_its_own_folder(project: Project) -> None:
    root = project({"agents/one.md": "[a](two.md) [b](gone.md)\n", "agents/two.md": "x\n", "GEMINI.md": "x\n"})
    (root / ".gemini/skills/one").mkdir(parents=True)
    (root / ".gemini/skills/one/SKILL.md").symlink_to("../../../agents/one.md")
    finding = one(root, "broken-link")
    assert (finding.path, finding.subject) == ("agents/one.md", "gone.md")


def test_links_of_a_text_that_is_linked_to_the_root_should_lead_from_there(project: Project) -> None:
    text = "# A\n\n[here](./b.md), [above](../docs/c.md), [gone](d.md), [root](/rules/b.md)\n"
    root = project({"rules/a.md": text, "rules/b.md": "x\n", "docs/c.md": "x\n"})
    (root / "AGENTS.md").symlink_to("rules/a.md")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    astray = [(each.path, each.fact, each.severity) for each in found(root, "broken-link")]
    fact = "it is a link to rules/a.md, of whose links 2 lead nowhere from the root"
    assert [each for each in astray if each[0] != "rules/a.md"] == [
        (path, fact, "info") for path in ("AGENTS.md", "CLAUDE.md")
    ]


def test_links_of_an_agents_folder_that_lead_nowhere_are_one_finding(project: Project) -> None:
    root = project({"GEMINI.md": "x\n", "skills/one.md": skill("one")})
    for name, target in {"one": "one.md", "two": "gone.md", "three": "lost.md"}.items():
        (root / ".gemini/skills" / name).mkdir(parents=True)
        (root / f".gemini/skills/{name}/SKILL.md").symlink_to(f"../../../skills/{target}")
    finding = one(root, "broken-link")
    assert (finding.count, finding.severity) == (2, "warning")
    assert finding.message == "2 files in .gemini/skills/ are links to nowhere; no agent reads them"


def test_a_link_to_the_folder_of_a_skill_that_is_gone_is_told_unless_it_is_installed(project: Project) -> None:
    root = project({"CLAUDE.md": "x\n", ".claude/skills/a/SKILL.md": skill("a"), ".gitignore": "vendor/\n"})
    (root / ".claude/skills/b").symlink_to("../../.agents/skills/b")
    finding = one(root, "broken-link")
    assert (finding.path, finding.severity) == (".claude/skills/b", "warning")
    (root / ".agents/skills").mkdir(parents=True)
    (root / ".agents/skills/b").symlink_to("../../vendor/pack/skills/b")
    Repo(root).commit()
    assert found(root, "broken-link") == []


@pytest.mark.parametrize(("text", "is_link"), [("CLAUDE.md", True), ("NONE.md", False), ("See CLAUDE.md", False)])
def test_a_file_that_is_only_a_path_is_a_link_as_text(project: Project, text: str, is_link: bool) -> None:
    told = found(project({"AGENTS.md": text, "CLAUDE.md": "# C\n", ".codex/config.toml": ""}), "broken-import")
    assert [(each.path, each.severity) for each in told] == ([("AGENTS.md", "warning")] if is_link else [])
    assert all("make it a link" in each.message for each in told)
    alone = found(project({"CLAUDE.md": text.replace("CLAUDE", "AGENTS"), "AGENTS.md": "# A\n"}), "broken-import")
    assert [each.remedy.words for each in alone] == ["write `@AGENTS.md`"] * is_link


@cases(
    ("target", "files", "hint"),
    [
        ("docs/STYLE.md", {"docs/style.md": "x"}, "; write docs/style.md"),
        ("old/claude/AGENTS.md", {"new/claude/AGENTS.md": "x", "b/AGENTS.md": "x"}, "; write new/claude/AGENTS.md"),
        ("old/glazing.md", {"new/glazing.md": "x"}, "; write new/glazing.md"),
        ("old/glazing.md", {"new/glazing.md": "x", "b/glazing.md": "x"}, ""),
        ("old/glazing.md", {"archive_2026/glazing.md": "x"}, ""),
        ("old/test.md", {"new/test.md": "x"}, ""),
        ("nginx/main.conf", {"nginx/main.conf.template": "x"}, "; write nginx/main.conf.template"),
        ("old/AGENTS.md", {"new/AGENTS.md": "x"}, ""),
        ("validator_test.go", {"pkg/distributor/validator_test.go": "x"}, ""),
        ("old/pkg/main.go", {"new/pkg/main.go": "x", "main.go": "x"}, "; write new/pkg/main.go"),
    ],
)
def test_only_a_file_that_is_meant_is_named(project: Project, target: str, files: dict[str, str], hint: str) -> None:
    finding = one(project({"CLAUDE.md": f"[a]({target})\n", **files}), "broken-link")
    assert finding.message == f"links to {target}, which does not exist{hint}"


_LOCK = '{"skills": {"pots": {"source": "someone/skills", "sourceType": "github"}}}'
_OWN = '{"skills": {"pots": {"source": "./mine", "sourceType": "local"}}}'


@cases(
    ("files", "severity"),
    [
        ({}, "warning"),
        ({"skills-lock.json": _LOCK}, "info"),
        ({".agents/.skill-lock.json": _LOCK}, "info"),
        ({"other/skills-lock.json": _LOCK}, "warning"),
        ({"skills-lock.json": _OWN}, "warning"),
        ({"skills-lock.json": '{"skills": ["pots"]}'}, "warning"),
        ({"skills-lock.json": "{"}, "warning"),
    ],
)
def test_links_in_installed_skills_are_notes(project: Project, files: dict[str, str], severity: str) -> None:
    text = skill("pots", body="Read [that](references/gone.md).\n")
    finding = one(project({".agents/skills/pots/SKILL.md": text, "AGENTS.md": "x\n", **files}), "broken-link")
    assert finding.severity == severity


def test_a_link_to_a_file_that_the_project_makes_is_fine(project: Project) -> None:
    files = {"AGENTS.md": "The result is in [PLAN](PLAN.md).\n", "docs/x.md": "x\n"}
    assert one(project(files), "broken-link").subject == "PLAN.md"
    assert found(project({**files, "README.md": "The planner writes `PLAN.md`.\n"}), "broken-link") == []


def test_a_remedy_escapes_what_would_end_a_link_and_has_no_gap_for_one_without_a_target(project: Project) -> None:
    text = "[a](docs/My%20Guide.md), [b](<docs/My Guide.md>)\n"
    steps = one(project({"AGENTS.md": text, "docs/my guide.md": ""}), "broken-link").remedy.steps
    written = sorted(step.text for step in steps if isinstance(step, Fix))
    assert written == ["](<docs/my guide.md", "](docs/my%20guide.md"]
    links = "".join(f"[{name}](before/part-{name}.md)\n" for name in "abc")
    finding = one(project({"AGENTS.md": links, "new/part-b.md": "", "new/part-c.md": ""}), "broken-link")
    assert finding.remedy.words == "write new/part-b.md and new/part-c.md, for 2 of them"


@cases(
    ("place", "manifest", "hint"),
    [
        ("skills/pots/docs/glazing.md", "a.md", "write docs/glazing.md"),
        ("docs/glazing.md", "a.md", ""),
        ("docs/glazing.md", ".claude-plugin/plugin.json", "write ../../docs/glazing.md"),
        ("../docs/glazing.md", ".claude-plugin/plugin.json", ""),
    ],
)
def test_a_remedy_stays_within_what_is_installed(project: Project, place: str, manifest: str, hint: str) -> None:
    files = {"skills/pots/SKILL.md": skill("pots", body="See [it](glazing.md).\n"), place: "x\n", manifest: "{}\n"}
    root = project({posixpath.normpath(f"plugins/x/{name}"): text for name, text in files.items()})
    assert one(root, "broken-link").remedy.words == hint


@cases(
    ("files", "severity"),
    [
        ({"vendor/kit/CLAUDE.md": "[a](gone.md)\n", "CLAUDE.md": "x\n"}, "info"),
        ({"third_party/kit/CLAUDE.md": "[a](gone.md)\n", "CLAUDE.md": "x\n"}, "info"),
        ({"AGENTS.md": "# A\n\nMore is in [x](gone.md). If that file does not exist,\nthere is none.\n"}, "info"),
        ({"AGENTS.md": "# A\n\n- [x](gone.md) (optional)\n"}, "info"),
        ({"AGENTS.md": "# A\n\n## Step 6: Write tests\n\nSee [it](src/b.ts).\n", "src/a.ts": ""}, "info"),
        ({"AGENTS.md": "# A\n\n## Tests\n\nSee [it](src/b.ts).\n", "src/a.ts": ""}, "warning"),
        ({"skills/pots/SKILL.md": skill("pots", body="[x](references/a.md)\n"), "AGENTS.md": "x\n"}, "warning"),
        ({"skills/pots/SKILL.md": skill("pots", body="[x](../more/a.md)\n"), "AGENTS.md": "x\n"}, "info"),
    ],
)
def test_a_link_that_may_lead_nowhere_is_a_note(project: Project, files: dict[str, str], severity: str) -> None:
    assert one(project(files), "broken-link").severity == severity


@cases(
    ("target", "severity"),
    [
        ("docs/gone.md", "warning"),
        ("gone.md", "warning"),
        ("/cache/gone.md", "info"),
        ("cache/gone.md", "info"),
        ("was/gone.md", "warning"),
    ],
)
def test_a_link_into_a_folder_that_git_never_knew_is_a_note(project: Project, target: str, severity: str) -> None:
    repo = Repo(project({"AGENTS.md": f"# A\n\n[x]({target})\n", "docs/a.md": "x\n"}))
    repo.commit({"was/gone.md": "x\n"})
    repo.commit({"was/gone.md": None})
    assert one(repo.root, "broken-link").severity == severity


@cases(("site", "is_told"), [("hugo.toml", False), ("config.yaml", False), ("other.toml", True)])
def test_links_of_a_page_begin_at_its_address(project: Project, site: str, is_told: bool) -> None:
    files = {f"web/{site}": "", "web/content/docs/rules.md": "# A\n", "AGENTS.md": "@web/content/docs/start.md\n"}
    page = {"web/content/docs/start.md": "# Start\n\nSee [the rules](../rules).\n", "CLAUDE.md": "@AGENTS.md\n"}
    assert [each.subject for each in found(project({**files, **page}), "broken-link")] == ["../rules"] * is_told
    at_root = {path.replace("web/", ""): text.replace("web/", "") for path, text in {**files, **page}.items()}
    assert [each.subject for each in found(project(at_root), "broken-link")] == ["../rules"] * is_told


def test_a_text_that_an_agent_reads_by_another_name_is_not_lost(project: Project) -> None:
    stub, text = ".github/copilot-instructions.md", "Be brief.\n"
    finding = one(project({stub: "../AGENTS.md\n", "AGENTS.md": text}), "broken-import")
    assert (finding.path, finding.tokens) == (stub, 0)
    assert one(project({stub: "../docs/a.md\n", "docs/a.md": text}), "broken-import").tokens == 3
