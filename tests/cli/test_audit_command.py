"""`ctxtui audit`: formats, exit statuses, limits, what a touch brings, fixes, history."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.audit.repositories import Repo
from tests.conftest import Ctxtui, Project
from tests.tui.terminal import Terminal


def test_the_table_tells_starts_sums_and_findings(ctxtui: Ctxtui) -> None:
    done = ctxtui("audit")
    assert done.returncode == 1
    assert "FAIL start claude-code" in done.stdout
    for words in ("START ", "claude-code", "WHERE ", "context_library/python", "token-drift", ".context/TASKS.md:4"):
        assert words in done.stdout
    assert "context files" in done.stderr


def test_findings_fail_only_where_that_is_asked_for(ctxtui: Ctxtui, sample: Path) -> None:
    (sample / "ctxtui.toml").unlink()
    assert ctxtui("audit", "--fail-on", "warning").returncode == 1
    assert ctxtui("audit").returncode == 0


def test_limits_of_the_project_fail_the_run_in_one_line(ctxtui: Ctxtui, sample: Path) -> None:
    Repo(sample).commit()
    (sample / "ctxtui.toml").write_text('[limits]\ntotal = "90k"\n[limits.start]\nclaude-code = 1072\n')
    (sample / "CLAUDE.md").write_text(
        (sample / "CLAUDE.md").read_text() + "\n- One more rule that costs something.\n"
    )
    done = ctxtui("audit", "--since", "main")
    assert done.returncode == 1
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    assert line.startswith("FAIL start claude-code 1,")
    assert "> 1,072 (+" in line
    assert "since main; CLAUDE.md +" in line
    assert "\n\nSINCE  main: +" in done.stdout
    assert "ok   total" in done.stdout


def test_growth_is_checked_against_a_commit_or_a_baseline(ctxtui: Ctxtui, sample: Path) -> None:
    Repo(sample).commit()
    (sample / "ctxtui.toml").write_text('[limits]\nmax_growth = "1%"\n')
    unchecked = ctxtui("audit", "--write-baseline", "then.json")
    assert unchecked.returncode == 0
    assert "note: `max_growth` is checked with --since REF or --baseline FILE only" in unchecked.stderr
    (sample / "CLAUDE.md").write_text((sample / "CLAUDE.md").read_text() + "\n- One more rule.\n" * 9)
    for option, name in (("--since=main", "main"), ("--baseline=then.json", "the baseline")):
        done = ctxtui("audit", option)
        (start,) = [line for line in done.stdout.splitlines() if line.startswith("FAIL growth start claude-code ")]
        assert f" since {name}; CLAUDE.md +" in start
        assert (done.returncode, "max_growth" in done.stderr) == (1, False)
    comment = ctxtui("audit", "--since", "main", "--format", "comment", "-q")
    assert (comment.returncode, "- `FAIL growth start claude-code 1," in comment.stdout) == (1, True)


def test_a_comment_needs_a_commit(ctxtui: Ctxtui) -> None:
    done = ctxtui("audit", "--format", "comment")
    assert (done.returncode, done.stdout, "add --since REF" in done.stderr) == (2, "", True)


def test_an_unknown_limit_names_the_nearest(ctxtui: Ctxtui, sample: Path) -> None:
    (sample / "ctxtui.toml").write_text("[limits.start]\nclaude-cod = 700\n")
    done = ctxtui("audit")
    assert (done.returncode, done.stdout) == (2, "")
    assert "claude-code" in done.stderr


def test_json_sarif_and_markdown_say_the_same(ctxtui: Ctxtui) -> None:
    document = json.loads(ctxtui("audit", "--json", "-q").stdout)
    assert set(document) == {"result", "notices"}
    found = {finding["rule"] for finding in document["result"]["findings"]}
    sarif = json.loads(ctxtui("audit", "--format", "sarif", "-q").stdout)
    assert sarif["version"] == "2.1.0"
    assert {result["ruleId"] for result in sarif["runs"][0]["results"]} - {"over-limit"} == found
    markdown = ctxtui("audit", "--format", "markdown", "-q").stdout
    assert all(
        finding["path"] in markdown.replace("\\", "") for finding in document["result"]["findings"] if finding["path"]
    )


def test_a_baseline_keeps_what_is_known_quiet(ctxtui: Ctxtui, sample: Path) -> None:
    (sample / "ctxtui.toml").unlink()
    accepted = ctxtui("audit", "--write-baseline", "base.json", "--fail-on", "info")
    assert (accepted.returncode, "base.json accepts " in accepted.stderr) == (0, True)
    quiet = ctxtui("audit", "--baseline", "base.json", "--fail-on", "info")
    assert quiet.returncode == 0
    assert re.match(r"\S+: 0 errors, 0 warnings, 0 notes; \d+ findings in the baseline", quiet.stdout)
    guide = sample / "context_library/security/security_guidelines.md"
    guide.write_text(guide.read_text().replace("estimatedTokens: ", "estimatedTokens: 9", 1))
    assert ctxtui("audit", "--baseline", "base.json", "--fail-on", "info").returncode == 1
    assert ctxtui("audit", "--baseline", "base.json", "--fail-on", "note").returncode == 1
    assert ctxtui("audit", "--baseline", "none.json").returncode == 3


def test_what_a_touch_brings(ctxtui: Ctxtui) -> None:
    done = ctxtui("audit", "--touch", "src/api/orders.py")
    assert "claude-code  +" in done.stdout
    assert ".claude/rules/api.md" in done.stdout
    for as_json in (["--json"], ["--format", "json"]):
        told = json.loads(ctxtui("audit", "--touch", "src/api/orders.py", "-q", *as_json).stdout)
        agent = told["result"]["agents"][0]
        assert agent["tokens"] == sum(file["tokens"] for file in agent["files"])


def test_a_touch_of_a_file_that_nobody_reads_or_that_does_not_exist_says_so(ctxtui: Ctxtui, sample: Path) -> None:
    def codes(path: str) -> list[str]:
        done = ctxtui("audit", "--touch", path, "--json", "-q")
        assert done.returncode == 0
        return [
            each["code"]
            for each in json.loads(done.stdout)["notices"]
            if each["code"] in ("no-such-file", "nothing-read")
        ]

    assert codes("src/api/orders.py") == []
    assert codes("README.md") == ["nothing-read"]
    assert codes("src/api/new.py") == ["no-such-file"]
    assert codes("new.zzz") == ["no-such-file", "nothing-read"]
    done = ctxtui("audit", "--touch", "new.zzz")
    assert "new.zzz does not exist; this is what agents would read if it did" in done.stderr
    assert "no agent reads more when new.zzz is touched" in done.stderr
    assert "0 agents" not in done.stderr
    assert not done.stdout.strip()


def test_a_fix_writes_exact_numbers_and_nothing_else(ctxtui: Ctxtui, sample: Path) -> None:
    before = (sample / ".context/TASKS.md").read_text()
    done = ctxtui("audit", "--fix")
    assert "-estimatedTokens: 600" in done.stdout
    assert (sample / ".context/TASKS.md").read_text() == before.replace(
        "estimatedTokens: 600", "estimatedTokens: 1656"
    )
    assert "token-drift" not in ctxtui("audit").stdout


def test_other_changes_need_a_yes_and_are_undone(ctxtui: Ctxtui, project: Project) -> None:
    before = {"CLAUDE.md": "Run `npm run biuld`.\n", "package.json": '{"scripts": {"build": "tsc"}}\n'}
    root = project(before)
    assert "1 change more with --yes" in ctxtui("audit", "--fix", cwd=root).stderr
    assert (root / "CLAUDE.md").read_text() == before["CLAUDE.md"]
    done = ctxtui("audit", "--fix", "--yes", cwd=root)
    assert "+Run `npm run build`." in done.stdout
    assert (root / "CLAUDE.md").read_text() == "Run `npm run build`.\n"
    assert "undone: missing-command CLAUDE.md" in ctxtui("audit", "--slim-undo", cwd=root).stderr
    assert (root / "CLAUDE.md").read_text() == before["CLAUDE.md"]


def test_the_history_of_a_project(ctxtui: Ctxtui, sample: Path) -> None:
    repo = Repo(sample)
    repo.commit()
    repo.commit({"AGENTS.md": (sample / "AGENTS.md").read_text() * 2}, "say it twice")
    done = ctxtui("audit", "--history")
    assert "say it twice" in done.stdout.splitlines()[0]
    assert "GREW MOST" in done.stdout
    assert "AGENTS.md" in done.stdout
    assert ctxtui("audit", "--history", cwd=sample.parent).returncode == 2


def test_prices_with_a_model(ctxtui: Ctxtui) -> None:
    told = ctxtui("audit", "--model", "gpt-5").stdout
    assert "dollars with gpt-5, prices of genai-prices" in told
    assert "for the first request" in told
    assert "estimates" not in told
    assert (
        "sizes are estimates for claude-opus-5, -10 % to +12 %" in ctxtui("audit", "--model", "claude-opus-5").stdout
    )


def test_the_table_has_at_most_sixty_lines_and_every_has_all(ctxtui: Ctxtui, project: Project) -> None:
    rule = "---\nalwaysApply: true\n---\nBe brief.\n"
    files = {f"part{n}/AGENTS.md": f"# Part {n}\n\nSee [it](gone{n}.md).\n" for n in range(60)}
    rules = {f"part{n}/.cursor/rules.mdc": rule for n in range(60)}
    root = project({**files, **rules, ".cursor/rules/all.mdc": "---\nalwaysApply: true\n---\nBe kind.\n"})
    short = ctxtui("audit", "-q", cwd=root).stdout.splitlines()
    assert len(short) <= 60
    for rule in ("broken-link", "never-loaded"):
        shown = sum(line.startswith(f"warning {rule}  part") for line in short)
        assert shown >= 3
        (left,) = [line for line in short if line.endswith("; --every shows them")]
        assert f"{60 - shown:,} {rule}" in left
    full = ctxtui("audit", "-q", "--every", cwd=root).stdout
    assert all(
        f"part{number}/AGENTS.md:3" in full and f"part{number}/.cursor/rules.mdc" in full for number in range(60)
    )


def test_the_table_begins_with_the_sums_and_only_counts_notes(ctxtui: Ctxtui, sample: Path) -> None:
    lines = ctxtui("audit", "-q").stdout.splitlines()
    found = json.loads(ctxtui("audit", "--json", "-q").stdout)["result"]["findings"]
    errors, warnings, notes = (
        sum(each["severity"] == severity for each in found) for severity in ("error", "warning", "info")
    )
    assert lines[0].startswith(f"sample_context: {errors} errors, {warnings} warnings, {notes} note")
    assert not any(line.startswith("info") for line in lines)
    (line,) = [line for line in lines if re.match(r"\d+ notes? \(", line)]
    assert "blob" in line
    assert "; --every shows " in line
    assert any(line.startswith("note    blob") for line in ctxtui("audit", "-q", "--every").stdout.splitlines())


def test_places_of_one_cause_are_told_in_every_format(ctxtui: Ctxtui, project: Project) -> None:
    root = project({f".cursor/rules/{number}.md": "Be kind.\n" for number in range(8)})
    table = ctxtui("audit", "-q", cwd=root).stdout
    assert "these 8 files" in table
    assert "also .cursor/rules/1.md:1, .cursor/rules/2.md:1 and 5 more" in table
    assert ".cursor/rules/7.md:1" in ctxtui("audit", "-q", "--every", cwd=root).stdout
    (finding,) = json.loads(ctxtui("audit", "--json", "-q", cwd=root).stdout)["result"]["findings"]
    assert finding["count"] == 8
    assert [each["path"] for each in finding["places"]] == [f".cursor/rules/{number}.md" for number in range(8)]
    (run,) = json.loads(ctxtui("audit", "--format", "sarif", "-q", cwd=root).stdout)["runs"]
    (result,) = run["results"]
    places = [each["physicalLocation"] for each in result["locations"]]
    assert [each["artifactLocation"]["uri"] for each in places] == [f".cursor/rules/{n}.md" for n in range(8)]
    assert all(each["region"] == {"startLine": 1} for each in places)
    markdown = ctxtui("audit", "--format", "markdown", "-q", cwd=root).stdout
    assert "also .cursor/rules/1.md:1, .cursor/rules/2.md:1 and 5 more" in markdown


def test_a_project_without_agent_files_is_told_so(ctxtui: Ctxtui, project: Project) -> None:
    done = ctxtui("audit", cwd=project({"notes.md": "# Notes\n"}))
    assert "no agent files found; looked for AGENTS.md, " in done.stdout
    assert "0 findings in 0 context files" in done.stderr


def test_what_no_agent_reads_unasked_is_not_in_the_headline(ctxtui: Ctxtui, project: Project) -> None:
    skill = {
        "skills/pots/SKILL.md": "---\nname: pots\ndescription: Makes pots.\n---\nRun scripts/turn.py.\n",
        "skills/pots/scripts/turn.py": "print('turn')\n" * 500,
    }
    done = ctxtui("audit", cwd=project({**skill, "AGENTS.md": "# Kit\n"}))
    assert "in 1 context file, 3 tokens; 2 more files on demand" in done.stderr


def test_rules_can_be_tuned_and_a_misspelt_one_is_refused(ctxtui: Ctxtui, sample: Path) -> None:
    before = json.loads(ctxtui("audit", "--json", "-q").stdout)["result"]
    with (sample / "ctxtui.toml").open("a") as file:
        file.write('\n[rules]\nsecret = "off"\n\n[[rules.ignore]]\nrules = ["token-drift"]\nreason = "known"\n')
    after = json.loads(ctxtui("audit", "--json", "-q").stdout)["result"]
    rules = {each["rule"] for each in after["findings"]}
    assert {each["rule"] for each in before["findings"]} - rules == {"secret", "token-drift"}
    assert {each["rule"] for each in after["ignored"]} == {"token-drift"}
    with (sample / "ctxtui.toml").open("a") as file:
        file.write("[rules.blobs]\ntokens = 3\n")
    done = ctxtui("audit")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean `blob`?" in done.stderr


STARTED = {
    "AGENTS.md": "r" * 15_525,
    "tests/AGENTS.md": "t " * 10_451 + "t",
    "docs/AGENTS.md": "d" * 9_000,
    ".claude/agents/helper.md": "---\nname: helper\ndescription: helps\n---\nHelp.\n",
    ".claude/skills/s/SKILL.md": "---\nname: s\ndescription: about s\n---\nBody.\n",
}


@pytest.fixture
def started(project: Project) -> Path:
    """A repository with instructions in several folders."""
    root = project(STARTED)
    Repo(root)
    return root


def test_agents_start_in_the_folder_that_is_named(ctxtui: Ctxtui, started: Path) -> None:
    lines = ctxtui("audit", "-q", "--cwd", "tests", cwd=started).stdout.splitlines()
    assert "START in tests/  what agents have in context before the first request" in lines
    assert not any("longest start: OpenAI Codex" in line for line in lines)
    here = json.loads(ctxtui("audit", "--json", "-q", "--cwd", ".", cwd=started / "tests").stdout)["result"]
    named = json.loads(ctxtui("audit", "--json", "-q", str(started), "--cwd", "tests").stdout)["result"]
    assert (here["cwd"], named["cwd"]) == (".", "tests")
    (codex,) = [each for each in named["agents"] if each["id"] == "codex"]
    assert [each["path"] for each in codex["files"]] == ["AGENTS.md", "tests/AGENTS.md"]
    assert codex["lostTokens"] > 0
    assert ("cut-by-limit", "tests/AGENTS.md") in {(each["rule"], each["path"]) for each in named["findings"]}
    assert (
        "#### At the start in `tests/`"
        in ctxtui("audit", str(started), "--cwd", "tests", "--format", "markdown").stdout
    )


def test_a_limit_on_a_start_holds_in_the_folder_that_is_named(ctxtui: Ctxtui, started: Path) -> None:
    (started / "ctxtui.toml").write_text('[limits.start]\ncodex = "4k"\n')
    assert ctxtui("audit", "-q", cwd=started).returncode == 0
    assert ctxtui("audit", "-q", "--cwd", "tests", cwd=started).returncode == 1


def test_the_folder_with_the_longest_start_is_named_everywhere(ctxtui: Ctxtui, started: Path) -> None:
    told = "longest start: OpenAI Codex in tests/: 36,428 bytes of instructions, over its limit of 32,768"
    assert f"  {told}" in ctxtui("audit", "-q", cwd=started).stdout.splitlines()
    assert f"- {told}" in ctxtui("audit", "-q", "--format", "markdown", cwd=started).stdout.splitlines()
    data = json.loads(ctxtui("audit", "--json", "-q", cwd=started).stdout)["result"]
    (codex,) = [each for each in data["longest"] if each["agent"] == "codex"]
    assert codex == {
        "agent": "codex",
        "folder": "tests",
        "paths": ["AGENTS.md", "tests/AGENTS.md"],
        "bytes": 36_428,
        "rootBytes": 15_525,
        "limit": 32_768,
        "lost": 3_660,
    }


def test_what_follows_a_start_is_told(ctxtui: Ctxtui, started: Path) -> None:
    lines = ctxtui("audit", "-q", cwd=started).stdout.splitlines()
    (claude,) = [line for line in lines if line.startswith("  claude-code ")]
    assert re.search(r"\d stay after compaction, \d+ are lost, \d+ unknown  1 subagent: \d", claude)
    assert "  claude-code: AGENTS.md only since version 2.1.277" in lines
    data = json.loads(ctxtui("audit", "--json", "-q", cwd=started).stdout)["result"]
    (agent,) = [each for each in data["agents"] if each["id"] == "claude-code"]
    assert sum(agent["afterCompaction"].values()) == agent["startTokens"]
    assert [each["name"] for each in agent["subagents"]] == ["helper"]
    assert {each["since"] for each in agent["files"] if each["path"] == "AGENTS.md"} == {"2.1.277"}


@pytest.mark.parametrize(
    ("folder", "status", "said"),
    [
        ("nope", 3, "no folder nope"),
        ("AGENTS.md", 2, "AGENTS.md is a file"),
        ("..", 2, ".. lies outside the project"),
    ],
)
def test_a_folder_that_cannot_be_started_in_is_named(
    ctxtui: Ctxtui, started: Path, folder: str, status: int, said: str
) -> None:
    run = ctxtui("audit", "-q", "--cwd", folder, cwd=started)
    assert (run.returncode, run.stdout) == (status, "")
    assert said in run.stderr


def test_what_lies_above_a_folder_is_no_growth_since_a_commit(ctxtui: Ctxtui, started: Path) -> None:
    Repo(started).commit()
    (started / "docs" / "AGENTS.md").write_text("d" * 9_000 + " and a word more\n")
    data = json.loads(ctxtui("audit", "docs", "--since", "main", "--json", "-q", cwd=started).stdout)["result"]
    (codex,) = [each for each in data["since"]["agents"] if each["id"] == "codex"]
    (start,) = [each["startTokens"] for each in data["agents"] if each["id"] == "codex"]
    paths = [each["path"] for agent in data["agents"] if agent["id"] == "codex" for each in agent["files"]]
    assert paths == ["../AGENTS.md", "AGENTS.md"]
    assert codex["after"] == start
    assert 0 < codex["after"] - codex["before"] < 10


def test_a_collection_is_told_by_what_its_lists_add(ctxtui: Ctxtui, project: Project) -> None:
    skill = "---\nname: {0}\ndescription: Makes {0}.\n---\nTurn.\n"
    done = ctxtui(
        "audit", cwd=project({f"skills/.curated/{name}/SKILL.md": skill.format(name) for name in ("pots", "cups")})
    )
    assert "no agent reads these files before they are installed" in done.stdout
    assert re.search(r"agent-skills +\d+ +2 files", done.stdout)
    assert "none of them read unasked" in done.stdout
    assert "0 findings; 2 files on demand" in done.stderr


def test_an_audit_is_silent_about_files_that_are_not_for_agents(ctxtui: Ctxtui, project: Project) -> None:
    root = project({"AGENTS.md": "# A\n", "logo.png": b"\x89PNG\0", "fuzz/.keep": ""})
    for name in ("fuzz/corpus", "CLAUDE.md"):
        (root / name).symlink_to("nowhere")
    done = ctxtui("audit", cwd=root)
    assert "fuzz/corpus" not in done.stderr
    assert "binary" not in done.stderr
    assert "CLAUDE.md: cannot be read" in done.stderr
    told = {each["path"] for each in json.loads(ctxtui("audit", "--json", cwd=root).stdout)["notices"]}
    assert "fuzz/corpus" in told


def test_a_note_says_how_to_see_it_and_many_places_are_many_lines(ctxtui: Ctxtui, project: Project) -> None:
    long = "".join(f"Line {number} is one of many.\n" for number in range(1_230))
    root = project({**{f"f{n}/AGENTS.md": "[a](../gone.md)\n" for n in range(70)}, "AGENTS.md": long})
    done = ctxtui("audit", "-q", cwd=root)
    assert "1 note (1 near-limit); --every shows it" in done.stdout
    assert "links to ../gone.md, which does not exist" in done.stdout
    every = ctxtui("audit", "-q", "--every", cwd=root).stdout
    assert "f69/AGENTS.md:1" in every
    assert max(map(len, every.splitlines())) < 250


_BROKEN = "---\nname: {0}\ndescription: use it\n  bad: [open\n---\nBody.\n"


def test_the_table_says_once_what_agents_themselves_send(ctxtui: Ctxtui, project: Project) -> None:
    root = project({"AGENTS.md": "x\n", "CLAUDE.md": "@AGENTS.md\n", "GEMINI.md": "x\n"})
    told = ctxtui("audit", "-q", cwd=root).stdout
    (line,) = [line for line in told.splitlines() if "for system prompt and tools" in line]
    assert re.fullmatch(
        r"  \+ about [\d,]+ \([\w-]+\), [\d,]+ \([\w-]+\) for system prompt and tools \(not in the sum\)", line
    )
    assert "https://" not in told
    assert "published by" in ctxtui("audit", "-q", "--every", cwd=root).stdout


def test_what_a_finding_says_is_no_problem_besides(ctxtui: Ctxtui, project: Project) -> None:
    files = {f".agents/skills/{name}/SKILL.md": _BROKEN.format(name) for name in ("one", "two")}
    root = project({**files, "AGENTS.md": "x\n", "docs/plain.md": _BROKEN.format("plain")})
    done = ctxtui("audit", cwd=root)
    assert "drops these 2 files: frontmatter is not valid YAML" in done.stdout
    assert [line for line in done.stderr.splitlines() if "not valid YAML" in line and "SKILL.md" in line] == []
    data = json.loads(ctxtui("audit", "--json", cwd=root).stdout)
    assert {each["path"] for each in data["notices"] if each["code"] == "frontmatter-yaml"} >= set(files)


def test_agents_that_leave_no_trace_are_named_in_one_line(ctxtui: Ctxtui, project: Project) -> None:
    told = ctxtui("audit", "-q", "--every", cwd=project({"AGENTS.md": "x\n"})).stdout
    (line,) = re.findall(r"AGENTS\.md is also read by .*?; found nothing else of theirs", " ".join(told.split()))
    for name in ("Claude Code", "Cursor", "GitHub Copilot in VS Code"):
        assert name in line
    assert "OpenAI Codex" not in line
    for files in ({"AGENTS.md": "x\n", ".cursor/rules/a.mdc": "x\n"}, {".codex/config.toml": "", "CLAUDE.md": "x\n"}):
        assert "is also read by" not in ctxtui("audit", "-q", cwd=project(files)).stdout


def test_agents_without_a_file_of_their_own_share_a_line(ctxtui: Ctxtui, project: Project) -> None:
    root = project({"AGENTS.md": "x\n", "CLAUDE.md": "@AGENTS.md\n"})
    told = ctxtui("audit", "-q", cwd=root).stdout
    assert re.search(r"^  claude-code  ", told, re.MULTILINE)
    assert not re.search(r"^  codex  ", told, re.MULTILINE)
    assert "  also read these files, with none of their own: codex 2" in told.splitlines()
    assert re.search(r"^  codex  ", ctxtui("audit", "-q", "--every", cwd=root).stdout, re.MULTILINE)


def _at_terminal(root: Path, **variables: str) -> str:
    """The audit of a folder as a terminal of 100 columns gets it."""
    terminal = Terminal()
    termios.tcsetwinsize(terminal.slave, (40, 100))
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    command = [sys.executable, "-m", "ctxtui.cli", "audit", "-q"]
    with subprocess.Popen(command, cwd=root, stdout=terminal.slave, env=environment | variables) as process:
        while process.poll() is None or terminal.read(0.1):
            terminal.read(0.1)
    return terminal.raw.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colors_unless_the_user_wants_none(ctxtui: Ctxtui, sample: Path) -> None:
    colored, plain = _at_terminal(sample), _at_terminal(sample, NO_COLOR="1")
    assert "\x1b[1;31merror\x1b[0m   secret" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain
    assert max(map(len, plain.splitlines())) <= 100
    assert "\x1b" not in plain + ctxtui("audit", "-q").stdout


def test_people_read_of_notes_and_programs_of_info(ctxtui: Ctxtui, project: Project) -> None:
    root = project({"AGENTS.md": "Text.\n\nSee [it](./gone).\n", "docs/a.md": "x\n"})
    lines = ctxtui("audit", "-q", "--every", cwd=root).stdout.splitlines()
    assert any(line.startswith("note    broken-link  AGENTS.md:3") for line in lines)
    assert not any(line.startswith("info") for line in lines)
    assert "<summary>note: Broken link" in ctxtui("audit", "-q", "--format", "markdown", cwd=root).stdout
    data = json.loads(ctxtui("audit", "--json", cwd=root).stdout)["result"]
    assert {each["severity"] for each in data["findings"]} == {"info"}
