"""Counting in processes beside this one: the same counts, and none of them left over."""

import io
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.audit.declared import learn_declared
from ctxtui.audit.text.known_facts import learn_facts
from ctxtui.audit.text.links import learn_links
from ctxtui.cli.__main__ import main
from ctxtui.core import frames
from ctxtui.core.files import count_process, count_worker, walk
from ctxtui.core.files.count_files import Pass, Text
from ctxtui.core.files.count_process import CountProcess, Lost, can_fork
from ctxtui.core.files.reader import Reader
from ctxtui.core.files.walk import Found
from ctxtui.core.notices import Notice
from ctxtui.core.payload.assembly import measure
from ctxtui.core.payload.body import knows_body, learn_body, learn_json, whole_block
from ctxtui.core.payload.formats import JSON, Label
from ctxtui.core.tokens import engines
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.engines import is_tested
from ctxtui.core.tokens.ledger import Entry
from ctxtui.core.tokens.remembered import remembering
from ctxtui.workspace import crew
from ctxtui.workspace.ahead import Ahead
from ctxtui.workspace.count import count_all
from ctxtui.workspace.crew import start_processes

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
        def count(self, paths, worker=0):
            if self not in found:
                found.append(self)
            return super().count(paths, worker)

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


@pytest.mark.skipif(not hasattr(os, "nice"), reason="no priorities of processes here")
def test_a_process_that_counts_gives_way_to_this_one(project: Make, beside: str) -> None:
    process = CountProcess(project({"a.md": "# A\n"}), None, get_counter(), False)
    try:
        process.count(["a.md"])
        assert os.getpriority(os.PRIO_PROCESS, process.pid) >= min(19, os.nice(0) + 10)
    finally:
        process.close()


def test_what_a_lost_process_leaves_is_counted_here(
    project: Make, beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Doomed(CountProcess):
        def count(self, paths, worker=0):
            os.kill(self.pid, signal.SIGKILL)
            return super().count(paths, worker)

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


def test_counting_begins_while_files_are_still_being_found(
    project: Make, beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "_SOME", 1)
    root, counter = project({f"{number}/a.md": f"# Number {number}\n" for number in range(9)}), get_counter()
    started: list[int] = []

    def start(*arguments: object) -> list[CountProcess]:
        started.append(len(seen))
        return start_processes(*arguments)  # type: ignore[arg-type]

    seen: list[Found] = []
    monkeypatch.setattr(crew, "start_processes", start)
    with Ahead(counter) as ahead:

        def begin(reader: Reader, files: Sequence[Found]) -> None:
            seen.extend(files)
            ahead.begin(reader, files)

        workspace = Workspace.open(root, on_notice=lambda _: None, on_found=begin)
        count_all(workspace, counter, ahead=ahead)
    # With gigatoken installed, a smaller amount may still turn out to be one for it.
    assert started == ([9] if beside == "tiktoken" and is_tested() else [1])
    assert sorted(each.path for each in seen) == [each.path for each in workspace.references]
    assert all(workspace.reader.known(each, counter) for each in workspace.references)


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

    def start(*arguments: object) -> list[CountProcess]:
        started = start_processes(*arguments)  # type: ignore[arg-type]
        pids.extend(each.pid for each in started)
        return started

    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    # What is to be counted by tiktoken is known only at the end if there is another engine.
    monkeypatch.setattr(crew, "is_tested", lambda: beside == "gigatoken")
    monkeypatch.setattr("ctxtui.workspace.crew.start_processes", start)
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
        _, told = running.communicate(timeout=60)
    assert (running.returncode, b"Traceback" in told) == (130, False), told
    assert select.select([worker], [], [], 20)[0]
    os.close(worker)


OWNER = """
import sys, time
from pathlib import Path
from ctxtui.core.files.count_process import CountProcess
from ctxtui.core.tokens.by_name import get_counter
process = CountProcess(Path(sys.argv[1]), None, get_counter(), False, 3)
process.count(["a.md"])
print(process.pid, flush=True)
time.sleep(60)
"""


def _forked(pid: int) -> list[int]:
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells when a foreign process ends")
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_a_process_and_its_workers_end_with_their_owner(project: Make, sign: signal.Signals) -> None:
    root = project({"a.md": "# A\n"})
    command = [sys.executable, "-c", OWNER, str(root)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as owner:
        process = int(owner.stdout.readline())
        counting = [os.pidfd_open(pid) for pid in (process, *_forked(process))]
        if sign == signal.SIGINT:
            os.killpg(owner.pid, sign)  # as a terminal does
        else:
            os.kill(owner.pid, sign)
    assert len(counting) == 3
    for each in counting:
        # It is readable once the process has ended.
        assert select.select([each], [], [], 20)[0]
        os.close(each)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells when a foreign process ends")
def test_closing_ends_a_worker_that_does_not_listen(project: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count_process, "_GRACE", 0.1)
    process = CountProcess(project({"a.md": "# A\n"}), None, get_counter(), False, 2)
    process.count(["a.md"])
    (worker,) = _forked(process.pid)
    counting = os.pidfd_open(worker)
    os.kill(worker, signal.SIGSTOP)
    process.close()
    assert select.select([counting], [], [], 20)[0]
    os.close(counting)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells when a foreign process ends")
def test_closing_ends_the_workers_of_a_lost_process(project: Make) -> None:
    process = CountProcess(project({"a.md": "# A\n"}), None, get_counter(), False, 2)
    process.count(["a.md"])
    (worker,) = _forked(process.pid)
    counting = os.pidfd_open(worker)
    os.kill(worker, signal.SIGSTOP)
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(Lost):
        process.count(["a.md"])
    process.close()
    assert select.select([counting], [], [], 20)[0]
    os.close(counting)


@pytest.mark.skipif(not can_fork(), reason="one process counts on one core here")
def test_a_lost_worker_costs_nobody_else_anything(project: Make) -> None:
    process = CountProcess(project({"a.md": "# A\n"}), None, get_counter(), False, 3)
    try:
        counts = [process.count(["a.md"], worker) for worker in range(3)]
        os.kill(_forked(process.pid)[0], signal.SIGKILL)
        with pytest.raises(Lost):
            process.count(["a.md"], 1)
        counts += [process.count(["a.md"], worker) for worker in (0, 2)]
    finally:
        process.close()
    assert counts == [counts[0]] * 5


def test_a_worker_is_sent_more_while_it_counts_and_answers_in_order(project: Make) -> None:
    root = project({f"{number}.md": "word " * number for number in range(40)})
    process, counter = CountProcess(root, None, get_counter(), False), get_counter()
    try:
        with ThreadPoolExecutor(8) as pool:
            counted = list(pool.map(lambda number: process.count([f"{number}.md"]), range(40)))
        assert [rows[0][1].counts.units for rows in counted] == [counter.count("word " * each) for each in range(40)]
        os.kill(process.pid, signal.SIGKILL)
        with ThreadPoolExecutor(4) as pool:
            asked = [pool.submit(process.count, ["1.md"]) for _ in range(8)]
        # What is lost once is lost for all, for the same reason.
        assert len({str(each.exception()) for each in asked}) == 1
        assert all(isinstance(each.exception(), Lost) for each in asked)
    finally:
        process.close()


@pytest.mark.skipif(not can_fork(), reason="nothing stops a process there")
def test_a_process_that_does_not_answer_is_given_up(
    project: Make, beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(CountProcess):
        def count(self, paths, worker=0):
            os.kill(self.pid, signal.SIGSTOP)
            return super().count(paths, worker)

    monkeypatch.setattr(crew, "CountProcess", Stopped)
    monkeypatch.setattr(count_process, "PATIENCE", 0.3)
    found, _ = _entries(project(FILES))
    assert sum(each is not None for each in found.values()) == len(FILES) - 1


def _framed(value: object) -> bytes:
    out = io.BytesIO()
    frames.write(out, value)
    return out.getvalue()


_WHOLE = ["many/1.md", [1, 2, 3], b"d" * 16, 1, b"", 0]
ANSWERS = [
    b"nothing\n",
    b"",
    b"-1\n",
    b"5\nxxxxx",
    b"1000\nshort",
    b"99999999999999999999\n",
    _framed([[_WHOLE], {}])[:-3],
    *map(
        _framed,
        [
            None,
            [[], [], []],
            [[["many/1.md", [1, 2], b"", 1, b"", 0]], {}],
            [[["many/1.md", [1, 2, 3], "text", 1, b"", 0]], {}],
            [[["many/1.md", [1, 2, 3], b"", "many", b"", 0]], {}],
            [[["many/1.md"]], {}],
            [[_WHOLE], {b"key": 1000}],
            [[_WHOLE], {"key": b""}],
            [[_WHOLE], [1, 2, 3]],
            [[_WHOLE], None],
            [[_WHOLE], {}],
            [{}, {}],
            [[], {}],
            {},
        ],
    ),
]


def _answer_with(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a process that counts say that it is ready, then the same to whatever it is asked."""
    said = _framed([count_worker.__file__, ""]) + answer
    monkeypatch.setattr(count_process, "_COMMAND", ("-c", f"import sys; sys.stdout.buffer.write({said!r})"))


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_damaged_answer_is_counted_here(
    project: Make, beside: str, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    _answer_with(answer, monkeypatch)
    found, _ = _entries(project(FILES))
    assert sum(each is not None for each in found.values()) == len(FILES) - 1


@pytest.mark.parametrize("learn", [learn_body, learn_json, learn_facts, learn_links, learn_declared])
def test_texts_are_searched_where_they_are_counted(
    project: Make, beside: str, started: list[CountProcess], learn: Pass
) -> None:
    token = "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E"
    root = project({**FILES, "docs/secret.md": f"---\nestimatedTokens: 9\n---\n\n# One\n\n[a](b.md) {token}\n"})
    workspace, counter = Workspace.open(root, on_notice=lambda _: None), get_counter()
    count_all(workspace, counter, also=(learn,))
    reader = workspace.reader
    by_workers = reader.passes.taken()
    assert len(started) == 1
    assert token.encode() not in b"".join(by_workers.values())
    assert by_workers

    def learn_here() -> dict[bytes, bytes]:
        for each in workspace.references:
            entry = reader.known(each, counter)
            if entry is not None:
                found = reader.document(each)
                text = Text(found.path, found.text, found.stamp, found.digest, found.damage)
                learn(text, entry.counts, counter, reader.passes, reader.root)
        return reader.passes.taken()

    # What is alike in several files is measured once by each process.
    assert learn_here().items() <= by_workers.items()
    reader.passes.give(by_workers)
    assert learn_here() == by_workers


def test_blocks_of_json_need_no_encoder_once_they_were_counted(
    project: Make, beside: str, started: list[CountProcess]
) -> None:
    root = project({**FILES, "docs/quoted.md": '---\na: b\n---\n\n"One"\n\\ two\n'})
    workspace, counter = Workspace.open(root, on_notice=lambda _: None), get_counter()
    count_all(workspace, counter, also=(learn_json,))
    reader, measured = workspace.reader, 0
    assert len(started) == 1

    def refuse(text: str, _: str) -> int:
        raise AssertionError(f"encodes {text!r}")

    idle = remembering(replace(counter, tokens_of=refuse), reader.passes)
    for each in workspace.references:
        entry = reader.known(each, counter)
        if entry is not None:
            document, counts = reader.document(each), entry.counts
            found = whole_block(JSON, document, lambda counts=counts: counts, idle, reader.passes)
            label, text = Label(each.path), document.text[found.body.start :]
            sizes = measure(JSON, counter, label, 7, found.body.size, lambda text=text: text, found.body.fences)
            assert (found.units, found.text_units) == sizes
            measured += 1
    assert measured == len(FILES)


def test_what_is_counted_already_is_searched_by_processes_too(
    project: Make, beside: str, started: list[CountProcess]
) -> None:
    workspace, counter = Workspace.open(project(FILES), on_notice=lambda _: None), get_counter()
    reader, references = workspace.reader, workspace.references
    count_all(workspace, counter)
    known = {each.path: entry for each in references if (entry := reader.known(each, counter))}

    def searched() -> set[str]:
        return {path for path, each in known.items() if knows_body(path, each.digest, counter, reader.passes)}

    assert (len(started), searched()) == (1, set())
    count_all(workspace, counter, only=references, also=(learn_body,), again=references)
    assert (len(started), searched()) == (2, known.keys())
    assert all(reader.known(each, counter) == known.get(each.path) for each in references)


def test_a_build_after_a_list_searches_with_processes_once(
    project: Make, beside: str, started: list[CountProcess], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E"
    root = str(project({**FILES, "docs/binary.txt": "text", "docs/secret.md": f"# One\n{token}\n"}))
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
    assert token.encode() not in outputs[0].read_bytes()


def test_a_file_that_changes_after_it_was_searched_is_searched_again(
    project: Make, beside: str, started: list[CountProcess]
) -> None:
    token = "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E"
    root = project(FILES)
    workspace, counter = Workspace.open(root, on_notice=lambda _: None), get_counter()
    count_all(workspace, counter, also=(learn_body,))
    (root / "many/1.md").write_text(f"# Now\n{token}\n")
    payload = workspace.session().pick("many/1.md").payload()
    assert (payload.secrets, token in payload.text) == (1, False)
    assert payload.tokens == counter.count(payload.text)
    assert len(started) == 1


TEXTS = [
    "",
    "One line.",
    "a\r\nb\n" * 50,
    "<|endoftext|> 漢字 😀",
    "\ud800 alone",
    "Some words. " * 40_000,
    " " * 300_000,
]


def _lasting(root: Path, model: str = "o200k_base") -> Iterator[tuple[Ahead, TokenCounter]]:
    counter = get_counter(model)
    with Ahead(counter, lasts=True) as ahead:
        count_all(Workspace.open(root, on_notice=lambda _: None, on_found=ahead.begin), counter, ahead=ahead)
        yield ahead, counter


@pytest.mark.parametrize("model", ["o200k_base", "claude-opus-5"])
def test_those_who_counted_files_tell_the_tokens_of_texts(
    project: Make, beside: str, started: list[CountProcess], model: str
) -> None:
    for ahead, counter in _lasting(project(FILES), model):
        (process,) = started
        os.kill(process.pid, 0)  # it has not ended
        assert ahead.told == counter
        assert [ahead.told.units(text) for text in TEXTS] == list(map(counter.units, TEXTS))


def test_texts_are_counted_here_once_nobody_else_can(project: Make, beside: str, started: list[CountProcess]) -> None:
    for ahead, counter in _lasting(project(FILES)):
        (process,) = started
        os.kill(process.pid, signal.SIGKILL)
        assert [ahead.told.count(text) for text in TEXTS] == list(map(counter.count, TEXTS))
        assert not ahead.finish()


def test_texts_are_counted_in_one_go_if_they_are_foreseen(
    project: Make, beside: str, started: list[CountProcess]
) -> None:
    def refuse(text: str, _: str) -> int:
        raise AssertionError(f"encodes {text[:9]!r}")

    counter, root = get_counter(), project(FILES)
    with Ahead(replace(counter, tokens_of=refuse), lasts=True) as ahead:
        count_all(Workspace.open(root, on_notice=lambda _: None, on_found=ahead.begin), counter, ahead=ahead)
        (process,) = started
        ahead.foresee(TEXTS)
        os.kill(process.pid, signal.SIGKILL)
        assert [ahead.told.units(text) for text in TEXTS] == list(map(counter.units, TEXTS))
        # Nobody is left to ask, and each number was remembered for one question.
        ahead.foresee(TEXTS)
        with pytest.raises(AssertionError, match="encodes 'One line"):
            ahead.told.units(TEXTS[1])


@pytest.mark.parametrize("answer", ["nothing", None, [], [1, 2], ["7"], [1.5], [True], [-1]])
def test_tokens_that_make_no_sense_are_not_believed(
    project: Make, beside: str, monkeypatch: pytest.MonkeyPatch, answer: object
) -> None:
    _answer_with(_framed(answer), monkeypatch)
    process = CountProcess(project({}), None, get_counter(), False)
    try:
        with pytest.raises(Lost):
            process.tokens("One line.")
        with pytest.raises(Lost):
            process.tokens_of(["One line."])
    finally:
        process.close()


@pytest.mark.parametrize("answer", ["nothing", [], [1], [1, 2, 3], [1, "7"], [1, -1]])
def test_tokens_of_other_texts_are_not_believed(
    project: Make, beside: str, monkeypatch: pytest.MonkeyPatch, answer: object
) -> None:
    _answer_with(_framed(answer), monkeypatch)
    process = CountProcess(project({}), None, get_counter(), False)
    try:
        with pytest.raises(Lost):
            process.tokens_of(["One line.", "Two."])
    finally:
        process.close()


ALONE = """
import sys
from ctxtui import Workspace
from ctxtui.core.payload.body import learn_body
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.workspace import crew
from ctxtui.workspace.ahead import Ahead
from ctxtui.workspace.count import count_all
crew.LEAST_BYTES, crew.cores, crew.is_tested = 1, lambda: 2, lambda: False
counter = get_counter()
with Ahead(counter, (learn_body,)) as ahead:
    workspace = Workspace.open(sys.argv[1], on_notice=lambda _: None, on_found=ahead.begin)
    count_all(workspace, counter, ahead=ahead)
session = workspace.session()
for each in workspace.references:
    session = session.pick(each.id)
payload = session.payload()
print("tiktoken" in sys.modules)
assert payload.tokens == counter.count(payload.text), payload.tokens
assert len(payload.blocks) == 5
"""


@pytest.mark.skipif(not can_fork(), reason="this process counts as well there")
def test_whoever_has_others_count_builds_no_encoder(project: Make) -> None:
    token = "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E"
    files = {"a.md": "# A\n", "b.md": "/b\n", "c.py": "// c", "d.md": f"---\nx: y\n---\n\n{token}", "e.md": ""}
    root = project(files)
    told = subprocess.run([sys.executable, "-c", ALONE, str(root)], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"
