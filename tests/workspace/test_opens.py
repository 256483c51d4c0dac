"""How often a project's files are opened, counted in processes of their own, and what is kept of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.read_cache import SMALL, ReadCache
from tests.conftest import Project

# Files are opened in folders that are open, so the path of a file is put together from those of the folders.
COUNTED = """
import collections, json, os, sys, time
# Well after the last change, as when people come back to a project.
now = time.time_ns
time.time_ns = lambda: now() + 3_600 * 10**9
opens, places, plain = collections.Counter(), {}, os.open
def opened(path, flags, mode=0o777, *, dir_fd=None):
    descriptor = plain(path, flags, mode, dir_fd=dir_fd)
    places[descriptor] = os.path.join(places.get(dir_fd, ""), path)
    if not flags & os.O_DIRECTORY:
        opens[places[descriptor]] += 1
    return descriptor
os.open = opened
os.supports_dir_fd.add(opened)
def hook(event, arguments):
    # What is not opened by `os.open`, which has no mode as a text.
    if event == "open" and isinstance(arguments[0], str) and arguments[1] is not None:
        opens[arguments[0]] += 1
sys.addaudithook(hook)
from ctxtui.cli.__main__ import main
root, sys.argv = os.path.realpath(sys.argv[1]), ["ctxtui", *sys.argv[2:]]
status = main()
print(json.dumps({os.path.relpath(path, root): count for path, count in opens.items() if path.startswith(root + "/")}))
sys.exit(status)
"""
# Settings are read before the project is opened, and again as files of the project.
SETTINGS = ("ctxtui.toml", "pyproject.toml")
DOMAIN = "---\nid: {id}\ntitle: T\ntype: pattern\nestimatedTokens: 9\nloadingStrategy: onDemand\n---\n# T\n"
ENTRY = "---\nentryId: {id}\ncategory: Decision\ncreatedAt: '2026-01-01T00:00:00Z'\n---\nText.\n"
FILES = {
    "AGENTS.md": "# Rules\n\n@docs/guide.md and @.claude/skills/make/SKILL.md\n",
    "docs/guide.md": "# Guide\n\n@more.md\n",
    "docs/more.md": "More.\n",
    ".claude/rules/api.md": "---\npaths: ['src/**']\n---\nAPI.\n",
    ".claude/skills/make/SKILL.md": "---\nname: make\ndescription: makes\n---\nMake.\n",
    ".claude/skills/make/steps.md": "Steps.\n",
    ".cursor/rules/x.mdc": "---\nglobs: *.py\n---\nX.\n",
    ".context/CONSTITUTION.md": "# Constitution\n",
    ".context/TASKS.md": "---\nversion: 1\n---\n- [ ] one\n",
    ".context/deeper/old.md": "Old.\n",
    "library/loading_protocol.md": "# Protocol\n",
    "library/python/index.md": DOMAIN.format(id="python/index"),
    "library/python/tests.md": DOMAIN.format(id="python/tests"),
    "library/python/told.md": "# No metadata\n\n**Version**: 1.0.0\n",
    "notes/a.md": ENTRY.format(id="a"),
    "notes/b.md": ENTRY.format(id="b"),
    "src/main.py": "print()\n",
    "README.md": "# Read me\n",
}


def _opens(root: Path, *arguments: str) -> dict[str, int]:
    command = [sys.executable, "-c", COUNTED, str(root), "ls", str(root), "-q", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    opens: dict[str, int] = json.loads(result.stdout.splitlines()[-1])
    return opens


def test_a_first_listing_opens_each_file_for_its_source_and_its_count(project: Project, sample: Path) -> None:
    made = project(FILES)
    (made / "CLAUDE.md").symlink_to("AGENTS.md")
    for root in (made, sample):
        references = Workspace.open(root, on_notice=lambda _: None).references
        assert {each.source for each in references} == {"agents", ".context", "catalog", "entries", "files"}
        listed = {each.path for each in references}
        opens = _opens(root)
        assert opens.keys() >= listed
        # Two sources ask for some texts, and read others between.
        assert {path: count for path, count in opens.items() if count > 4} == {}
        assert sum(opens[path] for path in listed) <= 2.2 * len(listed)


def test_large_files_are_not_read_whole_before_they_are_counted(project: Project) -> None:
    large = "word " * (SMALL // 5 + 1)
    name, text = "library/python/large.md", DOMAIN.format(id="python/large") + large
    root = project({**FILES, name: text})
    assert _opens(root)[name] == 2
    (root / name).write_text(f"{text}more")
    assert _opens(root)[name] == 2
    assert name not in _opens(root)


def test_large_data_is_not_opened_unless_asked_for(project: Project) -> None:
    root = project({**FILES, "yarn.lock": "a@1:\n", "tests/cassettes/a.yaml": "interactions: []\n"})
    large = {"yarn.lock", "tests/cassettes/a.yaml"}
    assert large.isdisjoint(_opens(root))
    assert large <= _opens(root, "--large").keys()


def test_only_changed_files_are_read_again(project: Project, sample: Path) -> None:
    for root in (project(FILES), sample):
        _opens(root)
        if root != sample:
            assert _opens(root).keys() <= {*SETTINGS, ".gitignore", ".gitattributes"}
        changed = {path for path in ("AGENTS.md", "library/python/told.md", "src/main.py") if (root / path).exists()}
        assert changed
        for path in changed:
            (root / path).write_text((root / path).read_text() + "\nMore.\n")
        (root / "new.md").write_text("New.\n")
        opened = {path for path in _opens(root) if not path.endswith((".gitignore", ".gitattributes"))}
        assert changed <= opened <= {*changed, "new.md", *SETTINGS}


def _opened(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The names of the files that are opened from now on; their folders are open."""
    opened: list[object] = []
    plain = os.open

    def counted(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if not flags & os.O_DIRECTORY:
            opened.append(path)
        return plain(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", counted)
    return opened


def test_what_was_seen_last_is_known(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({"a.md": "one", "b.md": "x" * (SMALL + 1)})
    read_cache = ReadCache(Root(root))
    opened = _opened(monkeypatch)
    for path in ("a.md", "b.md", "a.md"):
        first = read_cache.first_bytes(path, 3)
        assert (first, read_cache.beginning(path)) == ((root / path).read_bytes()[:3], read_cache.beginning(path))
    assert read_cache.content("a.md").data == b"one"
    assert opened == ["a.md", "b.md", "a.md"]
    # Of a large file only the head was read.
    assert read_cache.content("b.md").data == b"x" * (SMALL + 1)
    assert read_cache.first_bytes("b.md", 3) == b"xxx"
    assert opened == ["a.md", "b.md", "a.md", "b.md"]
    assert read_cache.beginning("none.md") is None
    (root / "none.md").write_text("now")
    assert read_cache.beginning("none.md") == (b"now", True)
    assert read_cache.unlisted == {"a.md", "b.md", "none.md"}


def test_files_on_whose_text_loads_depend_are_opened_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({**FILES, "CLAUDE.md": "no heading\n", ".claude/commands/x.md": "---\nname: 5\n---\n# X\n"})
    opened = _opened(monkeypatch)
    Workspace.open(root, on_notice=lambda _: None)
    read = ("CLAUDE.md", "x.md", "SKILL.md", "api.md", "x.mdc")
    assert {name: opened.count(name) for name in read} == dict.fromkeys(read, 1)
