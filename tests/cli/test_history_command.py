"""`ctxtui audit --history`: commits that change nothing share a row; ctrl-c prints what is known by then."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.audit.repositories import Repo
from tests.cli.streams import Refused
from tests.conftest import Asked

COMMITS = 40
# Blocks when it is asked for the content named in BLOCKED_AT, after saying so.
_GIT = """#!/bin/sh
case "$*" in
*cat-file*)
    cat > "$TMPDIR/asked.$$"
    if grep -q "$BLOCKED_AT" "$TMPDIR/asked.$$"; then echo waiting > "$TMPDIR/fifo"; exec sleep 60; fi
    exec "$REAL_GIT" "$@" < "$TMPDIR/asked.$$" ;;
*) exec "$REAL_GIT" "$@" ;;
esac
"""


def _grown(root: Path) -> Repo:
    """Forty commits in one go, each of which makes AGENTS.md a line longer."""
    repo = Repo(root)
    stream = []
    for number in range(COMMITS):
        text = "".join(f"Rule {line}.\n" for line in range(number + 1))
        head = f"commit refs/heads/main\ncommitter Ada <ada@example.org> {1_700_000_000 + number} +0000\n"
        message = f"commit {number}"
        stream.append(f"{head}data {len(message)}\n{message}\nM 100644 inline AGENTS.md\ndata {len(text)}\n{text}\n")
    repo.git("fast-import", "--quiet", data="".join(stream).encode())
    repo.git("reset", "-q", "--hard")
    return repo


def test_commits_that_change_nothing_share_a_row(cli: Asked, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": "One.\n", "README.md": "plain\n"}, "begin")
    for number in range(3):
        repo.commit({"README.md": f"plain {number}\n"}, "no context")
    repo.commit({"AGENTS.md": "One, two.\n"}, "grow")
    repo.commit({"x.py": "pass\n"}, "code")
    rows = [line.split() for line in cli("audit", "--history", cwd=repo.root).out.splitlines()]
    assert (rows[0], rows[2]) == (["1", "commit", "without", "change"], ["3", "commits", "without", "change"])
    assert (rows[1][-1], rows[3][-1]) == ("grow", "begin")
    found = cli("audit", "--history", "--json", "-q", cwd=repo.root).result
    assert (len(found["commits"]), [file["path"] for file in found["files"]]) == (6, ["AGENTS.md"])


def test_a_history_without_commits_is_wrong_usage(refused: Refused, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"AGENTS.md": "One.\n"}, "begin")
    for words in (("--history", "0"), ("--history=-3",), ("--history", "0", ".", ".")):
        assert "--history cannot be " in refused("audit", *words, cwd=repo.root), words


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_an_interrupt_prints_the_newest_commits(tmp_path: Path, options: tuple[str, ...]) -> None:
    repo = _grown(tmp_path / "r")
    place = tmp_path / "bin"
    place.mkdir()
    (place / "git").write_text(_GIT)
    (place / "git").chmod(0o755)
    os.mkfifo(tmp_path / "fifo")
    environment = os.environ | {
        "PATH": f"{place}{os.pathsep}{os.environ['PATH']}",
        "REAL_GIT": str(shutil.which("git")),
        "TMPDIR": str(tmp_path),
        "BLOCKED_AT": repo.git("rev-parse", f"HEAD~{COMMITS - 1}:AGENTS.md"),
    }
    command = (sys.executable, "-m", "ctxtui", "audit", "--history", "-C", str(repo.root), *options)
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env=environment, start_new_session=True, **pipes)
    assert (tmp_path / "fifo").read_text() == "waiting\n"
    # As a terminal does: the whole group is interrupted.
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert (process.returncode, "Traceback" in errors) == (130, False)
    assert f"interrupted after 25 of {COMMITS} commits" in errors
    if options:
        data = json.loads(output)
        assert len(data["result"]["commits"]) == 25
        assert [notice["code"] for notice in data["notices"]] == ["interrupted"]
    else:
        assert len(output.splitlines()) == 25 + 2 + 12
        assert "commit 39" in output.splitlines()[0]


def test_it_says_what_starts_in_the_history_leave_out(cli: Asked, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"CLAUDE.md": "Of all.\n", "app/CLAUDE.md": "Of the app.\n"}, "begin")
    words = ("audit", "--history")
    assert "leave out" not in cli(*words, cwd=repo.root).err
    home = cli(*words, "--user", cwd=repo.root).err
    told = "starts in the history leave out your home folder, which no commit contains; those of an audit have"
    assert told in home
    assert "leave out 1 file above this folder (../CLAUDE.md)" in cli(*words, cwd=repo.root / "app").err
    notices = cli(*words, "--user", "--json", cwd=repo.root / "app").notices
    (notice,) = (each for each in notices if each["code"] == "history-left-out")
    assert "your home folder, which no commit contains and 1 file above this folder" in notice["message"]
