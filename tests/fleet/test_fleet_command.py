"""The command for a fleet, as real processes: what it keeps, how it goes on, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from ctxtui.core.base.errors import ContextError
from ctxtui.fleet.results.read import runs
from ctxtui.fleet.results.schema import open_to_read
from ctxtui.fleet.run import writing
from tests.cases import cases
from tests.conftest import Asked
from tests.fleet.running import fleet, found, make_fleet, names, started, wait_until, workers_of


def test_a_fleet_is_audited_into_a_file_and_again_into_another_run(tmp_path: Path) -> None:
    make_fleet(tmp_path / "r", 3)
    (tmp_path / "list").write_text("r/r000\nr/r001\nr/gone\nr/r002\nhttps://a:b@c/d\n")
    out = tmp_path / "found.db"
    done = fleet(tmp_path / "list", "-o", out, "--workers", 1)
    assert done.returncode == 0, done.stderr
    assert "5 repositories" in done.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == ["found.db", "list", "r"]
    wrong = f"{tmp_path / 'list'}:5: the address has a password in it"
    assert wrong in done.stderr
    assert "5 repositories, 2 not audited; run 1" in done.stdout
    rows = found(out)
    assert [row[0] for row in rows[0] if not row[1]] == ["r/r000", "r/r001", "r/r002"]
    assert [row[1] for row in rows[0] if row[1]] == [wrong, f"{tmp_path / 'r' / 'gone'} does not exist"]
    assert all(rows)


def test_repositories_that_were_not_audited_are_told_with_their_places(tmp_path: Path, asked: Asked) -> None:
    make_fleet(tmp_path / "r", 1)
    (tmp_path / "list").write_text("r/r000\ngone\n")
    (tmp_path / "wrong").write_text("gone\nlost\n")
    out, none = tmp_path / "found.db", tmp_path / "none.db"
    done = fleet(tmp_path / "list", "-o", out, "--workers", 1, "--fail-on", "unaudited")
    assert done.returncode == 1, done.stderr
    assert f"does not exist: {tmp_path / 'gone'}" in done.stdout
    asked("fleet", "report", str(out))
    asked("fleet", "report", str(out), "--fail-on", "unaudited", status=1)
    done = fleet(tmp_path / "wrong", "-o", none, "--workers", 1)
    assert done.returncode == 4, done.stderr
    assert "NOTHING was audited" in done.stdout
    assert "nothing leaks" not in done.stdout


@pytest.mark.parametrize(("since", "status"), [("7", 3), ("last", 3), ("1", 2), ("yesterday", 2)])
def test_a_run_that_cannot_be_compared_with_is_told_before_anything_is_audited(
    since: str, status: int, tmp_path: Path, asked: Asked
) -> None:
    out = tmp_path / "found.db"
    folder = make_fleet(tmp_path / "r", 1)
    assert "run" in asked("fleet", str(folder), "-o", str(out), "--since", since, status=status).err
    with closing(open_to_read(out)) as connection:
        assert runs(connection) == []


@pytest.mark.heavy
def test_workers_that_are_killed_change_nothing(tmp_path: Path) -> None:
    folder = make_fleet(tmp_path / "r", 40)
    quiet, killed = tmp_path / "quiet.db", tmp_path / "killed.db"
    assert fleet(folder, "-o", quiet, "--workers", 2).returncode == 0
    with started("fleet", str(folder), "-o", str(killed), "--workers", "2") as process:
        # Each is killed in another state: just started, connected, at work.
        gone: set[int] = set()
        while len(gone) < 12 and process.poll() is None:
            alive = wait_until(
                lambda: sorted(set(workers_of(process.pid)) - gone) or process.poll() is not None, "a worker"
            )
            if alive is not True:
                gone.add(alive[0])
                os.kill(alive[0], signal.SIGKILL)
        out, err = process.communicate(timeout=200)
    assert process.returncode == 0, err
    assert len(gone) > 3
    assert found(killed) == found(quiet)
    assert len(names(killed)) == 40
    assert "Traceback" not in out + err
    assert "distributed" not in out + err


@pytest.mark.heavy
def test_a_repository_whose_process_is_killed_each_time_is_an_error(tmp_path: Path) -> None:
    folder, out = make_fleet(tmp_path / "r", 1), tmp_path / "found.db"
    with started("fleet", str(folder), "-o", str(out), "--workers", "1") as process:
        while process.poll() is None:
            for each in workers_of(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
        process.communicate(timeout=60)
    assert process.returncode == 4
    assert found(out)[0][0][:2] == ("r000", "its process was ended by SIGKILL")


@pytest.mark.heavy
def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    folder, out = make_fleet(tmp_path / "r", 40), tmp_path / "found.db"
    with started("fleet", str(folder), "-o", str(out), "--workers", "1") as process:
        wait_until(lambda: _count(out) > 0 or process.poll() is not None, "a repository")
        process.kill()
        process.wait()
        kept = _count(out)
        left = workers_of(process.pid)
    assert 0 < kept < 40
    assert not left
    done = fleet(folder, "-o", out, "--workers", 2, "--json", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    # The figures are alone on stdout.
    assert json.loads(done.stdout)["result"]
    with closing(open_to_read(out)) as connection:
        (run,) = runs(connection)
        assert run.ended
    whole = tmp_path / "whole.db"
    assert fleet(folder, "-o", whole, "--workers", 2).returncode == 0
    assert found(out) == found(whole)
    assert len(names(out)) == 40


def _count(out: Path) -> int:
    try:
        return len(names(out))
    except Exception:  # noqa: BLE001 - the file may not be there yet, or not have its tables
        return 0


@pytest.mark.heavy
def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    folder, out = make_fleet(tmp_path / "r", 40), tmp_path / "found.db"
    with started("fleet", str(folder), "-o", str(out), "--workers", "1") as process:
        wait_until(lambda: _count(out) > 0 or process.poll() is not None, "a repository")
        # As a terminal does: to all of the group.
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=120)
        assert workers_of(process.pid) == []
    assert process.returncode == 130
    assert "run the same command again to go on" in err
    assert "Traceback" not in err
    assert 0 < _count(out) < 40


def test_two_runs_never_write_to_one_file(tmp_path: Path, asked: Asked) -> None:
    folder, out = make_fleet(tmp_path / "r", 1), tmp_path / "found.db"
    with writing(out):
        assert f"another run writes to {out}" in asked("fleet", str(folder), "-o", str(out), status=4).err
    with writing(out) as connection:
        assert runs(connection) == []


def test_a_file_that_can_no_longer_be_written_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(ContextError, match="cannot write"), writing(tmp_path / "f.db"):
        raise sqlite3.OperationalError("database or disk is full")


def test_only_a_cluster_needs_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: Asked) -> None:
    folder, out = make_fleet(tmp_path / "r", 2), tmp_path / "found.db"
    for name in ("dask", "distributed"):
        monkeypatch.setitem(sys.modules, name, None)
    refused = asked("fleet", str(folder), "-o", str(out), "--scheduler", "tcp://127.0.0.1:9", status=4)
    assert "install ctxtui[fleet] the way you installed ctxtui" in refused.err
    asked("fleet", str(folder), "-o", str(out))


@cases(
    ("words", "status", "said"),
    [
        ("nowhere", 3, "nowhere does not exist"),
        ("r -o", 2, "expected one argument"),
        ("r --workers 0", 2, "--workers cannot be 0"),
        ("r --seconds -1", 2, "--seconds cannot be -1"),
        ("r --seconds nan", 2, "--seconds cannot be nan"),
        ("r --tokenizer o300k", 2, "unknown tokenizer or model"),
        ("r --model gpt-5 --tokenizer o200k_base", 2, "a model determines its tokenizer"),
        ("r --tls-ca ca.pem", 2, "are for a scheduler"),
        ("r --scheduler tcp://127.0.0.1:9 --workers 2", 2, "--workers is for this machine"),
        ("r --scheduler tls://127.0.0.1:9 --tls-ca ca.pem", 2, "ca.pem does not exist"),
        ("text", 2, "no repository in text"),
        ("r -o text", 2, "does not hold results"),
        ("r -o no/such/folder.db", 4, "cannot use"),
    ],
)
def test_wrong_usage_is_refused_before_anything_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: Asked, words: str, status: int, said: str
) -> None:
    make_fleet(tmp_path / "r", 1)
    (tmp_path / "text").write_text("# nothing\n")
    monkeypatch.chdir(tmp_path)
    told = asked("fleet", *words.split(), status=status)
    assert said in told.err
    assert told.out == ""
