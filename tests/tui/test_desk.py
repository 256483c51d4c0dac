"""The desk without a screen: undo, saving, counting and reloading need no panels."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui import Workspace
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.state_folder import state_folder
from ctxtui.session.saved import autosave
from ctxtui.session.saved.autosave import Restored, from_last, from_recipe
from ctxtui.session.session import Session
from ctxtui.tui.desk import Desk
from ctxtui.tui.launch import Launch
from tests.conftest import Project

FILES = {"AGENTS.md": "# Agents\n\nRules.\n", "a.md": "# A\n\n## One\n\nText.\n", "b.md": "# B\n", "c.txt": "plain\n"}


class BareHost:
    """Runs the work and keeps the messages."""

    def __init__(self) -> None:
        self.work: dict[str, asyncio.Task[None]] = {}
        self.said: list[str] = []

    def start(self, group: str, work: Callable[[], Awaitable[None]]) -> None:
        async def run() -> None:
            await work()

        if group in self.work:
            self.work[group].cancel()
        self.work[group] = asyncio.ensure_future(run())

    def notify(self, message: str, *, severity: str, timeout: float | None) -> None:
        self.said.append(f"{severity}: {message}")

    def show(self) -> None:
        """There is nothing to show it on."""

    async def settle(self) -> None:
        """Wait for all but the watcher, which never ends, and the audit, which waits until nobody acts."""
        endless = ("watch", "findings")
        while under_way := [task for group, task in self.work.items() if group not in endless and not task.done()]:
            await asyncio.wait(under_way)


class IdleHost(BareHost):
    """Starts nothing."""

    def start(self, group: str, work: Callable[[], Awaitable[None]]) -> None:
        del group, work


async def opened(host: BareHost, root: Path, restore: bool = False) -> Desk:
    def first(workspace: Workspace) -> Restored:
        return from_last(workspace.session()) if restore else Restored(workspace.session())

    opening: asyncio.Future[Workspace] = asyncio.Future()
    opening.set_result(Workspace.open(root, on_notice=lambda _notice: None))
    desk = Desk(host, Launch(first))
    await desk.open(opening)
    return desk


@asynccontextmanager
async def desk_on(root: Path, restore: bool = False) -> AsyncIterator[tuple[Desk, BareHost]]:
    host = BareHost()
    desk = await opened(host, root, restore)
    await host.settle()
    yield desk, host
    desk.close()
    await host.settle()
    await asyncio.wait_for(host.work["watch"], 5)


def session_of(desk: Desk) -> Session:
    assert desk.session is not None
    return desk.session


def test_the_desk_needs_no_screen() -> None:
    code = "import ctxtui.tui.desk, sys; assert not {'textual', 'rich'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


STEPS: dict[str, Callable[[Desk], None]] = {
    "a": lambda desk: desk.attempt(lambda session: session.toggle("a.md")),
    "b": lambda desk: desk.attempt(lambda session: session.toggle("b.md")),
    "p": lambda desk: desk.attempt(lambda session: session.pin("a.md", True)),
    "l": lambda desk: desk.attempt(lambda session: session.with_budget("1k")),
    "i": lambda desk: desk.attempt(lambda session: session.with_prompt("Why?")),
    "nothing": lambda desk: desk.attempt(lambda session: session),
    "wrong": lambda desk: desk.attempt(lambda session: session.with_budget("lots")),
    "u": Desk.undo,
    "U": Desk.redo,
}


@pytest.fixture(scope="module")
def some_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("files")
    for name, text in FILES.items():
        (root / name).write_text(text)
    return root


@settings(max_examples=40)
@given(st.lists(st.sampled_from(sorted(STEPS)), max_size=14))
def test_undo_and_redo_walk_over_what_was_done(some_files: Path, steps: list[str]) -> None:
    desk = asyncio.run(opened(IdleHost(), some_files))
    past, future = [session_of(desk).selection], []
    for step in steps:
        STEPS[step](desk)
        now = session_of(desk).selection
        if step == "u" and len(past) > 1:
            future.append(past.pop())
        elif step == "U" and future:
            past.append(future.pop())
        elif step not in ("u", "U") and now != past[-1]:
            past.append(now)
            future = []
        assert now == past[-1]
    desk.close()


async def test_what_cannot_be_done_is_told(project: Project) -> None:
    async with desk_on(project(FILES)) as (desk, host):
        desk.undo()
        desk.redo()
        session = desk.session
        desk.attempt(lambda session: session.with_budget("lots"))
        desk.complain(ContextError("invalid_request", "no \x1b[31mred", hint="none"))
        assert desk.session is session
        assert host.said[:2] == ["information: nothing to undo", "information: nothing to redo"]
        assert host.said[2].startswith("error: ")
        assert "lots" in host.said[2]
        assert "\x1b" not in host.said[3]
        assert host.said[3].endswith("red\nnone")


async def test_the_numbers_stay_until_those_of_the_newest_session_come(project: Project) -> None:
    async with desk_on(project(FILES)) as (desk, host):
        before = desk.figures
        STEPS["a"](desk)
        # Others, even equal ones, would be drawn everywhere a second time.
        assert desk.figures is before
        assert desk.is_behind
        await host.settle()
        assert [block.id for block in desk.figures.layout.blocks] == ["a.md"]
        assert not desk.is_behind
    async with desk_on(project(FILES)) as (desk, host):
        for name in ("a.md", "b.md", "AGENTS.md"):
            desk.attempt(lambda session, name=name: session.toggle(name))  # type: ignore[misc]
            assert desk.is_behind
        await host.settle()
        assert not desk.is_behind
        assert desk.figures.layout.tokens == session_of(desk).payload().tokens > 0
        assert desk.price is None
        desk.attempt(lambda session: session.with_budget(model="gpt-4o"))
        await host.settle()
        assert desk.price


async def test_what_cannot_be_kept_is_told(project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    async with desk_on(project(FILES)) as (desk, host):
        desk.attempt(lambda session: session.toggle("a.md"))
        await host.settle()
        assert [said for said in host.said if "the selection is not saved" in said]
        assert [pick.id for pick in session_of(desk).picks] == ["a.md"]


async def test_a_reload_keeps_what_is_picked(project: Project) -> None:
    root = project(FILES)
    async with desk_on(root) as (desk, host):
        desk.attempt(lambda session: session.toggle("a.md#one"))
        desk.attempt(lambda session: session.toggle("b.md"))
        await host.settle()
        before = session_of(desk)
        assert not await desk.refresh_workspace()
        assert desk.session is before
        (root / "a.md").write_text("# A\n\n## New\n\n## One\n\nLonger text.\n")
        (root / "b.md").unlink()
        (root / "d.md").write_text("# D\n")
        assert await desk.refresh_workspace()
        await host.settle()
        after = session_of(desk)
        assert after.selection == before.selection
        assert desk.changed_picks.ids == {"a.md"}
        assert desk.figures.layout.missing == ("b.md",)
        assert "Longer text." in after.payload().text
        # A step back keeps to the files as they are now.
        desk.undo()
        assert session_of(desk).workspace is after.workspace
        assert [pick.id for pick in session_of(desk).picks] == ["a.md"]


async def test_what_is_picked_during_a_reload_stays(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = Workspace.resolve
    root = project({**FILES, ".ctxtui/recipes/old.yaml": "picks:\n- id: b.md\n"})

    async def resolve_meanwhile(workspace: Workspace, session: Session) -> Session:
        desk.attempt(lambda session: session.toggle("a.md"))
        return await resolve(workspace, session)

    async with desk_on(root) as (desk, _):
        recipe = from_recipe(session_of(desk), "old")
        monkeypatch.setattr(Workspace, "resolve", resolve_meanwhile)
        (root / "d.md").write_text("# D\n")
        assert await desk.refresh_workspace()
        assert [pick.id for pick in session_of(desk).picks] == ["a.md"]
        # A recipe that was read before the reload brings no older files back.
        desk.open_recipe(recipe)
        assert session_of(desk).workspace.find("d.md")


async def test_a_reload_that_is_under_way_brings_no_older_scope_back(project: Project) -> None:
    async with desk_on(project({**FILES, ".gitignore": "b.md\n"})) as (desk, _):
        for number in range(20):
            await asyncio.gather(desk.switch_ignored(), desk.refresh_workspace())
            assert session_of(desk).workspace.scope.with_ignored == (number % 2 == 0)


async def test_what_is_wrong_is_collected(project: Project) -> None:
    root = project(FILES)
    (root / "out.md").symlink_to("/etc/hostname")
    async with desk_on(root) as (desk, host):
        assert [each.path for each in desk.notices] == ["out.md"]
        (root / "a.md").write_text("key = AKIAQ3ZK7VJ2M4XN5P6T\n")
        await desk.refresh_workspace()
        desk.attempt(lambda session: session.toggle("a.md"))
        await host.settle()
        assert [each.path for each in desk.notices] == ["out.md"], "picks do not change the project's problems"


async def test_a_recipe_is_opened_as_one_change(project: Project) -> None:
    recipe = "picks:\n- id: a.md\n- id: b.md\nbudget: 5000\n"
    async with desk_on(project({**FILES, ".ctxtui/recipes/both.yaml": recipe})) as (desk, _):
        desk.attempt(lambda session: session.toggle("AGENTS.md"))
        before = session_of(desk).selection
        desk.open_recipe(from_recipe(session_of(desk), "both"))
        assert desk.recipe == "both"
        assert [pick.id for pick in session_of(desk).picks] == ["a.md", "b.md"]
        desk.undo()
        assert session_of(desk).selection == before
        assert desk.recipe == "both*"


async def test_a_restored_recipe_has_a_star_only_once_the_selection_differs(project: Project) -> None:
    root = project({**FILES, ".ctxtui/recipes/mine.yaml": "picks:\n- id: a.md\n"})
    async with desk_on(root) as (desk, _):
        desk.open_recipe(from_recipe(session_of(desk), "mine"))
    async with desk_on(root, restore=True) as (desk, _):
        assert desk.recipe == "mine"
        STEPS["b"](desk)
        assert desk.recipe == "mine*"


async def test_a_selection_that_was_emptied_stays_empty(project: Project) -> None:
    root = project(FILES)
    async with desk_on(root) as (desk, _):
        STEPS["a"](desk)
        STEPS["a"](desk)
    async with desk_on(root, restore=True) as (desk, host):
        assert session_of(desk).picks == ()
        assert host.said == []


async def test_a_slow_disk_brings_no_older_selection_back(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of two saves takes longer than the second."""
    write, second_written, calls = autosave.write_atomic, threading.Event(), []

    def slow(path: Path, data: bytes, mode: int | None = None) -> None:
        calls.append(data)
        if len(calls) == 1:
            second_written.wait(1)
        write(path, data, mode)
        if len(calls) > 1:
            second_written.set()

    monkeypatch.setattr(autosave, "write_atomic", slow)
    root = project(FILES)
    async with desk_on(root) as (desk, host):
        STEPS["a"](desk)
        while not calls:
            await asyncio.sleep(0)
        STEPS["b"](desk)
        await host.settle()
    assert len(calls) > 1
    # What another process would begin with.
    assert [pick.id for pick in from_last(Workspace.open(root).session()).session.picks] == ["a.md", "b.md"]


async def test_old_selections_of_processes_that_ended_go(project: Project) -> None:
    root = project(FILES)
    async with desk_on(root) as (desk, _):
        STEPS["a"](desk)
    folder = state_folder("selections", root)
    (saved,) = folder.iterdir()
    ended = subprocess.Popen(["true"])
    ended.wait()
    for number in range(20):
        (folder / f"{number}-{ended.pid}.json").write_bytes(saved.read_bytes())
    async with desk_on(root) as (desk, _):
        STEPS["b"](desk)
    assert len(list(folder.iterdir())) < 20
