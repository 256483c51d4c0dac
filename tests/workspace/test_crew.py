"""Counting in processes beside this one: the same counts, and none of them left over."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.core.files.count_process import CountProcess, Lost
from ctxtui.core.files.reader import Reader
from ctxtui.core.files.walk import Found
from ctxtui.core.notices import Notice
from ctxtui.core.tokens import engines
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.engines import is_tested
from ctxtui.core.tokens.ledger import Entry
from ctxtui.workspace import crew
from ctxtui.workspace.ahead import Ahead
from ctxtui.workspace.count import count_all
from ctxtui.workspace.crew import start_process

Make = Callable[[Mapping[str, str | bytes]], Path]
FILES: dict[str, str | bytes] = {
    "AGENTS.md": "# Rules\n" + "Never charge a card twice.\n# More\n" * 400,
    "CLAUDE.md": "@AGENTS.md\n",
    "docs/crlf.md": "a\r\n\r\n# b\r\n" * 30,
    "docs/bom.md": b"\xef\xbb\xbf# Title\n",
    "docs/damaged.md": b"# One\n\nTwo \xff three\n",
    "docs/special.md": "<|endoftext|> 漢字 😀\n",
    "docs/new.md": "\U000323b0\U0001e6c0a\u088f letters\n",
    "docs/binary.txt": b"\0\1\2",
    "docs/empty.md": "",
    "names/ü 😀.md": "# Odd\n",
    **{f"many/{number}.md": f"# Number {number}\n" * 9 for number in range(200)},
}


@pytest.fixture(params=["tiktoken", "gigatoken"])
def beside(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Any amount is enough for a process, with each engine that is installed."""
    if request.param == "gigatoken" and not is_tested():
        pytest.skip('gigatoken is not installed: pip install "ctxtui[fast]"')
    monkeypatch.setattr(crew, "LEAST_BYTES", 1)
    monkeypatch.setattr(crew, "LEAST_BYTES_FAST", 1 if request.param == "gigatoken" else 10**12)
    monkeypatch.setattr(crew, "cores", lambda: 2)
    monkeypatch.setattr(crew, "_BATCH", (8, 10_000))
    monkeypatch.setattr(crew, "_BATCH_FAST", (8, 10_000))
    return str(request.param)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[CountProcess]]:
    """The processes that counted; all have ended at the end."""
    found: list[CountProcess] = []

    class Noted(CountProcess):
        def count(self, paths):
            if self not in found:
                found.append(self)
            return super().count(paths)

    monkeypatch.setattr(crew, "CountProcess", Noted)
    yield found
    for each in found:
        with pytest.raises(ProcessLookupError):
            os.kill(each.pid, 0)


def _entries(root: Path, model: str = "o200k_base") -> tuple[dict[str, Entry | None], list[Notice]]:
    workspace, counter = Workspace.open(root, on_notice=lambda _: None), get_counter(model)
    notices = count_all(workspace, counter)
    return {each.path: workspace.reader.known(each, counter) for each in workspace.references}, notices


@pytest.mark.parametrize("model", ["o200k_base", "claude-opus-5"])
def test_processes_count_as_threads_do(
    project: Make, beside: str, started: list[CountProcess], monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    root = project(FILES)
    found, notices = _entries(root, model)
    assert len(started) == 1
    assert sum(each is not None for each in found.values()) == len(FILES) - 1
    monkeypatch.setattr(crew, "LEAST_BYTES", 10**12)
    monkeypatch.setattr(crew, "LEAST_BYTES_FAST", 10**12)
    monkeypatch.setenv("XDG_CACHE_HOME", str(root.parent / "other"))
    assert (found, sorted(notices, key=str)) == ((again := _entries(root, model))[0], sorted(again[1], key=str))
    assert len(started) == 1


def test_a_link_out_of_the_project_is_not_read(project: Make, beside: str) -> None:
    root = project({"a.md": "# A\n"})
    secret = root.parent / "secret.md"
    secret.write_text("# Secret\n")
    (root / "link.md").symlink_to(secret)
    process = CountProcess(root, None, get_counter(), False)
    try:
        rows = dict(process.count(["a.md", "link.md", "../secret.md", "gone.md"]))
    finally:
        process.close()
    assert isinstance(rows.pop("a.md"), Entry)
    assert {path: isinstance(each, Notice) for path, each in rows.items()} == dict.fromkeys(rows, True)


def test_what_a_lost_process_leaves_is_counted_here(
    project: Make, beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Doomed(CountProcess):
        def count(self, paths):
            os.kill(self.pid, signal.SIGKILL)
            return super().count(paths)

    monkeypatch.setattr(crew, "CountProcess", Doomed)
    found, notices = _entries(project(FILES))
    assert sum(each is not None for each in found.values()) == len(FILES) - 1
    assert [each.code for each in notices if each.code == "fast-engine"] == ["fast-engine"] * (beside == "gigatoken")


def test_another_version_of_the_fast_engine_is_told_and_not_used(
    project: Make, monkeypatch: pytest.MonkeyPatch, started: list[CountProcess]
) -> None:
    monkeypatch.setattr(crew, "LEAST_BYTES_FAST", 0)
    monkeypatch.setattr(engines, "fast_version", lambda: "0.9.1")
    monkeypatch.setattr(crew, "fast_version", lambda: "0.9.1")
    found, notices = _entries(project({"a.md": "# A\n"}))
    assert [found["a.md"].counts.units] == [get_counter().count("# A\n")]
    message = "gigatoken did not count (version 0.9.1 was not compared with tiktoken); tiktoken did"
    assert notices == [Notice("fast-engine", message)]
    assert not started


def test_little_starts_no_process(project: Make, started: list[CountProcess]) -> None:
    _entries(project(FILES))
    assert not started


def test_a_process_that_cannot_be_started_is_not_missed(
    project: Make, beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/usr/bin/a-game-with-python-inside")
    with pytest.raises(Lost):
        CountProcess(project({}), None, get_counter(), False)
    found, _ = _entries(project(FILES))
    assert sum(each is not None for each in found.values()) == len(FILES) - 1


def _counted_ahead(root: Path) -> dict[str, Entry | None]:
    counter = get_counter()
    with Ahead(counter) as ahead:
        workspace = Workspace.open(root, on_notice=lambda _: None, on_found=ahead.begin)
        count_all(workspace, counter, ahead=ahead)
    return {each.path: workspace.reader.known(each, counter) for each in workspace.references}


def test_counting_ahead_gives_the_same_counts_by_the_same_process(
    project: Make, beside: str, started: list[CountProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A binary file is never known.
    root = project(FILES | {"package-lock.json": "{}\n", "docs/binary.txt": "text"})
    found = _counted_ahead(root)
    assert len(started) == 1
    assert found["package-lock.json"] is None  # large data is counted on request
    # What was found ahead is kept: a second start counts nothing.
    assert _counted_ahead(root) == found
    assert len(started) == 1
    monkeypatch.setenv("XDG_CACHE_HOME", str(root.parent / "other"))
    assert found == _entries(root)[0]


def test_a_file_that_changes_while_it_is_counted_ahead_is_counted_again(project: Make, beside: str) -> None:
    root, counter = project(FILES), get_counter()
    with Ahead(counter) as ahead:

        def begin(reader: Reader, files: Sequence[Found]) -> None:
            ahead.begin(reader, files)
            (root / "many/1.md").write_text("# Now something else\n")

        workspace = Workspace.open(root, on_notice=lambda _: None, on_found=begin)
        count_all(workspace, counter, ahead=ahead)
    assert workspace.tokens(workspace.require("many/1.md"), counter) == counter.count("# Now something else\n")


def test_a_project_that_cannot_be_opened_leaves_no_process(
    project: Make, beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = []

    def start(*arguments: object) -> CountProcess:
        process = start_process(*arguments)  # type: ignore[arg-type]
        pids.append(process.pid)
        return process

    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ctxtui.workspace.crew.start_process", start)
    monkeypatch.setattr("ctxtui.workspace.learn.learn", fail)
    with pytest.raises(KeyboardInterrupt):
        _counted_ahead(project(FILES))
    assert len(pids) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


@pytest.mark.heavy
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells when a foreign process ends")
def test_ctrl_c_ends_a_command_and_its_processes(project: Make) -> None:
    root = project(
        {f"{number}.md": f"# {number}\n" + "Some words, and more of them.\n" * 2_000 for number in range(400)}
    )
    command = [sys.executable, "-m", "ctxtui", "ls", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as running:
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        while not (found := children.read_text().split()):
            assert running.poll() is None
        worker = os.pidfd_open(int(found[0]))
        os.killpg(running.pid, signal.SIGINT)
        _, told = running.communicate(timeout=20)
    assert (running.returncode, b"Traceback" in told) == (130, False), told
    assert select.select([worker], [], [], 20)[0]
    os.close(worker)


OWNER = """
import sys, time
from pathlib import Path
from ctxtui.core.files.count_process import CountProcess
from ctxtui.core.tokens.by_name import get_counter
process = CountProcess(Path(sys.argv[1]), None, get_counter(), False)
process.count(["a.md"])
print(process.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells when a foreign process ends")
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_a_process_ends_with_its_owner(project: Make, sign: signal.Signals) -> None:
    root = project({"a.md": "# A\n"})
    command = [sys.executable, "-c", OWNER, str(root)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as owner:
        worker = os.pidfd_open(int(owner.stdout.readline()))
        if sign == signal.SIGINT:
            os.killpg(owner.pid, sign)  # as a terminal does
        else:
            os.kill(owner.pid, sign)
    # It is readable once the process has ended.
    assert select.select([worker], [], [], 20)[0]
    os.close(worker)
