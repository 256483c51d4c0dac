"""`python -m tests.fuzz.kills [--turns 50]`: kill -9 in the middle of every kind of writing.

After each kill what was written is whole, and the next write leaves no temporary file behind.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

from ctxtui import ContextError, Session, Workspace
from ctxtui.audit.fixes import apply, undo
from ctxtui.audit.run import run_audit
from ctxtui.entries import ContextCategory, ContextEntry, ContextQuery, FileContextProvider
from ctxtui.session.saved.autosave import Autosave
from ctxtui.session.saved.config import Config
from ctxtui.session.saved.recipe import load_recipe, save_recipe
from tests.fuzz.machine import command, in_child, killed_after, last_word, quiet, workplace

_MADE: Final = datetime(2026, 1, 31, tzinfo=UTC)
_SIZE: Final = 200_000


@dataclass(frozen=True)
class Writer:
    """One kind of writing: `write` for a turn, `problem` of what is left, `place` of temporary files."""

    name: str
    write: Callable[[Path, int], None]
    problem: Callable[[Path], str]
    place: str = "project"


def _session(folder: Path, turn: int) -> Session:
    session = Workspace.open(folder / "project", on_notice=quiet).session()
    return session.pick("AGENTS.md").with_prompt(f"{turn % 2}" * _SIZE)


def _is_whole(text: str) -> bool:
    return len(text) == _SIZE and len(set(text)) == 1


def _recipe(folder: Path, turn: int) -> None:
    save_recipe(_session(folder, turn), "killed")


def _recipe_problem(folder: Path) -> str:
    workspace = Workspace.open(folder / "project", on_notice=quiet)
    try:
        prompt = load_recipe(workspace, "killed").selection.prompt
    except ContextError as error:
        return str(error)
    return "" if prompt and _is_whole(prompt.text) else "half a recipe"


def _autosave(folder: Path, turn: int) -> None:
    Autosave(folder / "project").save(_session(folder, turn), None)


def _autosave_problem(folder: Path) -> str:
    saved, _ = Autosave(folder / "project").restore()
    prompt = saved.recipe.selection.prompt if saved else None
    return "" if prompt and _is_whole(prompt.text) else "the last selection is lost"


def _entry(folder: Path, turn: int) -> None:
    entry = ContextEntry("killed", f"{turn % 2}" * _SIZE, ContextCategory.LESSON, _MADE)
    asyncio.run(FileContextProvider(folder / "project" / "notes", quiet).store(entry))


def _entry_problem(folder: Path) -> str:
    provider = FileContextProvider(folder / "project" / "notes", quiet)
    found = [entry for entry in asyncio.run(provider.query(ContextQuery())) if entry.entry_id == "killed"]
    return "" if len(found) == 1 and _is_whole(found[0].content) else "half an entry"


def _fix(folder: Path, _turn: int) -> None:
    workspace = Workspace.open(folder / "project", on_notice=quiet)
    report = run_audit(workspace, workspace.session().budget, Config(), on_notice=quiet)
    fixes = [finding.fix for finding in report.findings if finding.fix]
    root = workspace.reader.root
    for _ in range(50):
        undo(root, apply(root, fixes))


def _fix_problem(folder: Path) -> str:
    workspace = Workspace.open(folder / "project", on_notice=quiet)
    empty = [each.path for each in workspace.references if not (workspace.root / each.path).stat().st_size]
    broken = [each.path for each in workspace.references if each.source == "catalog" and not each.details.values]
    return f"damaged: {empty + broken}" if empty or broken else ""


def _cached(words: tuple[str, ...]) -> tuple[Callable[[Path, int], None], Callable[[Path], str]]:
    def write(folder: Path, turn: int) -> None:
        (folder / "project" / "docs" / "more.md").write_text(f"# More\n\n{'refund words ' * 4_000}{turn}\n")
        from ctxtui.cli.__main__ import main

        with suppress(SystemExit), open("/dev/null", "w") as sys.stdout:
            main([*words, "-C", str(folder / "project"), "-q"])

    def problem(folder: Path) -> str:
        warm = command(*words, "-C", str(folder / "project"), "-q", "--json")
        cold = command(
            *words, "-C", str(folder / "project"), "-q", "--json", before=["env", f"XDG_CACHE_HOME={folder}/cold"]
        )
        same = warm.returncode == 0 and json.loads(warm.stdout)["result"] == json.loads(cold.stdout)["result"]
        return "" if same else f"the cache says something else: {warm.stderr[-300:]!r}"

    return write, problem


_WRITERS: Final = (
    Writer("recipe", _recipe, _recipe_problem),
    Writer("autosave", _autosave, _autosave_problem, "home"),
    Writer("entries", _entry, _entry_problem),
    Writer("fix", _fix, _fix_problem),
    Writer("cache", *_cached(("ls",)), "home"),
    Writer("index", *_cached(("retrieve", "refund")), "home"),
)


def main() -> int:
    """Kill every writer; 1 when something was damaged or left behind."""
    parser = argparse.ArgumentParser("python -m tests.fuzz.kills")
    parser.add_argument("--turns", type=int, default=50, help="kills of each writer (default: 50)")
    turns = parser.parse_args().turns
    failed = [line for writer in _WRITERS for line in _killed(writer, turns)]
    return last_word(turns * len(_WRITERS), failed, "kills")


def _killed(writer: Writer, turns: int) -> list[str]:
    random = Random(writer.name)
    failed = []
    damaged = 0
    with workplace() as folder:
        if not in_child(lambda: writer.write(folder, 0)):
            return [f"{writer.name}: does not write at all"]
        before = _temporary(folder / writer.place)
        for _ in range(turns):
            killed_after(random.uniform(0.0, 0.4), lambda: _for_ever(writer, folder))
            problem = writer.problem(folder)
            damaged += bool(problem)
            failed += [f"{writer.name}: {problem}"] if problem else []
        most = _temporary(folder / writer.place) - before
        in_child(lambda: writer.write(folder, 0))
        left = _temporary(folder / writer.place) - before
    print(
        f"{writer.name:<10}{turns} kills, {damaged} damaged, {len(most)} temporary files, {len(left)} after the next write",
        flush=True,
    )
    return failed + [f"{writer.name}: left {path}" for path in sorted(left)]


def _for_ever(writer: Writer, folder: Path) -> None:
    for turn in count():
        writer.write(folder, turn)


def _temporary(place: Path) -> set[str]:
    """Files whose names begin with a dot and end with eight odd characters: what `mkstemp` makes."""
    names = (path for path in place.rglob(".*.*") if path.is_file())
    return {str(path) for path in names if len(path.name.rpartition(".")[2]) == 8}


if __name__ == "__main__":
    sys.exit(main())
