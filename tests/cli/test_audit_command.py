"""`ctxtui audit`: formats, exit statuses, limits, what a touch brings, fixes, history."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

Ctxtui = Callable[..., subprocess.CompletedProcess[str]]


def _git(root: Path, *words: str) -> None:
    environment = os.environ | {
        f"GIT_{who}_{what}": "x@y.z" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, env=environment)


def _committed(root: Path) -> None:
    _git(root, "init", "-q", "-b", "main")
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", "begin")


def test_the_table_tells_starts_sums_and_findings(ctxtui: Ctxtui) -> None:
    done = ctxtui("audit")
    assert done.returncode == 1
    assert "FAIL start claude-code" in done.stdout
    for words in ("START ", "claude-code", "WHERE ", "catalog: python", "token-drift", ".context/TASKS.md:4"):
        assert words in done.stdout
    assert "context files" in done.stderr


def test_findings_fail_only_where_that_is_asked_for(ctxtui: Ctxtui, sample: Path) -> None:
    (sample / "ctxtui.toml").unlink()
    assert ctxtui("audit", "--fail-on", "warning").returncode == 1
    assert ctxtui("audit").returncode == 0


def test_limits_of_the_project_fail_the_run_in_one_line(ctxtui: Ctxtui, sample: Path) -> None:
    _committed(sample)
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
    assert "ok   total" in done.stdout


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
    assert ctxtui("audit", "--write-baseline", "base.json").returncode == 0
    assert ctxtui("audit", "--baseline", "base.json", "--fail-on", "info").returncode == 0
    guide = sample / "context_library/security/security_guidelines.md"
    guide.write_text(guide.read_text().replace("estimatedTokens: ", "estimatedTokens: 9", 1))
    assert ctxtui("audit", "--baseline", "base.json", "--fail-on", "info").returncode == 1
    assert ctxtui("audit", "--baseline", "none.json").returncode == 3


def test_what_a_touch_brings(ctxtui: Ctxtui) -> None:
    done = ctxtui("audit", "--touch", "src/api/orders.py")
    assert "claude-code  +" in done.stdout
    assert ".claude/rules/api.md" in done.stdout
    (agent, *_) = json.loads(ctxtui("audit", "--touch", "src/api/orders.py", "--json", "-q").stdout)["result"][
        "agents"
    ]
    assert agent["tokens"] == sum(file["tokens"] for file in agent["files"])


def test_a_fix_writes_exact_numbers_and_nothing_else(ctxtui: Ctxtui, sample: Path) -> None:
    before = (sample / ".context/TASKS.md").read_text()
    done = ctxtui("audit", "--fix")
    assert "-estimatedTokens: 600" in done.stdout
    assert (sample / ".context/TASKS.md").read_text() == before.replace(
        "estimatedTokens: 600", "estimatedTokens: 1656"
    )
    assert "token-drift" not in ctxtui("audit").stdout


def test_the_history_of_a_project(ctxtui: Ctxtui, sample: Path) -> None:
    _committed(sample)
    (sample / "AGENTS.md").write_text((sample / "AGENTS.md").read_text() * 2)
    _git(sample, "commit", "-qam", "say it twice")
    done = ctxtui("audit", "--history")
    assert "say it twice" in done.stdout.splitlines()[0]
    assert "GREW MOST" in done.stdout
    assert "AGENTS.md" in done.stdout
    assert ctxtui("audit", "--history", cwd=sample.parent).returncode == 2


def test_prices_with_a_model(ctxtui: Ctxtui) -> None:
    assert "dollars a request with gpt-5" in ctxtui("audit", "--model", "gpt-5").stdout
