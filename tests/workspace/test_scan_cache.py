"""What a scan learned is kept: an unchanged project opens as it did, and every change is seen."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import astuple
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.agents import load_table
from ctxtui.core.base.notices import Notice
from ctxtui.workspace.scope import EVERYTHING, Scope
from ctxtui.workspace.workspace import Workspace
from tests.caching import cache_file, cache_off, forget, kept
from tests.cases import cases
from tests.conftest import Project

_ENTRY = "---\nentryId: {id}\ncategory: Decision\ncreatedAt: '2026-01-01T00:00:00Z'\n---\nText {id}.\n"
_FILES = {
    "AGENTS.md": "# Agents\n\nRead @docs/guide.md first.\n",
    "CLAUDE.md": "@AGENTS.md\n@.vscode/notes.md\n",
    ".vscode/notes.md": "# Notes\n\n@../docs/more.md\n",
    ".claude/settings.json": "{}",
    ".claude/skills/pay/SKILL.md": "---\nname: pay\ndescription: Pays.\n---\n# Pay\n",
    ".claude/skills/odd/SKILL.md": "---\nname: [odd\ndescription: Broken.\n---\n# Odd\n",
    ".cursor/rules/a.mdc": "---\nglobs: '*.py'\nalwaysApply: false\n---\nUse types.\n",
    ".context/TASKS.md": "---\nversion: 1\nmore: {1: a, b: [2, null]}\n---\n- [ ] one\n",
    "catalog/index.md": "---\nloadingStrategy: always\nestimatedTokens: 12\n---\n# Index\n",
    "catalog/loading_protocol.md": "# Loading\n",
    "catalog/python/index.md": "---\nloadingStrategy: onDemand\ntags: [a, 1]\nsections: [{name: S, keywords: [k]}]\n---\n",
    "catalog/python/told.md": "# No metadata\n\n**Version**: 1.0.0\n",
    "notes/a.md": _ENTRY.format(id="a"),
    "docs/guide.md": "# Guide\n\nText.\n",
    "docs/more.md": "# More\n",
    ".gitignore": "build/\n",
    "build/out.md": "# Out\n",
} | {f"src/m{number:03}.md": f"# M{number}\n" for number in range(20)}
_TEXTS = (*_FILES.values(), "", "# Other\n", "---\nname: pay\n---\n", "{", "build/\n*.mdc\n", "\0")
_NAMES = (*(name for name in _FILES if not name.startswith("src/")), "src/m000.md", "new.md", ".claude/rules/new.md")

# A clock that is always well after the last change, as when people come back to a project.
_ticks = count(1)


@pytest.fixture(autouse=True)
def _later(monkeypatch: pytest.MonkeyPatch) -> None:
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + 3_600 * 10**9)


def _seen(root: Path, scope: Scope = EVERYTHING) -> tuple[Any, ...]:
    told: list[Notice] = []
    workspace = Workspace.open(root, scope=scope, on_notice=told.append)
    references = [astuple(each) for each in workspace.references]
    return references, workspace.loads, workspace.notices, told, workspace.paths


def _cold(root: Path, scope: Scope = EVERYTHING) -> tuple[Any, ...]:
    with cache_off():
        return _seen(root, scope)


# What this process opens, by names within folders that are open; a hook cannot be removed.
_opened: set[str] = set()


def _note_open(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str) and not arguments[2] & os.O_DIRECTORY:
        _opened.add(arguments[0])


sys.addaudithook(_note_open)


def _read_by(look: Callable[[], object]) -> set[str]:
    """The names of the files of the project that a look reads."""
    _opened.clear()
    look()
    return _opened & {name.rpartition("/")[2] for name in _FILES}


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_symlink() and not place.exists():
        # It leads nowhere, or to itself.
        place.unlink()
    place.write_text(text)
    moment = 1_700_000_000 * 10**9 + next(_ticks) * 10**6
    os.utime(place, ns=(moment, moment), follow_symlinks=False)


def _link(place: Path, text: str) -> None:
    """A link to a file or folder that other edits may change."""
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(os.path.relpath(place.parents[0] / ("AGENTS.md" if len(text) % 2 else "docs"), place.parent))


def _rename(place: Path, text: str) -> None:
    if place.is_file():
        place.rename(place.with_name(f"other{len(text) % 3}.md"))


def _rewrite_with_the_same_size_and_time(place: Path, _text: str) -> None:
    if place.is_file():
        status, data = place.stat(), place.read_bytes()
        place.write_bytes(data.replace(b"name", b"mane").replace(b"# ", b"@ ").replace(b"e", b"a"))
        os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))


def _swap_folders(place: Path, text: str) -> None:
    """Files whose folders change places have the same times as before."""
    root = next(folder for folder in place.parents if folder.name.startswith("project"))
    one, other = root / (".claude/skills/pay", "docs")[len(text) % 2], root / ".claude/skills/odd"
    if one.is_dir() and other.is_dir() and not one.is_symlink():
        one.rename(root / "aside")
        other.rename(one)
        (root / "aside").rename(other)


def _remove(place: Path, _text: str) -> None:
    place.unlink(missing_ok=True)


_EDITS = (_write, _link, _rename, _remove, _rewrite_with_the_same_size_and_time, _swap_folders)
_SCOPES = (EVERYTHING, Scope(with_ignored=True), Scope(exclude=("docs/",)), Scope(table=load_table()[:3]))


def _edits(most: int, *choices: Sequence[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.tuples(*map(st.sampled_from, (_EDITS, *choices))), min_size=1, max_size=most)


@settings(max_examples=15)
@given(_edits(5, _NAMES, _TEXTS, _SCOPES))
def test_after_any_edit_a_warm_opening_sees_what_a_cold_one_sees(project: Project, edits: list[Any]) -> None:
    root = project(_FILES)
    for edit, name, text, scope in [(lambda *_: None, "AGENTS.md", "", EVERYTHING), *edits]:
        edit(root / name, text)
        cold = _cold(root, scope)
        assert [_seen(root, scope), _seen(root, scope)] == [cold, cold]
        forget("scans")
        assert _seen(root, scope) == cold


@settings(max_examples=15)
@given(st.sets(st.sampled_from(sorted(_FILES)), max_size=20), st.sampled_from(_SCOPES))
def test_after_some_changes_only_the_changed_files_are_read(project: Project, names: set[str], scope: Scope) -> None:
    root = project(_FILES)
    _seen(root, scope)
    for name in names:
        _write(root / name, f"{_FILES[name]}more\n")
    changed = {name.rpartition("/")[2] for name in names}
    assert _read_by(lambda: _seen(root, scope)) <= changed | {".gitignore"}
    assert _read_by(lambda: _seen(root, scope)) <= {".gitignore"}
    assert _seen(root, scope) == _cold(root, scope)


def test_one_file_that_may_still_change_unnoticed_is_read_and_the_rest_is_known(project: Project) -> None:
    root = project(_FILES)
    # Written in what the clock says is the future, as by another computer, it may change at any time.
    moment = time.time_ns() + 3_600 * 10**9
    os.utime(root / "AGENTS.md", ns=(moment, moment))
    _seen(root)
    assert "AGENTS.md" in _read_by(lambda: _seen(root)) <= {"AGENTS.md", ".gitignore"}
    assert _seen(root) == _cold(root)


def test_files_count_that_globs_leave_out_or_no_walk_finds(project: Project) -> None:
    root = project({".gitattributes": "*.js -linguist-generated\n", "a.min.js": "x"})
    scope = Scope(include=("*.js",))
    before = _seen(root, scope)
    _write(root / ".gitattributes", "*.js linguist-generated\n")
    assert _seen(root, scope) == _cold(root, scope) != before
    root = project(_FILES)
    _write(root / ".claude/settings.json", '{"claudeMdExcludes": []}')
    _write(root / ".gitignore", ".claude/settings.json\n.claude/settings.local.json\n")
    loads = _seen(root)[1]
    _write(root / ".claude/settings.local.json", '{"claudeMdExcludes": ["**/CLAUDE.md"]}')
    assert _seen(root)[1] != loads
    assert _seen(root) == _cold(root)


def test_a_reload_in_another_scope_sees_what_is_in_that(project: Project) -> None:
    """Ignored files are found in every scope, and listed in some."""
    root = project({**_FILES, ".gitignore": "docs/guide.md\n"})
    scopes = [Scope(), Scope(with_ignored=True)]
    opened = {scope: Workspace.open(root, scope=scope) for scope in scopes}
    assert len({len(each.references) for each in opened.values()}) == 2
    workspace = Workspace.open(root)
    for scope in [*scopes, *scopes]:
        workspace = workspace.reload(scope=scope)
        assert workspace.scope == scope
        assert [each.id for each in workspace.references] == [each.id for each in opened[scope].references]
        assert workspace.scan_id == opened[scope].scan_id


@cases("files", [0, 1_000, 2_001])
def test_references_are_known_however_many_there_are(project: Project, files: int) -> None:
    texts = {f"src/m{number:04}.md": "# M\n" for number in range(files)}
    marks = ("\\x1e", "\\n", "\\0", "🌍", "\u2028") if files else ()
    for place, mark in enumerate(marks):
        texts[f".claude/skills/s{place}/SKILL.md"] = f'---\nname: "a{mark}b"\n---\n'
    root = project(texts)
    cold = _seen(root)
    assert len(cold[0]) == len(texts)
    assert kept("scans")
    assert _seen(root) == cold


@cases(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"Agents", b"agents"),
        lambda data: bytes(len(data)),
        lambda data: b"no database" * 1_000,
        lambda data: data[:100] + b"\xff" * 100 + data[200:],
    ],
)
def test_a_damaged_cache_is_the_same_as_none(project: Project, damage: Callable[[bytes], bytes]) -> None:
    root = project(_FILES)
    cache_file().unlink(missing_ok=True)
    before = _seen(root)
    assert kept("scans") == kept("files") == kept("walks") == 1
    cache_file().write_bytes(damage(cache_file().read_bytes()))
    assert (_seen(root), _seen(root)) == (before, before)


def test_what_may_still_change_unnoticed_is_not_kept(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    root = project(_FILES)
    for number in range(20):
        # The same size, within one tick of the clock.
        (root / "CLAUDE.md").write_text(f"# Title {number:02}\n")
        assert next(row[3] for row in _seen(root)[0] if row[1] == "CLAUDE.md") == f"Title {number:02}"


def test_another_place_has_its_own_scan(project: Project) -> None:
    one, other = project(_FILES), project(_FILES | {"AGENTS.md": "# Others\n"})
    assert _seen(one) != _seen(other)
    assert kept("scans") == kept("files") == 2
    assert _seen(one) == _cold(one)


_AROUND = {
    ".git/HEAD": "",
    "AGENTS.md": "# Around\n\n@docs/told.md @packages/pay/docs/own.md\n",
    "CLAUDE.md": "@docs/told.md\n@out/told.md\n",
    ".claude/rules/a.md": "---\npaths: ['src/**']\n---\nRule.\n",
    ".claude/settings.json": "{}",
    ".gemini/settings.json": '{"context": {"fileName": ["TOLD.md"]}}',
    "TOLD.md": "# Told\n",
    "docs/told.md": "@more.md\n",
    "docs/more.md": "# More\n",
    ".gitignore": "out/\n",
    "packages/AGENTS.md": "# Packages\n",
    "packages/pay/CLAUDE.md": "@../../docs/more.md\n",
    "packages/pay/AGENTS.md": "# Pay\n",
    "packages/pay/docs/own.md": "# Own\n",
}
_AROUND_NAMES = (*[*_AROUND][1:], "packages/CLAUDE.md", "out/told.md", "packages/.git")
_OTHER = ('{"context": {"fileName": ["OTHER.md"]}}', '{"claudeMdExcludes": ["**/CLAUDE.md"]}', "docs/\n")
_AROUND_TEXTS = (*_AROUND.values(), *_OTHER)


def _seen_inside(folder: Path, scope: Scope) -> tuple[Any, ...]:
    above = Workspace.open(folder, scope=scope, on_notice=lambda _: None).above
    place = above.root and above.root.path
    return _seen(folder, scope), above.base, place, above.paths, [above.text(path) for path in above.paths]


@settings(max_examples=12)
@given(_edits(4, _AROUND_NAMES, _AROUND_TEXTS, (EVERYTHING, Scope(above=False))))
def test_after_any_edit_around_a_folder_it_is_seen_warm_as_cold(project: Project, edits: list[Any]) -> None:
    root = project(_AROUND)
    folder = root / "packages/pay"
    for edit, name, text, scope in [(lambda *_: None, "AGENTS.md", "", EVERYTHING), *edits]:
        # A link may lead to a folder by now, which cannot be written.
        with suppress(IsADirectoryError):
            edit(root / name, text)
        warm = _seen_inside(folder, scope), _seen_inside(folder, scope)
        with cache_off():
            assert warm == (_seen_inside(folder, scope),) * 2


def test_a_known_folder_in_a_repository_is_opened_without_the_table_of_agents(project: Project) -> None:
    folder = project(_AROUND) / "packages/pay"
    before = _seen(folder)
    assert before[1]
    code = "import sys; from ctxtui import Workspace; Workspace.open(sys.argv[1]); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "ctxtui.workspace.opening.scan_cache" in loaded
    assert not loaded & {"ctxtui.agents.table", "ctxtui.workspace.opening.classify"}


def test_a_text_above_that_changes_is_read_again(project: Project) -> None:
    root = project(_AROUND)
    before = _seen_inside(root / "packages/pay", EVERYTHING)
    _write(root / "CLAUDE.md", "Nothing is imported.\n")
    after = _seen_inside(root / "packages/pay", EVERYTHING)
    assert after[-1] != before[-1]
    assert after[0][1] != before[0][1]
