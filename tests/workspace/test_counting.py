"""Counting in a process beside this one: the same counts, and nothing of it left over."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.audit.text.facts import learn_facts
from ctxtui.cli.__main__ import main
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk import walk
from ctxtui.core.disk.walk import Found
from ctxtui.core.disk.workers import process as work_process
from ctxtui.core.disk.workers import worker_process
from ctxtui.core.disk.workers.process import WorkProcess
from ctxtui.core.disk.workers.worker_process import Process
from ctxtui.core.documents.count_files import Text, TextTask
from ctxtui.core.documents.count_in_worker import Counted, CountOrder
from ctxtui.core.documents.reader import Reader
from ctxtui.core.payload.body import knows_body, learn_body, learn_json
from ctxtui.core.tokens import fast
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.ledger import Entry
from ctxtui.workspace import counting
from ctxtui.workspace.counting import CountingWorkers, count_all
from tests.conftest import Project

TOKEN = "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E"
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


@pytest.fixture(params=["toktok", pytest.param("tiktoken", marks=pytest.mark.heavy)])
def beside(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Any amount is enough for another process, by either engine."""
    monkeypatch.setattr(counting, "LEAST_BYTES", 1)
    monkeypatch.setattr(counting, "FAST_FROM", 1 if request.param == "toktok" else 10**12)
    monkeypatch.setattr(counting, "cores", lambda: 2)
    monkeypatch.setattr(counting, "_BATCH", (80, 10_000))
    return str(request.param)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Process]]:
    """The processes that were started; all have ended at the end."""
    found: list[Process] = []
    start = worker_process.start

    def noted(*arguments, **named):
        found.append(start(*arguments, **named))
        return found[-1]

    monkeypatch.setattr(worker_process, "start", noted)
    yield found
    for each in found:
        with pytest.raises(ProcessLookupError):
            os.kill(each.pid, 0)


def _entries(root: Path, model: str = "o200k_base") -> tuple[dict[str, Entry | None], list[Notice]]:
    workspace, counter = Workspace.open(root, on_notice=lambda _: None), get_counter(model)
    notices = count_all(workspace, counter)
    return {each.path: workspace.reader.known(each, counter) for each in workspace.references}, notices


def _learned(workspace: Workspace, *learn: TextTask) -> list[Notice]:
    counter = get_counter()
    with CountingWorkers(counter, lambda: learn) as workers:
        return count_all(workspace, counter, workers=workers)


def _are_all_counted(found: Mapping[str, Entry | None]) -> bool:
    return sum(each is not None for each in found.values()) == len(FILES) - 1


@pytest.mark.parametrize("beside", ["tiktoken", "toktok"], indirect=True)
@pytest.mark.parametrize("model", ["o200k_base", "claude-opus-5"])
def test_another_process_counts_as_threads_do(
    project: Project, beside: str, started: list[Process], monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    root = project(FILES)
    found, notices = _entries(root, model)
    assert len(started) == 1
    assert _are_all_counted(found)
    monkeypatch.setattr(counting, "LEAST_BYTES", 10**12)
    monkeypatch.setenv("XDG_CACHE_HOME", str(root.parent / "other"))
    assert (found, sorted(notices, key=str)) == ((again := _entries(root, model))[0], sorted(again[1], key=str))
    assert len(started) == 1


def test_little_starts_no_process(project: Project, started: list[Process]) -> None:
    _entries(project(FILES))
    assert not started


def test_a_link_out_of_the_project_is_not_read(
    project: Project, beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project({"a.md": "# A\n"})
    (root.parent / "secret.md").write_text("# Secret\n")
    (root / "link.md").symlink_to(root.parent / "secret.md")
    asked: list[Counted] = []

    class Nosy(WorkProcess):
        def run(self, work, argument, seconds, tries=1):
            place, counter, is_much, tasks, workers, _ = argument
            order = CountOrder(place, counter, is_much, tasks, workers, ["a.md", "link.md", "../secret.md"])
            asked.append(super().run(work, order, seconds))
            return asked[-1]

    monkeypatch.setattr(work_process, "WorkProcess", Nosy)
    _entries(root)
    assert {path: type(each) for path, each in asked[0].files} == {
        "a.md": Entry,
        "link.md": Notice,
        "../secret.md": Notice,
    }


@pytest.mark.parametrize("fault", ["killed", "silent", "failing", "not started"])
def test_what_a_lost_process_leaves_is_counted_here(
    project: Project, beside: str, started: list[Process], monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    class Doomed(WorkProcess):
        def run(self, work, argument, seconds, tries=1):
            if fault == "killed":
                self.kill()
            return super().run(int if fault == "failing" else work, argument, seconds, tries)

    monkeypatch.setattr(work_process, "WorkProcess", Doomed)
    if fault == "not started":
        monkeypatch.setattr(sys, "executable", "/usr/bin/a-game-with-python-inside")
    if fault == "silent":
        monkeypatch.setattr(counting, "_SECONDS", -work_process.GRACE)
    assert _are_all_counted(_entries(project(FILES))[0])


@pytest.mark.parametrize(
    ("installed", "reason"),
    [("", "it is not installed"), ("0.4.0", "version 0.4.0 was not compared with tiktoken")],
)
def test_a_fast_engine_that_does_not_count_is_told(
    project: Project, monkeypatch: pytest.MonkeyPatch, installed: str, reason: str
) -> None:
    monkeypatch.setattr(counting, "FAST_FROM", 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "fast_version", lambda: installed)
        fast.fast_engine.cache_clear()
        found, notices = _entries(project({"a.md": "# A\n"}))
    fast.fast_engine.cache_clear()
    assert [found["a.md"].counts.units] == [get_counter().count("# A\n")]
    assert notices == [Notice("fast-engine", f"toktok did not count ({reason}); tiktoken did")]


def _counted_ahead(root: Path) -> dict[str, Entry | None]:
    counter = get_counter()
    with CountingWorkers(counter) as workers:
        workspace = Workspace.open(root, on_notice=lambda _: None, on_found=workers.begin)
        count_all(workspace, counter, workers=workers)
    return {each.path: workspace.reader.known(each, counter) for each in workspace.references}


def test_counting_ahead_gives_the_same_counts_by_the_same_process(
    project: Project, beside: str, started: list[Process], monkeypatch: pytest.MonkeyPatch
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


def test_counting_begins_while_files_are_still_being_found(
    project: Project, beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "_SOME", 1)
    root, counter = project({f"{number}/a.md": f"# Number {number}\n" for number in range(9)}), get_counter()
    begun: list[int] = []
    seen: list[Found] = []

    class Noted(WorkProcess):
        def __init__(self) -> None:
            super().__init__()
            begun.append(len(seen))

    monkeypatch.setattr(work_process, "WorkProcess", Noted)
    with CountingWorkers(counter) as workers:

        def begin(reader: Reader, files: Sequence[Found]) -> None:
            seen.extend(files)
            workers.begin(reader, files)

        workspace = Workspace.open(root, on_notice=lambda _: None, on_found=begin)
        count_all(workspace, counter, workers=workers)
    assert begun == [1]
    assert sorted(each.path for each in seen) == [each.path for each in workspace.references]
    assert all(workspace.reader.known(each, counter) for each in workspace.references)


def test_a_file_that_changes_while_it_is_counted_ahead_is_counted_again(project: Project, beside: str) -> None:
    root, counter = project(FILES), get_counter()
    with CountingWorkers(counter) as workers:

        def begin(reader: Reader, files: Sequence[Found]) -> None:
            workers.begin(reader, files)
            (root / "many/1.md").write_text("# Now something else\n")

        workspace = Workspace.open(root, on_notice=lambda _: None, on_found=begin)
        count_all(workspace, counter, workers=workers)
    assert workspace.tokens(workspace.require("many/1.md"), counter) == counter.count("# Now something else\n")


def test_a_project_that_cannot_be_opened_leaves_no_process(
    project: Project, beside: str, started: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ctxtui.workspace.opening.classify.classify_files", fail)
    with pytest.raises(KeyboardInterrupt):
        _counted_ahead(project(FILES))


OWNER = """
import sys, threading, time
from ctxtui import Workspace
from ctxtui.core.payload.body import learn_body
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.workspace import counting
counting.LEAST_BYTES, counting.cores = 1, lambda: 2
counter = get_counter()
with counting.CountingWorkers(counter, lambda: (learn_body,)) as workers:
    workspace = Workspace.open(sys.argv[1], on_notice=lambda _: None)
    list(workers.count(workspace.reader, workspace.references, threading.Event()))
    print("counted", flush=True)
    time.sleep(60)
"""


def _below(pid: int) -> list[int]:
    children = [child for each in Path(f"/proc/{pid}/task").glob("*/children") for child in each.read_text().split()]
    return [found for child in map(int, children) for found in (child, *_below(child))]


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells when a foreign process ends")
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_processes_end_with_their_owner(project: Project, sign: signal.Signals) -> None:
    root = project({f"{number}.md": "# A\n" for number in range(99)})
    command = [sys.executable, "-c", OWNER, str(root)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as owner:
        assert owner.stdout.readline() == b"counted\n"
        counting = [os.pidfd_open(pid) for pid in _below(owner.pid)]
        if sign == signal.SIGINT:
            os.killpg(owner.pid, sign)  # as a terminal does
        else:
            os.kill(owner.pid, sign)
    assert len(counting) == 2
    for each in counting:
        # It is readable once the process has ended.
        assert select.select([each], [], [], 300)[0]
        os.close(each)


@pytest.mark.heavy
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells when a foreign process ends")
def test_ctrl_c_ends_a_command_and_its_processes(project: Project) -> None:
    root = project(
        {f"{number}.md": f"# {number}\n" + "Some words, and more of them.\n" * 2_000 for number in range(400)}
    )
    command = [sys.executable, "-m", "ctxtui", "ls", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as running:
        while not (found := _below(running.pid)):
            assert running.poll() is None
        worker = os.pidfd_open(found[0])
        os.killpg(running.pid, signal.SIGINT)
        _, told = running.communicate(timeout=60)
    assert (running.returncode, b"Traceback" in told) == (130, False), told
    assert select.select([worker], [], [], 20)[0]
    os.close(worker)


@pytest.mark.parametrize("learn", [learn_body, learn_json, learn_facts])
def test_texts_are_searched_where_they_are_counted(
    project: Project, beside: str, started: list[Process], learn: TextTask
) -> None:
    root = project({**FILES, "docs/secret.md": f"---\nestimatedTokens: 9\n---\n\n# One\n\n[a](b.md) {TOKEN}\n"})
    workspace, counter = Workspace.open(root, on_notice=lambda _: None), get_counter()
    _learned(workspace, learn)
    reader = workspace.reader
    by_workers = reader.cache.taken()
    assert len(started) == 1
    assert TOKEN.encode() not in b"".join(by_workers.values())
    assert by_workers

    def learn_here() -> dict[bytes, bytes]:
        for each in workspace.references:
            entry = reader.known(each, counter)
            if entry is not None:
                found = reader.document(each)
                text = Text(found.path, found.text, found.stamp, found.digest, found.damage)
                learn(text, entry.counts, counter, reader.cache, reader.root)
        return reader.cache.taken()

    # What is alike in several files is measured once by each process.
    assert learn_here().items() <= by_workers.items()
    reader.cache.give(by_workers)
    assert learn_here() == by_workers


def test_what_is_counted_already_is_searched_by_another_process_too(
    project: Project, beside: str, started: list[Process]
) -> None:
    workspace, counter = Workspace.open(project(FILES), on_notice=lambda _: None), get_counter()
    reader, references = workspace.reader, workspace.references
    count_all(workspace, counter)
    known = {each.path: entry for each in references if (entry := reader.known(each, counter))}

    def searched() -> set[str]:
        return {path for path, each in known.items() if knows_body(path, each.digest, counter, reader.cache)}

    assert (len(started), searched()) == (1, set())
    with CountingWorkers(counter, lambda: (learn_body,)) as workers:
        count_all(workspace, counter, only=references, workers=workers, again=references)
    assert (len(started), searched()) == (2, known.keys())
    assert all(reader.known(each, counter) == known.get(each.path) for each in references)


@pytest.mark.parametrize("least", [1, 10**12])
def test_workers_count_more_than_once(project: Project, monkeypatch: pytest.MonkeyPatch, least: int) -> None:
    monkeypatch.setattr(counting, "LEAST_BYTES", least)
    workspace, counter = Workspace.open(project(FILES), on_notice=lambda _: None), get_counter()
    with CountingWorkers(counter) as workers:
        for each in workspace.references[-2:]:
            count_all(workspace, counter, only=[each], workers=workers)
            assert workspace.reader.known(each, counter)


def test_a_build_after_a_list_searches_in_another_process_once(
    project: Project, beside: str, started: list[Process], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = str(project({**FILES, "docs/binary.txt": "text", "docs/secret.md": f"# One\n{TOKEN}\n"}))
    outputs = [tmp_path / f"{number}.md" for number in range(3)]
    build = ["build", "-C", root, "--pick", ".", "-o"]
    assert main(["ls", root]) == 0
    assert len(started) == 1
    for output, processes in zip(outputs[:2], (2, 2), strict=True):
        assert main([*build, str(output)]) == 0
        assert len(started) == processes
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    assert main([*build, str(outputs[2])]) == 0
    assert len({output.read_bytes() for output in outputs}) == 1
    assert TOKEN.encode() not in outputs[0].read_bytes()


def test_a_file_that_changes_after_it_was_searched_is_searched_again(project: Project, beside: str) -> None:
    root = project(FILES)
    workspace, counter = Workspace.open(root, on_notice=lambda _: None), get_counter()
    _learned(workspace, learn_body)
    (root / "many/1.md").write_text(f"# Now\n{TOKEN}\n")
    payload = workspace.session().pick("many/1.md").payload()
    assert (payload.secrets, TOKEN in payload.text) == (1, False)
    assert payload.tokens == counter.count(payload.text)
