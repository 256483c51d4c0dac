"""The commands as processes: exit status, bytes on stdout, words on stderr."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctxtui.core.disk.root import write_atomic
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.tokens import whole
from ctxtui.core.tokens.encodings import encoding
from ctxtui.session.saved.config import user_file
from tests.cases import cases
from tests.conftest import Asked, Ctxtui


def count(text: str) -> int:
    return len(encoding("o200k_base").encode(text, disallowed_special=()))


def _recipe(root: Path, name: str, text: str) -> None:
    place = root / ".ctxtui" / "recipes" / f"{name}.yaml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def test_ls_to_a_pipe_is_separated_by_tabs(ctxtui: Ctxtui, sample: Path) -> None:
    done = ctxtui("ls")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert {len(row) for row in rows} == {5}
    tasks = next(row for row in rows if row[0] == ".context/TASKS")
    assert tasks == [
        ".context/TASKS",
        str(count((sample / ".context/TASKS.md").read_text())),
        "600",
        "always",
        ".context",
    ]
    assert [*dict.fromkeys(row[4] for row in rows)] == ["agents", ".context", "catalog", "entries", "files"]


def test_ls_as_json_is_one_document(ctxtui: Ctxtui) -> None:
    document = json.loads(ctxtui("ls", "--json").stdout)
    assert set(document) == {"result", "notices"}
    row = next(row for row in document["result"] if row["id"] == "python/fastapi_patterns")
    assert (row["estimatedTokens"], row["loadingStrategy"], row["exact"]) == (400, "onDemand", True)
    assert row["crossDomainTriggers"] == ["security/security_guidelines"]


def _with_large_data(sample: Path) -> int:
    """Large data in the sample; returns its bytes."""
    lock, cassette = "{}\n", "interactions: []\n" * 60
    (sample / "package-lock.json").write_text(lock)
    (sample / "tests/cassettes").mkdir(parents=True)
    (sample / "tests/cassettes/a.yaml").write_text(cassette)
    return len(lock + cassette)


def test_ls_counts_large_data_on_request_only(ctxtui: Ctxtui, sample: Path) -> None:
    before = ctxtui("ls").stderr
    assert _with_large_data(sample) == 1_023

    def tokens(*options: str) -> dict[str, str]:
        return {row.split("\t")[0]: row.split("\t")[1] for row in ctxtui("ls", *options).stdout.splitlines()}

    counted = tokens("--large")
    assert counted["package-lock.json"] == str(count("{}\n"))
    # They are known now, and left out all the same.
    assert tokens() == counted | {"package-lock.json": "", "tests/cassettes/a.yaml": ""}
    told = ctxtui("ls").stderr
    assert "note: 2 large files (1 kB) are not counted; --large counts them" in told
    sums = [line.split(" files, ")[1].split(" tokens")[0] for line in (before, told.splitlines()[-1])]
    assert sums[0] == sums[1]
    assert "(o200k_base) + 1 kB not counted; 1 more path" in told
    assert "not counted" not in ctxtui("ls", "--large").stderr


def test_ls_as_json_names_the_bytes_of_large_data(ctxtui: Ctxtui, sample: Path) -> None:
    _with_large_data(sample)

    def row(*options: str) -> tuple[object, ...]:
        document = json.loads(ctxtui("ls", "--json", *options).stdout)
        found = next(row for row in document["result"] if row["id"] == "tests/cassettes/a.yaml")
        codes = [notice["code"] for notice in document["notices"]]
        return found["tokens"], found["bytes"], found["large"], codes.count("not-counted")

    assert row() == (None, 1_020, "cassette", 1)
    assert row("--large") == (count("interactions: []\n" * 60), 1_020, "cassette", 0)
    tasks = next(row for row in json.loads(ctxtui("ls", "--json").stdout)["result"] if row["id"] == ".context/TASKS")
    assert (tasks["bytes"], tasks["large"]) == ((sample / ".context/TASKS.md").stat().st_size, None)


def test_build_takes_large_data_by_name_and_says_what_a_folder_leaves_out(ctxtui: Ctxtui, sample: Path) -> None:
    _with_large_data(sample)
    (sample / "tests/test_a.py").write_text("def test_a(): pass\n")
    named = ctxtui("build", "--pick", "tests/cassettes/a.yaml")
    assert "interactions: []" in named.stdout
    assert f"{count(named.stdout)} tokens" in named.stderr
    folder = ctxtui("build", "--pick", "tests")
    assert "interactions" not in folder.stdout
    assert "note: 1 large file in tests (1 kB) is not picked; pick it by its path" in folder.stderr
    assert ctxtui("build", "--pick", "tests/cassettes").stdout == named.stdout


def test_show_takes_ids_paths_and_endings(ctxtui: Ctxtui, sample: Path) -> None:
    names = (
        "python/fastapi_patterns",
        "context_library/python/fastapi_patterns.md",
        "fastapi_patterns.md",
        "fastapi_patterns",
    )
    seen = {ctxtui("show", name).stdout for name in names}
    assert len(seen) == 1
    from_below = ctxtui("show", "fastapi_patterns.md", "-C", str(sample), cwd=sample / "context_library" / "python")
    assert from_below.stdout in seen


def test_show_gives_the_exact_text_of_a_section(ctxtui: Ctxtui, sample: Path) -> None:
    text = (sample / ".context/TASKS.md").read_text()
    section = ctxtui("show", "TASKS.md#in-progress").stdout
    assert section.startswith("## In progress\n")
    assert section in text
    assert ctxtui("show", "TASKS.md", "--section", "In Progress").stdout == section


def test_an_ambiguous_name_lists_its_candidates(ctxtui: Ctxtui) -> None:
    done = ctxtui("show", "index.md")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "python/index" in done.stderr
    assert "security/index" in done.stderr


def test_a_recipe_of_a_folder_above_is_pointed_to(ctxtui: Ctxtui, sample: Path) -> None:
    _recipe(sample, "mine", "version: 1\npicks:\n- id: AGENTS.md\n")
    below, above = (sample / "src").resolve(), sample.resolve()
    for words in (("build", "-r", "mine"), ("build", "mine")):
        done = ctxtui(*words, "-C", str(below))
        assert done.returncode == 3, done.stderr
        assert f"no recipe mine in {below / '.ctxtui/recipes'}" in done.stderr.replace("\n", " ")
        assert f"{above} has it: name the project with -C {above}" in done.stderr
    assert "has it" not in ctxtui("build", "other", "-C", str(below)).stderr
    assert "has it" not in ctxtui("build", "./mine.yaml", "-C", str(below)).stderr


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("show", "fastapi_paterns"), 3, "did you mean python/fastapi_patterns"),
        (("show", "TASKS.md#in-progres"), 3, "did you mean in-progress"),
        (("build",), 2, "nothing to build"),
        (("build", "nosuch"), 3, "no recipe nosuch"),
        (("build", "--pick", "AGENTS.md", "--budget", "twelve"), 2, "write 12000 or 12k"),
        (("build", "--pick", "AGENTS.md", "--model", " "), 2, "the value is empty"),
        (
            ("build", "--pick", "AGENTS.md", "--model", "gpt-5", "--tokenizer", "heuristic"),
            2,
            "--model or --tokenizer",
        ),
        (("build", "--pick", "AGENTS.md", "-o", "AGENTS.md/x"), 4, "cannot write AGENTS.md/x"),
        (("build", "--pick", "AGENTS.md", "--prompt", "@nosuch"), 4, "the prompt nosuch cannot be read"),
        (("ls", "nosuch"), 2, "nosuch does not exist"),
        (("ls", "AGENTS.md"), 2, "is a file, not a folder"),
        (("lss",), 2, "did you mean `ls`"),
        (("build", "--nosuch"), 2, "ctxtui build --help"),
    ],
)
def test_mistakes_get_a_message_and_a_remedy(ctxtui: Ctxtui, words: tuple[str, ...], status: int, said: str) -> None:
    done = ctxtui(*words)
    assert (done.returncode, done.stdout) == (status, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_repository_without_its_files_is_not_taken_for_a_project(ctxtui: Ctxtui, sample: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(sample / "own.git")], check=True)
    done = ctxtui("ls", "own.git")
    assert (done.returncode, done.stdout) == (2, "")
    assert "own.git is a git repository without its files" in done.stderr
    assert "git clone own.git" in done.stderr


@pytest.mark.parametrize("form", FORMATS)
def test_build_prints_what_it_counted(ctxtui: Ctxtui, form: str) -> None:
    words = ("build", "--pick", "AGENTS.md", "--pick", "TASKS.md#done", "--prompt", "Review.", "--format", form)
    done = ctxtui(*words)
    assert done.returncode == 0
    assert f"{count(done.stdout):,} tokens (o200k_base) in 3 blocks" in done.stderr
    told = json.loads(ctxtui(*words, "--json").stdout)["result"]
    assert (told["tokens"], told["text"]) == (count(done.stdout), done.stdout)


def test_build_over_its_budget_writes_nothing(ctxtui: Ctxtui, sample: Path) -> None:
    done = ctxtui("build", "--pick", "AGENTS.md", "--budget", "100", "-o", "out.md")
    assert (done.returncode, done.stdout) == (1, "")
    assert "586 tokens exceed the limit of 100 by 486" in done.stderr
    assert not (sample / "out.md").exists()


@pytest.mark.parametrize("over", ["cut", "fit"])
def test_build_keeps_within_its_budget(ctxtui: Ctxtui, over: str) -> None:
    done = ctxtui("build", "--pick", ".context/", "--budget", "3k", "--over", over)
    assert done.returncode == 0
    assert count(done.stdout) <= 3000
    assert ("[truncated]" in done.stdout) == (over == "cut")
    assert {"cut": "cut: ", "fit": "left out: "}[over] in done.stderr


def test_ids_come_from_stdin(ctxtui: Ctxtui) -> None:
    lines = ctxtui("build", "--pick", "-", stdin="AGENTS.md\ndocs/runbook.md\n\n")
    nul = ctxtui("build", "--pick", "-", "-0", stdin="AGENTS.md\0docs/runbook.md\0")
    assert lines.returncode == 0
    assert lines.stdout == nul.stdout


def test_a_recipe_is_named_as_for_the_app_too(ctxtui: Ctxtui, sample: Path) -> None:
    _recipe(sample, "review", "picks:\n- AGENTS.md\n")
    plain, named = ctxtui("build", "review"), ctxtui("build", "-r", "review")
    assert (plain.returncode, named.returncode) == (0, 0)
    assert plain.stdout == named.stdout != ""
    both = ctxtui("build", "-r", "review", "other")
    assert (both.returncode, both.stdout) == (2, "")
    assert "two recipes: other and review" in both.stderr


def test_a_recipe_gives_the_same_bytes_and_says_what_is_stale(ctxtui: Ctxtui, sample: Path) -> None:
    _recipe(
        sample,
        "review",
        "picks:\n- AGENTS.md\n- id: docs/runbook.md\n  digest: 000000000000\n- gone.md\nformat: xml\n",
    )
    first, second = ctxtui("build", "review"), ctxtui("build", "review")
    assert first.stdout == second.stdout
    assert first.stdout.startswith("<documents>")
    assert first.returncode == 3
    assert "missing: gone.md" in first.stderr
    assert "docs/runbook.md has changed" in first.stderr
    check = ctxtui("check")
    assert check.returncode == 1
    assert check.stdout.startswith("FAIL review")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("picks: [a\n", "review.yaml:2:"),
        ("pick: []\n", "unknown key `pick`"),
        ("picks: [AGENTS.md, AGENTS.md]\n", "picked twice"),
        ("picks: []\nbudget: [1]\n", "should be a number of tokens"),
        ("picks: []\nformat: html\n", "one of markdown, xml, json"),
        ("picks: &a [*a]\n", "aliases"),
        ("just text\n", "a recipe has `picks:`"),
    ],
)
def test_a_damaged_recipe_is_refused_by_name(ctxtui: Ctxtui, sample: Path, text: str, said: str) -> None:
    _recipe(sample, "review", text)
    done = ctxtui("build", "review")
    assert (done.returncode, done.stdout) == (2, "")
    assert "review.yaml" in done.stderr
    assert said in done.stderr


def test_secrets_are_replaced_kept_or_refused(ctxtui: Ctxtui) -> None:
    words = ("build", "--pick", "entries/key-in-screenshot")
    redacted, kept, failed = (ctxtui(*words, "--secrets", how) for how in ("redact", "keep", "fail"))
    assert "[redacted: aws-key]" in redacted.stdout
    assert "AKIA" not in redacted.stdout
    assert "notes/key-in-screenshot.md:11: a secret (aws-key), replaced in the export" in redacted.stderr
    assert "AKIA" in kept.stdout
    assert (failed.returncode, failed.stdout) == (2, "")
    assert "notes/key-in-screenshot.md:11 contains a secret" in failed.stderr


def test_an_estimate_is_never_shown_as_exact(ctxtui: Ctxtui) -> None:
    done = ctxtui("build", "--pick", "AGENTS.md", "--model", "claude-opus-4-6")
    words = ("build", "--pick", "AGENTS.md", "--model", "claude-opus-4-6", "--json")
    told = json.loads(ctxtui(*words).stdout)["result"]
    assert json.loads(ctxtui(*words, "-o", "-").stdout)["result"] == told
    assert told["exact"] is False
    assert told["tokens"] > count(done.stdout)
    assert (told["label"], told["whole"]["label"], told["whole"]["basisTokens"]) == (
        "estimated",
        "estimated",
        count(done.stdout),
    )
    size = f"≈ {told['tokens']:,} tokens (claude-opus-4-6, {told['band']}); {count(done.stdout)} o200k_base exact"
    assert size in done.stderr


def test_a_model_that_no_one_knows_is_estimated_with_a_hint(ctxtui: Ctxtui) -> None:
    done = ctxtui("build", "--pick", "AGENTS.md", "--model", "gtp-5")
    assert done.returncode == 0
    assert "the tokenizer of gtp-5 is not public" in done.stderr
    assert "did you mean gpt-5" in done.stderr
    assert "≈" in done.stderr
    assert "not public" not in ctxtui("build", "--pick", "AGENTS.md", "--model", "gpt-6-luna").stderr


def test_configuration_is_layered_and_checked(ctxtui: Ctxtui, sample: Path) -> None:
    (sample / "ctxtui.toml").write_text('budget = "100"\n')
    assert ctxtui("build", "--pick", "AGENTS.md").returncode == 1
    assert ctxtui("build", "--pick", "AGENTS.md", CTXTUI_BUDGET="1k").returncode == 0
    assert ctxtui("build", "--pick", "AGENTS.md", "--budget", "2k", CTXTUI_BUDGET="100").returncode == 0
    (sample / "ctxtui.toml").write_text("budgets = 1\n")
    wrong = ctxtui("ls")
    assert wrong.returncode == 2
    assert "did you mean `budget`?" in wrong.stderr
    for setting, why in (("budget", "not a number of tokens: 'x'"), ("tokenizer", "unknown tokenizer or model: x")):
        (sample / "ctxtui.toml").write_text(f'# Ours\n{setting} = "x"\n')
        wrong = ctxtui("ls")
        assert (wrong.returncode, f"ctxtui.toml:2: `{setting}`: {why}" in wrong.stderr) == (2, True)
        (sample / "ctxtui.toml").unlink()
        wrong = ctxtui("ls", **{f"CTXTUI_{setting.upper()}": "x"})
        assert (wrong.returncode, f"CTXTUI_{setting.upper()}: {why}" in wrong.stderr) == (2, True)
    (sample / "ctxtui.toml").write_text('editor = "rm -rf"\n')
    assert "a project cannot set it" in ctxtui("ls").stderr


def test_globs_narrow_the_listing(ctxtui: Ctxtui) -> None:
    done = ctxtui("ls", "--include", "docs/**", "--exclude", "docs/style.md")
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["docs/runbook.md"]


def test_a_bug_gets_a_log_and_no_traceback(ctxtui: Ctxtui, sample: Path) -> None:
    code = "import sys, ctxtui.cli.explore.ls as ls, ctxtui.cli.__main__ as it; ls.open_configured = 1; sys.exit(it.main(['ls']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=sample, capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert "Traceback" not in done.stderr
    log = Path(done.stderr.split("with ")[-1].strip())
    assert "TypeError" in log.read_text("utf-8")


def test_build_narrows_a_task_list(ctxtui: Ctxtui) -> None:
    done = ctxtui("build", "--pick", ".context/TASKS.md", "--tasks", "open")
    assert done.returncode == 0
    assert done.stdout.startswith("<!-- source: .context/TASKS.md; open tasks only")
    assert "- [ ] Partial refunds" in done.stdout
    assert "[x]" not in done.stdout
    assert f"{count(done.stdout):,} tokens" in done.stderr
    refused = ctxtui("build", "--pick", "docs/runbook.md", "--tasks", "open")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "has no tasks" in refused.stderr


def test_build_narrows_all_picks_and_brings_none_back(ctxtui: Ctxtui, sample: Path) -> None:
    (sample / ".context" / "BAD.md").write_bytes(b"- [ ] x\n\xff\x00")
    words = ("--pick", ".context", "--pick", "AGENTS.md", "--pick", "!AGENTS.md")
    assert "open tasks only" in ctxtui("build", *words, "--tasks", "open").stdout
    without = ctxtui("build", *words, "--pick", "!.context/TASKS.md", "--tasks", "open")
    assert (without.returncode, "TASKS" in without.stdout, "AGENTS.md -->" in without.stdout) == (0, False, False)
    _recipe(sample, "list", "picks:\n- id: .context/TASKS\n  tasks: done\n- gone.md\n- AGENTS.md\n")
    done = ctxtui("build", "list", "--tasks", "blocked")
    assert (done.returncode, "TASKS.md; blocked tasks only" in done.stdout) == (3, True)
    assert ctxtui("build", "--pick", "TASKS.md#L1-L3", "--tasks", "open").returncode == 2


def test_check_fails_for_lines_that_are_gone(ctxtui: Ctxtui, sample: Path) -> None:
    for lines, status in (("1-2", 0), ("9000-9001", 1)):
        _recipe(sample, "lines", f"picks:\n- id: AGENTS.md\n  lines: {lines}\n- CLAUDE.md\n")
        done = ctxtui("check", "lines")
        assert done.returncode == status
        assert ("missing: lines:AGENTS.md:9000-9001 is gone" in done.stdout) == bool(status)


@cases(("tokens", "status"), [(3_500, 0), (3_501, 1)])
def test_check_compares_a_limit_with_the_number_that_build_compares(
    sample: Path, monkeypatch: pytest.MonkeyPatch, asked: Asked, tokens: int, status: int
) -> None:
    """A reconstructed vocabulary knows better than the band of the estimate, which is over the limit."""
    monkeypatch.chdir(sample)
    monkeypatch.setattr(whole, "is_installed", lambda: True)
    # Numbers are kept by edition.
    monkeypatch.setattr(whole, "edition", lambda: f"ctok {tokens}")
    monkeypatch.setattr(whole, "reconstructed_tokens", lambda _text, _tables: tokens)
    _recipe(sample, "r", "picks: [AGENTS.md, .context/TASKS]\nmodel: claude-opus-5\nbudget: 3500\n")
    assert asked("build", "r", status=status).err.count("exceed the limit") == status
    result = json.loads(asked("check", "r", "--json", status=status).out)["result"]
    assert (result["ok"], result["over"]) == (not status, bool(status))


def test_one_damaged_recipe_does_not_stop_the_check_of_the_others(
    sample: Path, monkeypatch: pytest.MonkeyPatch, asked: Asked
) -> None:
    monkeypatch.chdir(sample)
    recipes = sample / ".ctxtui" / "recipes"
    _recipe(sample, "good", "picks: [AGENTS.md]\n")
    _recipe(sample, "damaged", "picks: [AGENTS.md]\nbudgets: 3k\n")
    (recipes / "link.yaml").symlink_to("/etc/hostname")
    (recipes / "bytes.yaml").write_bytes(b"picks: [\xff]\n")
    (recipes / "folder.yaml").mkdir()
    os.mkfifo(recipes / "pipe.yaml")
    told = asked("check", status=1).out
    words = {line.split()[1]: line.split()[0] for line in told.splitlines() if not line.startswith(" ")}
    assert words == {"good": "ok"} | dict.fromkeys(("bytes", "damaged", "folder", "link", "pipe"), "FAIL")
    for said in ("damaged.yaml:2", "leads out of the project", "not valid UTF-8", "not a regular file", "a folder"):
        assert said in told
    assert told.count("unreadable-recipe: ") == 5
    rows = {each["recipe"]: each for each in asked("check", "--json", status=1).result}
    assert (rows["good"]["ok"], rows["link"]["ok"], rows["link"]["tokens"]) == (True, False, None)
    assert set(rows["link"]) == set(rows["good"])
    asked("check", "damaged", status=2)


def test_a_folder_of_recipes_that_leads_out_stops_the_check(
    sample: Path, monkeypatch: pytest.MonkeyPatch, asked: Asked
) -> None:
    monkeypatch.chdir(sample)
    (sample / ".ctxtui").mkdir()
    (sample.parent / "elsewhere").mkdir()
    (sample.parent / "elsewhere" / "r.yaml").write_text("picks: [AGENTS.md]\n")
    (sample / ".ctxtui" / "recipes").symlink_to("../../elsewhere")
    for words in (["check"], ["check", "r"], ["build", "r"]):
        said = asked(*words, status=2)
        assert said.out == ""
        assert "leads out of the project" in said.err


@pytest.mark.parametrize("name", ["ctxtui.toml", "pyproject.toml"])
def test_no_configuration_fills_memory(sample: Path, name: str) -> None:
    (sample / name).unlink(missing_ok=True)
    (sample / name).symlink_to("/dev/zero")
    code = "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (4 << 30,) * 2)\n"
    code += "from ctxtui.cli.__main__ import main; sys.exit(main(['ls']))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=sample, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == (2 if name == "ctxtui.toml" else 0)
    assert name in done.stderr
    assert "replace" in done.stderr or "its settings are ignored" in done.stderr


def test_a_prompt_is_read_from_a_regular_file(sample: Path, monkeypatch: pytest.MonkeyPatch, asked: Asked) -> None:
    monkeypatch.chdir(sample)
    (sample / "ask.txt").write_bytes("\ufeffÉté?\r\n".encode())
    (sample / "bad.txt").write_bytes(b"\xff")
    os.mkfifo(sample / "pipe.txt")
    words = ["build", "--pick", "AGENTS.md", "--json", "--prompt"]
    text = asked(*words, "@ask.txt").result["text"]
    assert "Été?\n" in text
    assert "\ufeff" not in text
    for name, problem in (("bad.txt", "not valid UTF-8"), ("pipe.txt", "not a regular file")):
        said = asked(*words, f"@{name}", status=4)
        assert said.out == ""
        assert f"the prompt {name} is {problem}" in said.err


def test_an_unknown_key_binding_names_the_nearest(ctxtui: Ctxtui) -> None:
    write_atomic(user_file(), b'[keys]\nsorrt = "Z"\n')
    done = ctxtui()
    assert done.returncode == 2
    assert "`sorrt` does not exist" in done.stderr
    assert "did you mean `sort`?" in done.stderr
    assert done.stdout == ""


@cases("command", ["ls", "audit", "load", "mcp", "check", "protocol", "build", "retrieve"])
@cases("name", ["x" * 5_000, "a\0b", "no/such/folder"])
def test_a_project_that_cannot_be_is_told(command: str, name: str, asked: Asked) -> None:
    words = {
        "protocol": ["python", "-C", name],
        "check": ["-C", name],
        "build": ["-C", name],
        "retrieve": ["x", "-C", name],
    }
    assert "a bug" not in asked(command, *words.get(command, [name]), status=(2, 3, 4)).err
