"""Several processes on one directory of records, some of them killed: only whole records are left."""

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from ctxtui.core.base.notices import Notice
from ctxtui.core.documents.records.directory import Record, RecordDirectory

_BEGIN = """
import sys
from datetime import UTC, datetime
from ctxtui.core.documents.records.directory import Record, RecordDirectory

place, sign, ids, turns = sys.argv[1], sys.argv[2], sys.argv[3].split(","), int(sys.argv[4])
records, time = RecordDirectory(place), datetime(2026, 1, 1, tzinfo=UTC)
made = [Record(id_, "Decision", sign * 20_000, (sign,), time, None, {"by": sign}) for id_ in ids]
print("ready", flush=True)
sys.stdin.readline()
"""
_STORE = f"""{_BEGIN}
for turn in range(turns):
    for each in made:
        records.store(each)
"""
_CREATE = f"{_BEGIN}print(*(each.id for each in made if records.create(each)), sep=',')\n"


def test_of_processes_that_create_one_id_at_once_one_does(tmp_path: Path) -> None:
    place = tmp_path / "notes"
    ids = [*(f"id-{number}" for number in range(10)), "Odd id"]
    processes = {sign: _process(place, sign, ",".join(ids), 0, _CREATE) for sign in "abcde"}
    _start(list(processes.values()))
    said = [(process.communicate(timeout=60)[0].strip().split(","), sign) for sign, process in processes.items()]
    makers = {id_: sign for made, sign in said for id_ in made}
    found = RecordDirectory(place).all()
    assert {each.id: each.tags[0] for each in found} == {id_: makers[id_] for id_ in ids}
    assert all(_whole(each) for each in found)
    assert len(list(place.iterdir())) == len(ids)


def _process(place: Path, sign: str, ids: str, turns: int, code: str = _STORE) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, str(place), sign, ids, str(turns)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _start(processes: list[subprocess.Popen[str]]) -> None:
    """Let processes that are ready begin all at once."""
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()


def _end(process: subprocess.Popen[str]) -> int:
    with process:
        return process.wait(60)


def _whole(each: Record) -> bool:
    (sign,) = each.tags
    return each.content == sign * 20_000 and each.extra == {"by": sign}


def test_processes_that_store_at_once_lose_nothing(tmp_path: Path) -> None:
    place = tmp_path / "notes"
    signs = "abcdef"
    processes = [_process(place, sign, f"shared,Own {sign},own-{sign}", 3) for sign in signs]
    _start(processes)
    notices: list[Notice] = []
    records = RecordDirectory(place, notices.append)
    while any(process.poll() is None for process in processes):
        assert all(_whole(each) for each in records.all())
    assert [_end(process) for process in processes] == [0] * len(signs)
    found = records.all()
    expected = {"shared", *(f"Own {sign}" for sign in signs), *(f"own-{sign}" for sign in signs)}
    assert {each.id for each in found} == expected
    assert all(_whole(each) for each in found)
    assert len(list(place.iterdir())) == len(expected)
    assert notices == []


def test_a_process_killed_in_the_middle_leaves_whole_records(tmp_path: Path) -> None:
    place = tmp_path / "notes"
    notices: list[Notice] = []
    records = RecordDirectory(place, notices.append)
    for turn in range(6):
        process = _process(place, "xyz"[turn % 3], "one,two,three", 100_000)
        _start([process])
        while len(list(place.glob("*.md"))) < 3:
            time.sleep(0.001)
        time.sleep(0.01 + turn * 0.007)
        os.kill(process.pid, signal.SIGKILL)
        assert _end(process) == -signal.SIGKILL
        assert {each.id for each in records.all()} == {"one", "two", "three"}
        assert all(_whole(each) for each in records.all())
    assert notices == []
    records.store(Record("one", "Decision", "after", (), datetime(2026, 1, 1, tzinfo=UTC)))
    assert RecordDirectory(place).get("one") == records.get("one")
