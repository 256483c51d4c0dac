"""Integration on directories: reading, errors, single files, what an import costs."""

import json
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from ctxtui.core import Notice, get_counter
from ctxtui.core.base.errors import ContextError
from ctxtui.loader import ContextNotFound, Item, LoaderOptions, load_context, load_context_file
from tests.cases import cases
from tests.conftest import Project
from tests.loader.loader_helpers import loaded, notices


def test_the_core_types_have_the_fields_and_the_options_the_defaults_of_the_seed(project: Project) -> None:
    text = "# T\n## S\n- [ ] a #b\n  - c\n"
    root = project({".context/TASKS.md": text})
    found = load_context(root)
    (file,) = found.files
    assert (file.name, file.path, file.content) == ("TASKS", str(root / ".context/TASKS.md"), text)
    assert (file.token_count, file.parsed.title) == (7, "T")
    assert file.parsed.sections[0].items == (Item("a", {}, ("b",), "todo", ("c",)),)
    assert (found.token_count, found.truncated) == (get_counter("heuristic").count(found.summary), False)
    with pytest.raises(FrozenInstanceError):
        found.summary = ""  # type: ignore[misc]
    options = LoaderOptions()
    assert (options.root_dir, options.context_dir, options.token_budget) == (None, ".context", 8000)
    assert (options.priority_order[0], len(options.priority_order)) == ("CONSTITUTION", 10)
    assert options.cache is None
    with pytest.raises(ContextError, match="-1"):
        load_context(LoaderOptions(root, token_budget=-1))


def test_any_counter_counts_files_and_summary(project: Project) -> None:
    root = project({".context/TASKS.md": "Some words, 漢字.\n", ".context/B.md": "  /indented\n\n\n"})
    for name in ("o200k_base", "cl100k_base", "heuristic", "claude-sonnet-4-5"):
        counter = get_counter(name)
        found = load_context(LoaderOptions(root, counter=counter))
        assert found.token_count == counter.count(found.summary)
        assert [file.token_count for file in found.files] == [counter.count(file.content) for file in found.files]


def test_invalid_utf8_is_replaced_and_told(project: Project) -> None:
    root, told = project({".context/TASKS.md": b"# T\n- [ ] caf\xe9\n"}), []
    (file,) = load_context(LoaderOptions(root, on_notice=told.append)).files
    assert file.content == "# T\n- [ ] caf\ufffd\n"
    assert file.parsed.sections[0].items[0].title == "caf\ufffd"
    assert [(each.code, each.path, each.line) for each in told] == [("invalid-text", ".context/TASKS.md", 2)]


@cases(
    ("text", "told"),
    [
        *(("# T\n", []), ("```\na\n```\n", [])),
        ("# T\n\n```sh\nopen\n", [("unclosed-fence", 3)]),
        *(("```", [("unclosed-fence", 1)]), ("~~~~\na\n~~~\n", [("unclosed-fence", 1)])),
        ("<!-- open\n\n# T\n", [("unclosed-comment", 1)]),
        ("---\na: 1\n---\n\n```\n", [("unclosed-fence", 5)]),
        ("---\na: [\n---\n# T\n", [("frontmatter-yaml", 3)]),
        ("---\na: 1\n# T\n", [("frontmatter-unclosed", 1)]),
    ],
)
def test_malformed_markdown_is_told(text: str, told: list[tuple[str, int | None]]) -> None:
    assert notices(text) == told


def test_malformed_markdown_gives_what_can_be_parsed() -> None:
    found = loaded("---\nowner: ann\nbad: [\n---\n# T\n## S\n- [ ] a\n[x](\n**open\n```\n## no\n").file.parsed
    assert (found.title, found.metadata["owner"]) == ("T", "ann")
    assert [(each.title, each.items[0].title) for each in found.sections] == [("S", "a")]


def test_notices_go_to_the_logger_by_default(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    load_context(LoaderOptions(project({".context/TASKS.md": "```\n"})))
    assert [record.name for record in caplog.records] == ["ctxtui"]
    assert "TASKS.md" in caplog.text


def test_empty_files_are_there_with_empty_content(project: Project) -> None:
    root = project({".context/TASKS.md": "", ".context/GLOSSARY.md": " \n\n"})
    found = load_context(LoaderOptions(root, token_budget=0))
    files = [(file.name, file.token_count, file.parsed.sections) for file in found.files]
    assert files == [("TASKS", 0, ()), ("GLOSSARY", 1, ())]
    expected = "# Project Context\n\n## Current Tasks\nSource: TASKS.md\n\n## Glossary\nSource: GLOSSARY.md\n"
    assert found.summary == expected
    assert not found.truncated


def test_a_file_too_large_to_outline_is_loaded_without_structure(project: Project) -> None:
    root = project({".context/TASKS.md": "## S\n- [ ] a\n" + ("x " * 50 + "\n") * 45_000})
    told: list[Notice] = []
    found = load_context(LoaderOptions(root, on_notice=told.append))
    assert found.files[0].parsed.sections == ()
    assert "Source: TASKS.md\n\n## S\n- [ ] a\nx x " in found.summary
    assert found.summary.endswith("x \n[truncated]\n")
    assert 7900 < found.token_count <= 8000
    assert "too-large-to-outline" in {notice.code for notice in told}


def test_one_file_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_bytes(b"# N\xff\n## S\n- [x] a\n")
    told: list[Notice] = []
    file = load_context_file(tmp_path / "notes.md", on_notice=told.append)
    assert (file.name, file.path, file.token_count) == ("notes", str(tmp_path / "notes.md"), 5)
    assert file.parsed.sections[0].items[0].status == "done"
    assert [notice.code for notice in told] == ["invalid-text"]
    assert load_context_file(str(tmp_path / "notes.md"), counter=get_counter(), on_notice=told.append).token_count > 0


def test_one_file_alone_follows_its_link_or_is_none(project: Project) -> None:
    root = project({"b.md": "x", "a/c.md": "y"})
    (root / "a/link.md").symlink_to("../b.md")
    file = load_context_file(root / "a/link.md")
    assert (file.name, file.content) == ("link", "x")
    with pytest.raises(ContextNotFound, match=r"absent\.md"):
        load_context_file(root / "absent.md")
    for none in (root, "a\0b"):
        with pytest.raises(ContextError):
            load_context_file(none)


def test_the_real_example_in_full(corpora: Path) -> None:
    found = load_context(LoaderOptions(corpora / "dotcontext-ctx-v030", token_budget=50_000))
    names = "CONSTITUTION TASKS DECISIONS CONVENTIONS ARCHITECTURE GLOSSARY LEARNINGS AGENT_PLAYBOOK PROMPT"
    assert [file.name for file in found.files] == names.split()
    assert found.missing == ("DEPENDENCIES.md", "DRIFT.md")
    assert not found.truncated
    assert all(file.content in found.summary for file in found.files)
    tasks = [item for section in found.files[1].parsed.sections for item in section.items]
    assert {item.status for item in tasks} == {"todo", "done"}
    topics = next(item for item in tasks if item.title == "T1.1: Topics system")
    assert topics.tags == ("added:2026-02-03",)
    assert len(topics.children) == 4


def test_the_small_real_example(corpora: Path) -> None:
    found = load_context(LoaderOptions(corpora / "dotcontext-demo" / "examples" / "demo"))
    tasks = {section.title: [item.status for item in section.items] for section in found.files[1].parsed.sections}
    assert tasks == {"Active Tasks": ["todo"] * 3, "Backlog": ["todo"] * 3, "Completed": ["done"] * 3}


def test_importing_the_loader_is_cheap() -> None:
    code = "import json, sys\nimport ctxtui.loader\nfrom ctxtui.loader import load_context, ContextCache\n"
    code += "print(json.dumps(sorted(sys.modules)))"
    modules = set(json.loads(subprocess.check_output([sys.executable, "-c", code], text=True)))
    assert not {"tiktoken", "markdown_it", "pyromark", "textual", "ctxtui.workspace"} & modules
