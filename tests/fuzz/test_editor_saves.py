"""An editor saves a file just before each change that a writer makes on disk.

What the editor saved is in the file afterwards, or in the user's state folder, no matter when it was saved.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from ctxtui import ContextError, Workspace
from ctxtui.audit.fixes import apply, planned, undo, write
from ctxtui.audit.run import run_audit
from ctxtui.audit.types import NewFile, Removal
from ctxtui.audit.write_ignore import propose_ignore, write_ignore
from ctxtui.core.base.digest import digest_of
from ctxtui.core.disk.root import Root
from ctxtui.entries import ContextCategory
from ctxtui.session.delivery import own_skill
from ctxtui.session.queries.entry_book import EntryBook, EntryDraft
from ctxtui.session.saved.config import Config
from ctxtui.session.saved.recipe import save_recipe
from tests.conftest import REPOSITORY
from tests.fuzz.judging import settle

_SAVED: Final = "saved by an editor\n"
_FIXED: Final = ".context/TASKS.md"
_SKILL: Final = ".claude/skills/ctxtui/SKILL.md"
_CHANGES: Final = frozenset({"os.rename", "os.link", "os.remove"})
Work = Callable[[], object]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")


def _quiet(_: object) -> None:
    """Hears notices that nobody needs."""


def _opened(project: Path) -> Workspace:
    return Workspace.open(project, on_notice=_quiet)


def _fix(project: Path) -> Work:
    workspace = _opened(project)
    report = run_audit(workspace, workspace.session().budget, Config(), on_notice=_quiet)
    fixes = [each.fix for each in report.findings if each.fix and each.fix.path == _FIXED]
    assert fixes
    return lambda: apply(workspace.reader.root, fixes)


def _unfix(project: Path) -> Work:
    written = _fix(project)()
    return lambda: undo(Root(project), written)  # type: ignore[arg-type]


def _removal(project: Path) -> Work:
    root = Root(project)
    changes = planned(root, [Removal("AGENTS.md", digest_of((project / "AGENTS.md").read_bytes()))])
    return lambda: write(root, changes)


def _new(project: Path) -> Work:
    return lambda: apply(Root(project), [NewFile("made/NEW.md", "# New\n")])


def _ignore(project: Path) -> Work:
    workspace = _opened(project)
    finding = run_audit(workspace, workspace.session().budget, Config(), on_notice=_quiet).findings[0]
    addition = propose_ignore(workspace.reader.root, finding, "known")
    return lambda: write_ignore(workspace.reader.root, addition)


def _ignore_more(project: Path) -> Work:
    (project / "ctxtui.toml").write_text("# mine\n")
    return _ignore(project)


def _entry(project: Path) -> Work:
    book = EntryBook(_opened(project), "notes", _quiet)
    one, two = (EntryDraft(text, ContextCategory.LESSON, entry_id="x") for text in ("One", "Two"))
    asyncio.run(book.add(one))
    return lambda: asyncio.run(book.replace(two))


def _skill(project: Path) -> Work:
    place = own_skill.place_for("claude-code", project, (), at_home=False)
    return lambda: own_skill.install(place, own_skill.look(place))


def _skill_again(project: Path) -> Work:
    _skill(project)()
    with (project / _SKILL).open("a") as file:
        file.write("mine\n")
    return _skill(project)


def _no_skill(project: Path) -> Work:
    _skill(project)()
    place = own_skill.place_for("claude-code", project, (), at_home=False)
    return lambda: own_skill.remove(place, own_skill.look(place))


def _recipe(project: Path) -> Work:
    session = _opened(project).session()
    save_recipe(session.pick("AGENTS.md"), "r")
    return lambda: save_recipe(session.pick("CLAUDE.md"), "r")


# A kind of writing: the file, and what prepares and returns the work of a project.
_WRITERS: Final[dict[str, tuple[str, Callable[[Path], Work]]]] = {
    "fix": (_FIXED, _fix),
    "undo": (_FIXED, _unfix),
    "removal": ("AGENTS.md", _removal),
    "new file": ("made/NEW.md", _new),
    "ignore": ("ctxtui.toml", _ignore),
    "another ignore": ("ctxtui.toml", _ignore_more),
    "entry": ("notes/x.md", _entry),
    "recipe": (".ctxtui/recipes/r.yaml", _recipe),
    "skill": (_SKILL, _skill),
    "changed skill": (_SKILL, _skill_again),
    "no skill": (_SKILL, _no_skill),
}
_SAVES: Final = ("in place", "by rename")


def _save(how: str, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if how == "in place":
        with file.open("a") as opened:
            opened.write(_SAVED)
    else:
        draft = file.with_name("editor.draft")
        draft.write_text((file.read_text() if file.exists() else "") + _SAVED)
        os.rename(draft, file)


def _in_child(work: Work) -> bool:
    """Do some work in a child process; whether it did not raise."""
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            work()
            os._exit(0)
        os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def _lost(writer: str, how: str, home: Path) -> list[str]:
    """The moments at which what an editor saves is lost, while a writer works with a project."""
    failed = []
    file, prepare = _WRITERS[writer]
    settle(home / "prepared")
    project = Path(shutil.copytree(REPOSITORY / "sample_context", home / "project"))
    work = prepare(project)
    prepared = shutil.copytree(project, home / "copy", symlinks=True)
    for moment in count():
        folder = home / str(moment)
        shutil.rmtree(project)
        shutil.copytree(prepared, project, symlinks=True)
        settle(folder)
        if not _in_child(partial(_interrupted, work, partial(_save, how, project / file), moment)):
            return failed + ([f"{writer}: does not write"] if moment == 0 else [])
        kept = [project / file, *(path for path in folder.rglob("replaced/*/*") if path.is_file())]
        if not any(_SAVED in path.read_text() for path in kept if path.exists()):
            failed.append(f"{writer}, saved {how} before change {moment}")
        left = [path.name for path in project.rglob("*.ctxtui-tmp")]
        failed += [f"{writer}, saved {how} before change {moment}, leaves {name}" for name in left]
    return failed


def _interrupted(work: Work, save: Work, moment: int) -> None:
    """Do the work, and save just before one of its changes; raises if there are fewer."""
    seen, is_on = 0, True

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen, is_on
        makes = event == "open" and isinstance(flags := arguments[2], int) and flags & os.O_CREAT
        if is_on and (makes or event in _CHANGES):
            seen += 1
            if seen > moment:
                is_on = False
                save()

    sys.addaudithook(hook)
    with suppress(ContextError):
        work()
    if is_on:
        raise LookupError(moment)


# Each writer with each way to save, in the plain run with one of them by turns.
_TRIED = [
    pytest.param(writer, how, marks=() if (turn + number) % 2 else (pytest.mark.heavy,))
    for turn, writer in enumerate(_WRITERS)
    for number, how in enumerate(_SAVES)
]


@pytest.mark.parametrize(("writer", "how"), _TRIED)
def test_a_save_between_the_check_and_the_change_survives(writer: str, how: str, tmp_path: Path) -> None:
    assert _lost(writer, how, tmp_path) == []
