"""`ctxtui load`: bytes on stdout, narration on stderr, JSON with the specification's names."""

import json
import subprocess
import sys
from pathlib import Path

from ctxtui.core import get_counter
from ctxtui.loader import LoaderOptions, load_context
from tests.cases import cases
from tests.conftest import Asked, Project

FILES = {
    ".context/TASKS.md": "---\nowner: ann\n---\n# Tasks\n## Now\n- [ ] a `#x`\n  - **Owner**: ann\n  - sub\n",
    ".context/NOTES.md": "- [ ] a note\n" * 200,
}


def test_the_summary_is_all_there_is_on_stdout(project: Project, asked: Asked) -> None:
    root = project({".context/TASKS.md": "ü\r\nend"})
    out, err = asked("load", str(root))
    assert out == load_context(LoaderOptions(root)).summary
    assert "tokens (o200k_base) of 1 file" in err
    assert "missing: CONSTITUTION.md, DECISIONS.md" in err


def test_a_budget_cuts_and_says_so(project: Project, asked: Asked) -> None:
    out, err = asked("load", "-C", str(project(FILES)), "--budget", "0.1k", "--tokenizer", "heuristic")
    assert get_counter("heuristic").count(out) <= 100
    assert "[truncated]" in out
    assert "problem: cut to fit 100 tokens: NOTES.md" in err
    assert "truncated" in err.splitlines()[1]
    # The default budget is the seed's.
    out, err = asked("load", str(project({".context/A.md": "- a line of words\n" * 10_000})), "-q")
    assert 7900 < get_counter().count(out) <= 8000
    assert err == ""


def test_configuration_and_models_choose_budget_and_counter(project: Project, asked: Asked) -> None:
    root = project({**FILES, "ctxtui.toml": 'budget = "60"\ntokenizer = "cl100k_base"\n'})
    out, err = asked("load", str(root))
    assert get_counter("cl100k_base").count(out) <= 60
    assert "(cl100k_base)" in err
    assert "≈ " in asked("load", str(root), "--model", "claude-sonnet-4-5", "--budget", "70").err
    asked("load", str(root), "--model", "gpt-5", "--tokenizer", "heuristic", status=2)


def test_a_model_and_a_tokenizer_in_the_configuration_are_an_error_as_for_every_command(
    project: Project, asked: Asked
) -> None:
    root = project({**FILES, "ctxtui.toml": 'model = "gpt-5"\ntokenizer = "cl100k_base"\n'})
    errors = {asked(command, str(root), status=2).err for command in ("load", "ls")}
    told = f"ctxtui: {root / 'ctxtui.toml'}:2: `tokenizer`: a model determines its tokenizer"
    assert [each.splitlines() for each in errors] == [[told, "  set one of them"]]


def test_json_has_the_names_of_the_seed(project: Project, asked: Asked) -> None:
    root = project({".context/TASKS.md": FILES[".context/TASKS.md"], ".context/BAD.md": b"\xff"})
    said = asked("load", str(root), "--json", "--tokenizer", "heuristic")
    result = said.result
    loaded = load_context(LoaderOptions(root, on_notice=lambda _: None))
    assert list(result) == ["files", "summary", "tokenCount", "truncated", "missing"]
    assert (result["summary"], result["tokenCount"]) == (loaded.summary, loaded.token_count)
    assert (result["truncated"], result["missing"][0]) == (False, "CONSTITUTION.md")
    item = {"title": "a", "fields": {"Owner": "ann"}, "tags": ["x"], "status": "todo", "children": ["sub"]}
    content = "- [ ] a `#x`\n  - **Owner**: ann\n  - sub\n"
    section = {"title": "Now", "items": [item], "content": content}
    assert result["files"][0] == {
        "name": "TASKS",
        "path": str(root / ".context/TASKS.md"),
        "content": FILES[".context/TASKS.md"],
        "parsed": {"title": "Tasks", "sections": [section], "metadata": {"owner": "ann"}},
        "tokenCount": 19,
    }
    (notice,) = said.notices
    assert (notice["code"], notice["path"], notice["line"]) == ("invalid-text", ".context/BAD.md", 1)


def test_no_context_and_wrong_words(project: Project, asked: Asked) -> None:
    root = project({".git/HEAD": ""})
    asked("load", str(root), status=3)
    asked("load", str(root / "absent"), status=2)
    asked("load", str(root), "--budget", "many", status=2)


def test_the_real_context(corpora: Path, asked: Asked) -> None:
    root = corpora / "dotcontext-ctx-v030"
    rules = (root / ".context/CONSTITUTION.md").read_text("utf-8")
    for budget in (200, 2000, 50_000):
        out = asked("load", str(root), "--budget", str(budget), "-q").out
        assert rules in out
        assert get_counter().count(out) <= max(budget, 600)


def test_its_arguments_import_nothing_heavy() -> None:
    code = "import json, sys\nimport ctxtui.cli.parser\nprint(json.dumps(sorted(sys.modules)))"
    ours = [name for name in json.loads(subprocess.check_output([sys.executable, "-c", code])) if "ctxtui" in name]
    assert "ctxtui.cli.options" in ours
    heavy = ("ctxtui.cli.project", "ctxtui.core.text", "ctxtui.loader", "ctxtui.session", "ctxtui.workspace")
    assert not [name for name in ours if name.startswith(heavy)]


def test_directory_and_order_come_from_options_else_from_the_configuration(project: Project, asked: Asked) -> None:
    names = ("A", "TASKS", "ZETA")
    root = project({f"{folder}/{name}.md": "words\n" for folder in (".context", "notes") for name in names})

    def order(*words: str) -> list[str]:
        lines = asked("load", str(root), *words, "-q").out.splitlines()
        return [line.removeprefix("Source: ") for line in lines if line.startswith("Source: ")]

    assert order() == ["TASKS.md", "A.md", "ZETA.md"]
    assert order("--priority", "ZETA.md", "A")[:2] == ["ZETA.md", "A.md"]
    (root / "ctxtui.toml").write_text('[load]\npriority_order = ["ZETA"]\ncontext_dir = "notes"\n', "utf-8")
    (root / "notes/ONLY.md").write_text("words\n", "utf-8")
    assert order() == ["ZETA.md", "A.md", "ONLY.md", "TASKS.md"]
    assert order("--context-dir", ".context", "--priority", "A")[0] == "A.md"


@cases("line", ["prioritty = []", 'priority_order = "TASKS"', "priority_order = [1]", "context_dir = 3"])
def test_a_wrong_load_table_names_the_key(project: Project, line: str, asked: Asked) -> None:
    root = project({**FILES, "ctxtui.toml": f"[load]\n{line}\n"})
    assert line.split()[0] in asked("load", str(root), status=2).err


@cases("name", ["../outside", "/etc"])
def test_a_context_directory_out_of_the_project_is_not_read(project: Project, name: str, asked: Asked) -> None:
    root = project({**FILES, "inner/x": "", "outside/TASKS.md": "secret\n"}) / "inner"
    assert asked("load", str(root), "--context-dir", name, status=3).out == ""
