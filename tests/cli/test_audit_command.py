"""`ctxtui audit`: formats, exit statuses, limits, what a touch brings, fixes, history."""

import json
import os
import re
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.audit.repositories import Repo
from tests.cli.streams import Refused
from tests.conftest import Asked, Project
from tests.tui.terminal import Terminal


@pytest.fixture
def audit(cli: Asked) -> Asked:
    """Runs an audit, which findings may fail unless a status is given."""
    return lambda *words, status=(0, 1), **more: cli("audit", *words, status=status, **more)


def _add(file: Path, text: str) -> None:
    file.write_text(file.read_text() + text)


def test_the_table_tells_starts_sums_and_findings(audit: Asked) -> None:
    out, err = audit(status=1)
    for told in ("FAIL start claude-code", "START ", "WHERE ", "context_library/python", "token-drift"):
        assert told in out
    assert ".context/TASKS.md:4" in out
    assert "context files" in err


def test_findings_fail_only_where_that_is_asked_for(audit: Asked, sample: Path) -> None:
    (sample / "ctxtui.toml").unlink()
    audit("--fail-on", "warning", status=1)
    audit(status=0)


def test_limits_of_the_project_fail_the_run_in_one_line(audit: Asked, sample: Path) -> None:
    Repo(sample).commit()
    (sample / "ctxtui.toml").write_text('[limits]\ntotal = "90k"\n[limits.start]\nclaude-code = 1072\n')
    _add(sample / "CLAUDE.md", "\n- One more rule that costs something.\n")
    told = audit("--since", "main", status=1).out
    (line,) = [line for line in told.splitlines() if line.startswith("FAIL")]
    assert re.match(r"FAIL start claude-code 1,\d+ > 1,072 \(\+.*since main; CLAUDE\.md \+", line)
    assert "\n\nSINCE  main: +" in told
    assert "ok   total" in told


def test_growth_is_checked_against_a_commit_or_a_baseline(audit: Asked, sample: Path) -> None:
    Repo(sample).commit()
    (sample / "ctxtui.toml").write_text('[limits]\nmax_growth = "1%"\n')
    unchecked = audit("--write-baseline", "then.json", status=0).err
    assert "note: `max_growth` is checked with --since REF or --baseline FILE only" in unchecked
    _add(sample / "CLAUDE.md", "\n- One more rule.\n" * 9)
    for option, name in (("--since=main", "main"), ("--baseline=then.json", "the baseline")):
        done = audit(option, status=1)
        (start,) = [line for line in done.out.splitlines() if line.startswith("FAIL growth start claude-code ")]
        assert f" since {name}; CLAUDE.md +" in start
        assert "max_growth" not in done.err
    comment = audit("--since", "main", "--format", "comment", "-q", status=1).out
    assert "- `FAIL growth start claude-code 1," in comment


def test_a_comment_needs_a_commit_and_an_unknown_limit_names_the_nearest(refused: Refused, sample: Path) -> None:
    assert "add --since REF" in refused("audit", "--format", "comment")
    (sample / "ctxtui.toml").write_text("[limits.start]\nclaude-cod = 700\n")
    assert "claude-code" in refused("audit")


def test_all_formats_say_the_same(audit: Asked) -> None:
    document = json.loads(audit("--json", "-q").out)
    assert set(document) == {"result", "notices"}
    findings = document["result"]["findings"]
    sarif = json.loads(audit("--format", "sarif", "-q").out)
    assert sarif["version"] == "2.1.0"
    rules = {result["ruleId"] for result in sarif["runs"][0]["results"]}
    assert rules - {"over-limit"} == {finding["rule"] for finding in findings}
    markdown = audit("--format", "markdown", "-q").out.replace("\\", "")
    assert [finding["path"] for finding in findings if (finding["path"] or "") not in markdown] == []
    # The table begins with the sums and only counts notes.
    first, *lines = audit("-q").out.splitlines()
    counts = [sum(each["severity"] == severity for each in findings) for severity in ("error", "warning", "info")]
    assert first.startswith("sample_context: {} errors, {} warnings, {} note".format(*counts))
    assert not any(line.startswith("info") for line in lines)
    (line,) = [line for line in lines if re.match(r"\d+ notes? \(", line)]
    assert re.search("blob.*; --every shows ", line)
    assert any(line.startswith("note    blob") for line in audit("-q", "--every").out.splitlines())


def test_a_baseline_keeps_what_is_known_quiet(audit: Asked, sample: Path) -> None:
    (sample / "ctxtui.toml").unlink()
    assert "base.json accepts " in audit("--write-baseline", "base.json", "--fail-on", "info", status=0).err
    quiet = audit("--baseline", "base.json", "--fail-on", "info", status=0).out
    assert re.match(r"\S+: 0 errors, 0 warnings, 0 notes; \d+ findings in the baseline", quiet)
    guide = sample / "context_library/security/security_guidelines.md"
    guide.write_text(guide.read_text().replace("estimatedTokens: ", "estimatedTokens: 9", 1))
    for severity in ("info", "note"):
        audit("--baseline", "base.json", "--fail-on", severity, status=1)
    audit("--baseline", "none.json", status=3)


def test_what_a_touch_brings(audit: Asked) -> None:
    told = audit("--touch", "src/api/orders.py").out
    assert "claude-code  +" in told
    assert ".claude/rules/api.md" in told
    for as_json in (["--json"], ["--format", "json"]):
        agent = audit("--touch", "src/api/orders.py", "-q", *as_json).result["agents"][0]
        assert agent["tokens"] == sum(file["tokens"] for file in agent["files"])
    # A file that nobody reads, or that does not exist.
    for path, codes in (
        ("src/api/orders.py", []),
        ("README.md", ["nothing-read"]),
        ("src/api/new.py", ["no-such-file"]),
        ("new.zzz", ["no-such-file", "nothing-read"]),
    ):
        notices = audit("--touch", path, "--json", "-q", status=0).notices
        found = [each["code"] for each in notices if each["code"] in ("no-such-file", "nothing-read")]
        assert found == codes, path
    out, err = audit("--touch", "new.zzz")
    assert "new.zzz does not exist; this is what agents would read if it did" in err
    assert "no agent reads more when new.zzz is touched" in err
    assert ("0 agents" in err, out.strip()) == (False, "")


def test_a_fix_writes_exact_numbers_and_nothing_else(audit: Asked, sample: Path) -> None:
    tasks = sample / ".context/TASKS.md"
    before = tasks.read_text()
    assert "-estimatedTokens: 600" in audit("--fix").out
    assert tasks.read_text() == before.replace("estimatedTokens: 600", "estimatedTokens: 1656")
    assert "token-drift" not in audit().out


def test_other_changes_need_a_yes_and_are_undone(audit: Asked, project: Project) -> None:
    before = "Run `npm run biuld`.\n"
    root = project({"CLAUDE.md": before, "package.json": '{"scripts": {"build": "tsc"}}\n'})
    assert "1 change more with --yes" in audit("--fix", cwd=root).err
    assert (root / "CLAUDE.md").read_text() == before
    assert "+Run `npm run build`." in audit("--fix", "--yes", cwd=root).out
    assert (root / "CLAUDE.md").read_text() == "Run `npm run build`.\n"
    assert "undone: missing-command CLAUDE.md" in audit("--slim-undo", cwd=root).err
    assert (root / "CLAUDE.md").read_text() == before


def test_the_history_of_a_project(audit: Asked, sample: Path) -> None:
    repo = Repo(sample)
    repo.commit()
    repo.commit({"AGENTS.md": (sample / "AGENTS.md").read_text() * 2}, "say it twice")
    first, *others = audit("--history").out.splitlines()
    assert "say it twice" in first
    assert re.search("GREW MOST(.|\n)*AGENTS.md", "\n".join(others))
    audit("--history", cwd=sample.parent, status=2)


def test_prices_with_a_model(audit: Asked) -> None:
    told = audit("--model", "gpt-5").out
    assert "dollars with gpt-5, prices of genai-prices" in told
    assert "for the first request" in told
    assert "estimates" not in told
    assert "sizes are estimates for claude-opus-5, -10 % to +12 %" in audit("--model", "claude-opus-5").out


def test_the_table_has_at_most_sixty_lines_and_every_has_all(audit: Asked, project: Project) -> None:
    rule = "---\nalwaysApply: true\n---\nBe {}.\n"
    files = {f"part{n}/AGENTS.md": f"# Part {n}\n\nSee [it](gone{n}.md).\n" for n in range(60)}
    rules = {f"part{n}/.cursor/rules.mdc": rule.format("brief") for n in range(60)}
    root = project(files | rules | {".cursor/rules/all.mdc": rule.format("kind")})
    short = audit("-q", cwd=root).out.splitlines()
    assert len(short) <= 60
    for rule in ("broken-link", "never-loaded"):
        shown = sum(line.startswith(f"warning {rule}  part") for line in short)
        assert shown >= 3
        (left,) = [line for line in short if line.endswith("; --every shows them")]
        assert f"{60 - shown:,} {rule}" in left
    full = audit("-q", "--every", cwd=root).out
    for n in range(60):
        assert f"part{n}/AGENTS.md:3" in full
        assert f"part{n}/.cursor/rules.mdc" in full


def test_places_of_one_cause_are_told_in_every_format(audit: Asked, project: Project) -> None:
    paths = [f".cursor/rules/{number}.md" for number in range(8)]
    root = project(dict.fromkeys(paths, "Be kind.\n"))
    table, markdown = (audit("-q", "--format", name, cwd=root).out for name in ("table", "markdown"))
    assert "these 8 files" in table
    for text in (table, markdown):
        assert "also .cursor/rules/1.md:1, .cursor/rules/2.md:1 and 5 more" in text
    assert f"{paths[7]}:1" in audit("-q", "--every", cwd=root).out
    (finding,) = audit("--json", "-q", cwd=root).result["findings"]
    assert (finding["count"], [each["path"] for each in finding["places"]]) == (8, paths)
    (run,) = json.loads(audit("--format", "sarif", "-q", cwd=root).out)["runs"]
    (result,) = run["results"]
    places = [each["physicalLocation"] for each in result["locations"]]
    assert [each["artifactLocation"]["uri"] for each in places] == paths
    assert all(each["region"] == {"startLine": 1} for each in places)


def test_what_no_agent_reads_unasked_is_not_in_the_headline(audit: Asked, project: Project) -> None:
    out, err = audit(cwd=project({"notes.md": "# Notes\n"}))
    assert "no agent files found; looked for AGENTS.md, " in out
    assert "0 findings in 0 context files" in err
    skill = "---\nname: {0}\ndescription: Makes {0}.\n---\nRun scripts/turn.py.\n"
    pots = {"skills/pots/SKILL.md": skill.format("pots"), "skills/pots/scripts/turn.py": "print('turn')\n" * 500}
    kit = audit(cwd=project({**pots, "AGENTS.md": "# Kit\n"})).err
    assert "in 1 context file, 3 tokens; 2 more files on demand" in kit
    # A collection is told by what its lists add.
    out, err = audit(
        cwd=project({f"skills/.curated/{each}/SKILL.md": skill.format(each) for each in ("pots", "cups")})
    )
    assert "no agent reads these files before they are installed" in out
    assert re.search(r"agent-skills +\d+ +2 files", out)
    assert "none of them read unasked" in out
    assert "0 findings; 2 files on demand" in err


def test_rules_can_be_tuned_and_a_misspelt_one_is_refused(audit: Asked, refused: Refused, sample: Path) -> None:
    before = {each["rule"] for each in audit("--json", "-q").result["findings"]}
    ignored = '[[rules.ignore]]\nrules = ["token-drift"]\nreason = "known"\n'
    _add(sample / "ctxtui.toml", f'\n[rules]\nsecret = "off"\n\n{ignored}')
    after = audit("--json", "-q").result
    assert before - {each["rule"] for each in after["findings"]} == {"secret", "token-drift"}
    assert {each["rule"] for each in after["ignored"]} == {"token-drift"}
    _add(sample / "ctxtui.toml", "[rules.blobs]\ntokens = 3\n")
    assert "did you mean `blob`?" in refused("audit")


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


def test_agents_start_in_the_folder_that_is_named(audit: Asked, started: Path) -> None:
    lines = audit("-q", "--cwd", "tests", cwd=started).out.splitlines()
    assert "START in tests/  what agents have in context before the first request" in lines
    assert not any("longest start: OpenAI Codex" in line for line in lines)
    here = audit("--json", "-q", "--cwd", ".", cwd=started / "tests").result
    named = audit("--json", "-q", str(started), "--cwd", "tests").result
    assert (here["cwd"], named["cwd"]) == (".", "tests")
    (codex,) = [each for each in named["agents"] if each["id"] == "codex"]
    assert [each["path"] for each in codex["files"]] == ["AGENTS.md", "tests/AGENTS.md"]
    assert codex["lostTokens"] > 0
    assert ("cut-by-limit", "tests/AGENTS.md") in {(each["rule"], each["path"]) for each in named["findings"]}
    assert "#### At the start in `tests/`" in audit(str(started), "--cwd", "tests", "--format", "markdown").out
    # A limit on a start holds there.
    (started / "ctxtui.toml").write_text('[limits.start]\ncodex = "4k"\n')
    audit("-q", cwd=started, status=0)
    audit("-q", "--cwd", "tests", cwd=started, status=1)


def test_the_folder_with_the_longest_start_is_named_everywhere(audit: Asked, started: Path) -> None:
    told = "longest start: OpenAI Codex in tests/: 36,428 bytes of instructions, over its limit of 32,768"
    lines = audit("-q", cwd=started).out.splitlines()
    assert f"  {told}" in lines
    assert f"- {told}" in audit("-q", "--format", "markdown", cwd=started).out.splitlines()
    data = audit("--json", "-q", cwd=started).result
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
    # What follows a start is told.
    (claude,) = [line for line in lines if line.startswith("  claude-code ")]
    assert re.search(r"\d stay after compaction, \d+ are lost, \d+ unknown  1 subagent: \d", claude)
    assert "  claude-code: AGENTS.md only since version 2.1.277" in lines
    (agent,) = [each for each in data["agents"] if each["id"] == "claude-code"]
    assert sum(agent["afterCompaction"].values()) == agent["startTokens"]
    assert [each["name"] for each in agent["subagents"]] == ["helper"]
    assert {each["since"] for each in agent["files"] if each["path"] == "AGENTS.md"} == {"2.1.277"}


def test_a_folder_that_cannot_be_started_in_is_named(refused: Refused, started: Path) -> None:
    for folder, status, said in (
        ("nope", 3, "no folder nope"),
        ("AGENTS.md", 2, "AGENTS.md is a file"),
        ("..", 2, ".. lies outside the project"),
    ):
        assert said in refused("audit", "-q", "--cwd", folder, cwd=started, status=status)


def test_what_lies_above_a_folder_is_no_growth_since_a_commit(audit: Asked, started: Path) -> None:
    Repo(started).commit()
    (started / "docs" / "AGENTS.md").write_text("d" * 9_000 + " and a word more\n")
    data = audit("docs", "--since", "main", "--json", "-q", cwd=started).result
    (change,) = [each for each in data["since"]["agents"] if each["id"] == "codex"]
    (codex,) = [each for each in data["agents"] if each["id"] == "codex"]
    assert [each["path"] for each in codex["files"]] == ["../AGENTS.md", "AGENTS.md"]
    assert change["after"] == codex["startTokens"]
    assert 0 < change["after"] - change["before"] < 10


def test_an_audit_is_silent_about_files_that_are_not_for_agents(audit: Asked, project: Project) -> None:
    root = project({"AGENTS.md": "# A\n", "logo.png": b"\x89PNG\0", "fuzz/.keep": ""})
    for name in ("fuzz/corpus", "CLAUDE.md"):
        (root / name).symlink_to("nowhere")
    err = audit(cwd=root).err
    assert ("fuzz/corpus" in err, "binary" in err) == (False, False)
    assert "CLAUDE.md: cannot be read" in err
    assert "fuzz/corpus" in {each["path"] for each in audit("--json", cwd=root).notices}


def test_a_note_says_how_to_see_it_and_many_places_are_many_lines(audit: Asked, project: Project) -> None:
    long = "".join(f"Line {number} is one of many.\n" for number in range(1_230))
    root = project({**{f"f{n}/AGENTS.md": "[a](../gone.md)\n" for n in range(70)}, "AGENTS.md": long})
    told = audit("-q", cwd=root).out
    assert "1 note (1 near-limit); --every shows it" in told
    assert "links to ../gone.md, which does not exist" in told
    every = audit("-q", "--every", cwd=root).out
    assert "f69/AGENTS.md:1" in every
    assert max(map(len, every.splitlines())) < 250


_BROKEN = "---\nname: {0}\ndescription: use it\n  bad: [open\n---\nBody.\n"


def test_the_table_says_once_what_agents_themselves_send(audit: Asked, project: Project) -> None:
    root = project({"AGENTS.md": "x\n", "CLAUDE.md": "@AGENTS.md\n", "GEMINI.md": "x\n"})
    told = audit("-q", cwd=root).out
    (line,) = [line for line in told.splitlines() if "for system prompt and tools" in line]
    sizes = r"[\d,]+ \([\w-]+\), [\d,]+ \([\w-]+\)"
    assert re.fullmatch(rf"  \+ about {sizes} for system prompt and tools \(not in the sum\)", line)
    assert "https://" not in told
    assert "published by" in audit("-q", "--every", cwd=root).out
    # Agents without a file of their own share a line.
    assert re.search(r"^  claude-code  ", told, re.MULTILINE)
    assert not re.search(r"^  codex  ", told, re.MULTILINE)
    assert "  also read these files, with none of their own: codex 2" in told.splitlines()
    assert re.search(r"^  codex  ", audit("-q", "--every", cwd=root).out, re.MULTILINE)


def test_what_a_finding_says_is_no_problem_besides(audit: Asked, project: Project) -> None:
    files = {f".agents/skills/{name}/SKILL.md": _BROKEN.format(name) for name in ("one", "two")}
    root = project({**files, "AGENTS.md": "x\n", "docs/plain.md": _BROKEN.format("plain")})
    out, err = audit(cwd=root)
    assert "drops these 2 files: frontmatter is not valid YAML" in out
    assert [line for line in err.splitlines() if "not valid YAML" in line and "SKILL.md" in line] == []
    notices = audit("--json", cwd=root).notices
    assert {each["path"] for each in notices if each["code"] == "frontmatter-yaml"} >= set(files)


def test_agents_that_leave_no_trace_are_named_in_one_line(audit: Asked, project: Project) -> None:
    told = audit("-q", "--every", cwd=project({"AGENTS.md": "x\n"})).out
    (line,) = re.findall(r"AGENTS\.md is also read by .*?; found nothing else of theirs", " ".join(told.split()))
    for name in ("Claude Code", "Cursor", "GitHub Copilot in VS Code"):
        assert name in line
    assert "OpenAI Codex" not in line
    for files in ({"AGENTS.md": "x\n", ".cursor/rules/a.mdc": "x\n"}, {".codex/config.toml": "", "CLAUDE.md": "x\n"}):
        assert "is also read by" not in audit("-q", cwd=project(files)).out


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


def test_a_terminal_gets_colors_unless_the_user_wants_none(audit: Asked, sample: Path) -> None:
    colored, plain = _at_terminal(sample), _at_terminal(sample, NO_COLOR="1")
    assert "\x1b[1;31merror\x1b[0m   secret" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain
    assert max(map(len, plain.splitlines())) <= 100
    assert "\x1b" not in plain + audit("-q").out


def test_people_read_of_notes_and_programs_of_info(audit: Asked, project: Project) -> None:
    root = project({"AGENTS.md": "Text.\n\nSee [it](./gone).\n", "docs/a.md": "x\n"})
    lines = audit("-q", "--every", cwd=root).out.splitlines()
    assert any(line.startswith("note    broken-link  AGENTS.md:3") for line in lines)
    assert not any(line.startswith("info") for line in lines)
    assert "<summary>note: Broken link" in audit("-q", "--format", "markdown", cwd=root).out
    assert {each["severity"] for each in audit("--json", cwd=root).result["findings"]} == {"info"}
