"""The commands as processes: exit status, bytes on stdout, words on stderr."""

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
from tests.cli.conftest import recipe
from tests.cli.streams import Refused
from tests.conftest import Asked


def count(text: str) -> int:
    return len(encoding("o200k_base").encode(text, disallowed_special=()))


def test_ls_to_a_pipe_is_separated_by_tabs_and_as_json_is_one_document(cli: Asked, sample: Path) -> None:
    rows = [line.split("\t") for line in cli("ls").out.splitlines()]
    assert {len(row) for row in rows} == {5}
    tokens = str(count((sample / ".context/TASKS.md").read_text()))
    assert [".context/TASKS", tokens, "600", "always", ".context"] in rows
    assert [*dict.fromkeys(row[4] for row in rows)] == ["agents", ".context", "catalog", "entries", "files"]
    document = json.loads(cli("ls", "--json").out)
    assert set(document) == {"result", "notices"}
    row = next(row for row in document["result"] if row["id"] == "python/fastapi_patterns")
    assert (row["estimatedTokens"], row["loadingStrategy"], row["exact"]) == (400, "onDemand", True)
    assert row["crossDomainTriggers"] == ["security/security_guidelines"]
    narrow = cli("ls", "--include", "docs/**", "--exclude", "docs/style.md").out
    assert [line.split("\t")[0] for line in narrow.splitlines()] == ["docs/runbook.md"]


LARGE = {"package-lock.json": "{}\n", "tests/cassettes/a.yaml": "interactions: []\n" * 60}


def _add_large_data(sample: Path) -> None:
    """Add 1,023 bytes of it."""
    (sample / "tests/cassettes").mkdir(parents=True)
    for name, text in LARGE.items():
        (sample / name).write_text(text)


def test_ls_counts_large_data_on_request_only(cli: Asked, sample: Path) -> None:
    def tokens(*options: str) -> dict[str, str]:
        return {row.split("\t")[0]: row.split("\t")[1] for row in cli("ls", *options).out.splitlines()}

    def total(*options: str) -> str:
        return cli("ls", *options).err.splitlines()[-1].split(" files, ")[1].split(" tokens")[0]

    before = total()
    _add_large_data(sample)
    counted = tokens("--large")
    assert counted["package-lock.json"] == str(count("{}\n"))
    # They are known now, and left out all the same.
    assert tokens() == counted | dict.fromkeys(LARGE, "")
    assert total() == before
    told = cli("ls").err
    assert "note: 2 large files (1 kB) are not counted; --large counts them" in told
    assert "(o200k_base) + 1 kB not counted; 1 more path" in told
    assert "not counted" not in cli("ls", "--large").err


def test_ls_as_json_names_the_bytes_of_large_data(cli: Asked, sample: Path) -> None:
    _add_large_data(sample)
    for options, tokens in (((), None), (("--large",), count(LARGE["tests/cassettes/a.yaml"]))):
        said = cli("ls", "--json", *options)
        rows = {row["id"]: row for row in said.result}
        large, tasks = rows["tests/cassettes/a.yaml"], rows[".context/TASKS"]
        assert (large["tokens"], large["bytes"], large["large"]) == (tokens, 1_020, "cassette")
        assert [notice["code"] for notice in said.notices].count("not-counted") == (tokens is None)
        size = (sample / ".context/TASKS.md").stat().st_size
        assert (tasks["bytes"], tasks["large"]) == (size, None)


def test_build_takes_large_data_by_name_and_says_what_a_folder_leaves_out(cli: Asked, sample: Path) -> None:
    _add_large_data(sample)
    (sample / "tests/test_a.py").write_text("def test_a(): pass\n")
    named = cli("build", "--pick", "tests/cassettes/a.yaml")
    assert "interactions: []" in named.out
    assert f"{count(named.out)} tokens" in named.err
    folder = cli("build", "--pick", "tests")
    assert "interactions" not in folder.out
    assert "note: 1 large file in tests (1 kB) is not picked; pick it by its path" in folder.err
    assert cli("build", "--pick", "tests/cassettes").out == named.out


def test_show_takes_ids_paths_and_endings(cli: Asked, refused: Refused, sample: Path) -> None:
    file = "fastapi_patterns.md"
    names = ("python/fastapi_patterns", f"context_library/python/{file}", file, "fastapi_patterns")
    (text,) = {cli("show", name).out for name in names}
    assert cli("show", file, "-C", str(sample), cwd=sample / "context_library" / "python").out == text
    ambiguous = refused("show", "index.md")
    assert "python/index" in ambiguous
    assert "security/index" in ambiguous


def test_show_gives_the_exact_text_of_a_section(cli: Asked, sample: Path) -> None:
    section = cli("show", "TASKS.md#in-progress").out
    assert section.startswith("## In progress\n")
    assert section in (sample / ".context/TASKS.md").read_text()
    assert cli("show", "TASKS.md", "--section", "In Progress").out == section


def test_a_recipe_of_a_folder_above_is_pointed_to(cli: Asked, sample: Path) -> None:
    recipe(sample, "mine", "version: 1\npicks:\n- id: AGENTS.md\n")
    below, above = (sample / "src").resolve(), sample.resolve()
    for words in (("build", "-r", "mine"), ("build", "mine")):
        err = cli(*words, "-C", str(below), status=3).err
        assert f"no recipe mine in {below / '.ctxtui/recipes'}" in err.replace("\n", " ")
        assert f"{above} has it: name the project with -C {above}" in err
    for name in ("other", "./mine.yaml"):
        assert "has it" not in cli("build", name, "-C", str(below), status=3).err


PICK = ("build", "--pick", "AGENTS.md")


@cases(
    ("words", "status", "said"),
    [
        (("show", "fastapi_paterns"), 3, "did you mean python/fastapi_patterns"),
        (("show", "TASKS.md#in-progres"), 3, "did you mean in-progress"),
        (("build",), 2, "nothing to build"),
        (("build", "nosuch"), 3, "no recipe nosuch"),
        ((*PICK, "--budget", "twelve"), 2, "write 12000 or 12k"),
        ((*PICK, "--model", " "), 2, "the value is empty"),
        ((*PICK, "--model", "gpt-5", "--tokenizer", "heuristic"), 2, "--model or --tokenizer"),
        ((*PICK, "-o", "AGENTS.md/x"), 4, "cannot write AGENTS.md/x"),
        ((*PICK, "--prompt", "@nosuch"), 4, "the prompt nosuch cannot be read"),
        (("ls", "nosuch"), 2, "nosuch does not exist"),
        (("ls", "AGENTS.md"), 2, "is a file, not a folder"),
        (("lss",), 2, "did you mean `ls`"),
        (("build", "--nosuch"), 2, "ctxtui build --help"),
        (("ls", "own.git"), 2, "own.git is a git repository without its files"),
        (("ls", "own.git"), 2, "git clone own.git"),
    ],
)
def test_mistakes_get_a_message_and_a_remedy(
    refused: Refused, sample: Path, words: tuple[str, ...], status: int, said: str
) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(sample / "own.git")], check=True)
    err = refused(*words, status=status)
    assert said in err
    assert "Traceback" not in err


@cases("form", FORMATS)
def test_build_prints_what_it_counted(cli: Asked, form: str) -> None:
    words = (*PICK, "--pick", "TASKS.md#done", "--prompt", "Review.", "--format", form)
    out, err = cli(*words)
    assert f"{count(out):,} tokens (o200k_base) in 3 blocks" in err
    told = cli(*words, "--json").result
    assert (told["tokens"], told["text"]) == (count(out), out)


def test_build_over_its_budget_writes_nothing(refused: Refused, sample: Path) -> None:
    err = refused(*PICK, "--budget", "100", "-o", "out.md", status=1)
    assert "586 tokens exceed the limit of 100 by 486" in err
    assert not (sample / "out.md").exists()


def test_build_keeps_within_its_budget(cli: Asked) -> None:
    for over, told in (("cut", "cut: "), ("fit", "left out: ")):
        out, err = cli("build", "--pick", ".context/", "--budget", "3k", "--over", over)
        assert count(out) <= 3000
        assert ("[truncated]" in out) == (over == "cut")
        assert told in err


def test_ids_come_from_stdin(cli: Asked) -> None:
    lines = cli("build", "--pick", "-", stdin="AGENTS.md\ndocs/runbook.md\n\n").out
    assert cli("build", "--pick", "-", "-0", stdin="AGENTS.md\0docs/runbook.md\0").out == lines != ""


def test_a_recipe_gives_the_same_bytes_and_says_what_is_stale(cli: Asked, refused: Refused, sample: Path) -> None:
    stale = "- id: docs/runbook.md\n  digest: 000000000000\n- gone.md\nformat: xml\n"
    recipe(sample, "review", f"picks:\n- AGENTS.md\n{stale}")
    first, second, named = (cli("build", *words, status=3) for words in (["review"], ["review"], ["-r", "review"]))
    assert first.out == second.out == named.out
    assert first.out.startswith("<documents>")
    assert "missing: gone.md" in first.err
    assert "docs/runbook.md has changed" in first.err
    assert cli("check", status=1).out.startswith("FAIL review")
    assert "two recipes: other and review" in refused("build", "-r", "review", "other")


@cases(
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
def test_a_damaged_recipe_is_refused_by_name(refused: Refused, sample: Path, text: str, said: str) -> None:
    recipe(sample, "review", text)
    err = refused("build", "review")
    assert "review.yaml" in err
    assert said in err


def test_secrets_are_replaced_kept_or_refused(cli: Asked, refused: Refused) -> None:
    words = ("build", "--pick", "entries/key-in-screenshot", "--secrets")
    out, err = cli(*words, "redact")
    assert "[redacted: aws-key]" in out
    assert "AKIA" not in out
    assert "notes/key-in-screenshot.md:11: a secret (aws-key), replaced in the export" in err
    assert "AKIA" in cli(*words, "keep").out
    assert "notes/key-in-screenshot.md:11 contains a secret" in refused(*words, "fail")


def test_an_estimate_is_never_shown_as_exact(cli: Asked) -> None:
    words = (*PICK, "--model", "claude-opus-4-6")
    out, err = cli(*words)
    told = cli(*words, "--json").result
    assert cli(*words, "--json", "-o", "-").result == told
    assert told["exact"] is False
    assert told["tokens"] > count(out)
    assert told["label"] == told["whole"]["label"] == "estimated"
    assert told["whole"]["basisTokens"] == count(out)
    assert f"≈ {told['tokens']:,} tokens (claude-opus-4-6, {told['band']}); {count(out)} o200k_base exact" in err


def test_a_model_that_no_one_knows_is_estimated_with_a_hint(cli: Asked) -> None:
    err = cli(*PICK, "--model", "gtp-5").err
    for told in ("the tokenizer of gtp-5 is not public", "did you mean gpt-5", "≈"):
        assert told in err
    assert "not public" not in cli(*PICK, "--model", "gpt-6-luna").err


def test_configuration_is_layered_and_checked(cli: Asked, sample: Path) -> None:
    file = sample / "ctxtui.toml"
    file.write_text('budget = "100"\n')
    cli(*PICK, status=1)
    cli(*PICK, CTXTUI_BUDGET="1k")
    cli(*PICK, "--budget", "2k", CTXTUI_BUDGET="100")
    file.write_text("budgets = 1\n")
    assert "did you mean `budget`?" in cli("ls", status=2).err
    for setting, why in (("budget", "not a number of tokens: 'x'"), ("tokenizer", "unknown tokenizer or model: x")):
        file.write_text(f'# Ours\n{setting} = "x"\n')
        assert f"ctxtui.toml:2: `{setting}`: {why}" in cli("ls", status=2).err
        file.unlink()
        variable = f"CTXTUI_{setting.upper()}"
        assert f"{variable}: {why}" in cli("ls", **{variable: "x"}, status=2).err
    file.write_text('editor = "rm -rf"\n')
    assert "a project cannot set it" in cli("ls", status=2).err


def _in_python(sample: Path, code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=sample, capture_output=True, text=True, timeout=60)


def test_a_bug_gets_a_log_and_no_traceback(sample: Path) -> None:
    code = "import sys, ctxtui.cli.explore.ls as ls, ctxtui.cli.__main__ as it; ls.open_configured = 1; sys.exit(it.main(['ls']))"
    done = _in_python(sample, code)
    assert (done.returncode, "Traceback" in done.stderr) == (70, False)
    assert "TypeError" in Path(done.stderr.split("with ")[-1].strip()).read_text("utf-8")


def test_build_narrows_a_task_list(cli: Asked, refused: Refused) -> None:
    out, err = cli("build", "--pick", ".context/TASKS.md", "--tasks", "open")
    assert out.startswith("<!-- source: .context/TASKS.md; open tasks only")
    assert "- [ ] Partial refunds" in out
    assert "[x]" not in out
    assert f"{count(out):,} tokens" in err
    assert "has no tasks" in refused("build", "--pick", "docs/runbook.md", "--tasks", "open")


def test_build_narrows_all_picks_and_brings_none_back(cli: Asked, sample: Path) -> None:
    (sample / ".context" / "BAD.md").write_bytes(b"- [ ] x\n\xff\x00")
    words = ("--pick", ".context", "--pick", "AGENTS.md", "--pick", "!AGENTS.md")
    assert "open tasks only" in cli("build", *words, "--tasks", "open").out
    without = cli("build", *words, "--pick", "!.context/TASKS.md", "--tasks", "open").out
    assert "TASKS" not in without
    assert "AGENTS.md -->" not in without
    recipe(sample, "list", "picks:\n- id: .context/TASKS\n  tasks: done\n- gone.md\n- AGENTS.md\n")
    assert "TASKS.md; blocked tasks only" in cli("build", "list", "--tasks", "blocked", status=3).out
    cli("build", "--pick", "TASKS.md#L1-L3", "--tasks", "open", status=2)


def test_check_fails_for_lines_that_are_gone(cli: Asked, sample: Path) -> None:
    for lines, status in (("1-2", 0), ("9000-9001", 1)):
        recipe(sample, "lines", f"picks:\n- id: AGENTS.md\n  lines: {lines}\n- CLAUDE.md\n")
        done = cli("check", "lines", status=status)
        assert ("missing: lines:AGENTS.md:9000-9001 is gone" in done.out) == bool(status)


@cases(("tokens", "status"), [(3_500, 0), (3_501, 1)])
def test_check_compares_a_limit_with_the_number_that_build_compares(
    sample: Path, monkeypatch: pytest.MonkeyPatch, asked: Asked, tokens: int, status: int
) -> None:
    """A reconstructed vocabulary knows better than the band of the estimate, which is over the limit."""
    monkeypatch.chdir(sample)
    monkeypatch.setattr(whole, "has_ctok", lambda: True)
    # Numbers are kept by edition.
    monkeypatch.setattr(whole, "ctok_edition", lambda: f"ctok {tokens}")
    monkeypatch.setattr(whole, "reconstructed_tokens", lambda _text, _tables: tokens)
    recipe(sample, "r", "picks: [AGENTS.md, .context/TASKS]\nmodel: claude-opus-5\nbudget: 3500\n")
    assert asked("build", "r", status=status).err.count("exceed the limit") == status
    result = asked("check", "r", "--json", status=status).result
    assert (result["ok"], result["over"]) == (not status, bool(status))


def test_one_damaged_recipe_does_not_stop_the_check_of_the_others(cli: Asked, sample: Path) -> None:
    recipes = recipe(sample, "good", "picks: [AGENTS.md]\n").parent
    recipe(sample, "damaged", "picks: [AGENTS.md]\nbudgets: 3k\n")
    (recipes / "link.yaml").symlink_to("/etc/hostname")
    (recipes / "bytes.yaml").write_bytes(b"picks: [\xff]\n")
    (recipes / "folder.yaml").mkdir()
    os.mkfifo(recipes / "pipe.yaml")
    told = cli("check", status=1).out
    words = {line.split()[1]: line.split()[0] for line in told.splitlines() if not line.startswith(" ")}
    assert words == {"good": "ok"} | dict.fromkeys(("bytes", "damaged", "folder", "link", "pipe"), "FAIL")
    for said in ("damaged.yaml:2", "leads out of the project", "not valid UTF-8", "not a regular file", "a folder"):
        assert said in told
    assert told.count("unreadable-recipe: ") == 5
    rows = {each["recipe"]: each for each in cli("check", "--json", status=1).result}
    assert (rows["good"]["ok"], rows["link"]["ok"], rows["link"]["tokens"]) == (True, False, None)
    assert set(rows["link"]) == set(rows["good"])
    cli("check", "damaged", status=2)


def test_a_folder_of_recipes_that_leads_out_stops_the_check(refused: Refused, sample: Path) -> None:
    (sample / ".ctxtui").mkdir()
    (sample.parent / "elsewhere").mkdir()
    (sample.parent / "elsewhere" / "r.yaml").write_text("picks: [AGENTS.md]\n")
    (sample / ".ctxtui" / "recipes").symlink_to("../../elsewhere")
    for words in (["check"], ["check", "r"], ["build", "r"]):
        assert "leads out of the project" in refused(*words)


def test_no_configuration_fills_memory(sample: Path) -> None:
    code = "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (4 << 30,) * 2)\n"
    code += "from ctxtui.cli.__main__ import main; sys.exit(main(['ls']))"
    for name, status, told in (("pyproject.toml", 0, "its settings are ignored"), ("ctxtui.toml", 2, "replace")):
        (sample / name).unlink(missing_ok=True)
        (sample / name).symlink_to("/dev/zero")
        done = _in_python(sample, code)
        assert (done.returncode, name in done.stderr, told in done.stderr) == (status, True, True), name


def test_a_prompt_is_read_from_a_regular_file(cli: Asked, refused: Refused, sample: Path) -> None:
    (sample / "ask.txt").write_bytes("\ufeffÉté?\r\n".encode())
    (sample / "bad.txt").write_bytes(b"\xff")
    os.mkfifo(sample / "pipe.txt")
    text = cli(*PICK, "--json", "--prompt", "@ask.txt").result["text"]
    assert ("Été?\n" in text, "\ufeff" in text) == (True, False)
    for name, problem in (("bad.txt", "not valid UTF-8"), ("pipe.txt", "not a regular file")):
        assert f"the prompt {name} is {problem}" in refused(*PICK, "--json", "--prompt", f"@{name}", status=4)


def test_an_unknown_key_binding_names_the_nearest(refused: Refused) -> None:
    write_atomic(user_file(), b'[keys]\nsorrt = "Z"\n')
    err = refused()
    assert "`sorrt` does not exist" in err
    assert "did you mean `sort`?" in err


@cases("command", ["ls", "audit", "load", "mcp", "check", "protocol", "build", "retrieve"])
@cases("name", ["x" * 5_000, "a\0b", "no/such/folder"])
def test_a_project_that_cannot_be_is_told(command: str, name: str, asked: Asked) -> None:
    words = {"protocol": ["python", "-C", name], "retrieve": ["x", "-C", name]}
    words |= {key: ["-C", name] for key in ("check", "build")}
    assert "a bug" not in asked(command, *words.get(command, [name]), status=(2, 3, 4)).err
