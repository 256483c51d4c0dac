"""A cluster that exists: a real scheduler and worker as processes, with TLS, gone, or without workers."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

import psutil
import pytest

from ctxtui.fleet.examine import FleetOrder
from ctxtui.fleet.on_cluster import Refused, examine_on_worker, program
from ctxtui.fleet.types import Member
from tests.conftest import REPOSITORY
from tests.fleet.running import fleet, found, make_fleet, names, started, wait_until

pytestmark = pytest.mark.heavy


class Cluster:
    """A scheduler and its workers, which end with the test."""

    def __init__(self, stack: ExitStack, folder: Path, tls: dict[str, Path] | None = None) -> None:
        self._stack, self._folder = stack, folder
        self._tls = [word for name, file in (tls or {}).items() for word in (f"--tls-{name}", str(file))]
        place = folder / "scheduler.json"
        self.scheduler = self._start(
            "scheduler",
            *("--host", "127.0.0.1", "--protocol", "tls" if tls else "tcp", "--port", "0", "--no-dashboard"),
            *("--scheduler-file", str(place)),
        )
        self.address = wait_until(lambda: _address(place), "the scheduler")

    def work(self, *options: str) -> subprocess.Popen[str]:
        """Start a worker."""
        return self._start(
            "worker",
            self.address,
            *("--nthreads", "1", "--no-dashboard", "--local-directory", str(self._folder), "--death-timeout", "60"),
            *options,
        )

    def _start(self, name: str, *words: str) -> subprocess.Popen[str]:
        command = started(*words, *self._tls, module=f"distributed.cli.dask_{name}")
        return self._stack.enter_context(command)


def _address(place: Path) -> str:
    try:
        return str(json.loads(place.read_text())["address"])
    except (OSError, ValueError):
        return ""


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_a_scheduler_and_workers_of_others_find_the_same(tmp_path: Path, stack: ExitStack) -> None:
    folder = make_fleet(tmp_path / "r", 6)
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    cluster = Cluster(stack, tmp_path)
    cluster.work()
    cluster.work("--nthreads", "2")
    done = fleet(folder, "-o", there, "--scheduler", cluster.address)
    assert done.returncode == 0, done.stderr
    assert fleet(folder, "-o", here, "--workers", 1).returncode == 0
    assert found(there) == found(here)
    assert len(names(there)) == 6


def test_a_cluster_with_tls_takes_only_who_has_a_certificate(tmp_path: Path, stack: ExitStack) -> None:
    folder, out = make_fleet(tmp_path / "r", 2), tmp_path / "f.db"
    tls, others = _certificates(tmp_path / "keys"), _certificates(tmp_path / "others")
    cluster = Cluster(stack, tmp_path, {"ca-file": tls["ca"], "cert": tls["cert"], "key": tls["key"]})
    cluster.work()
    assert cluster.address.startswith("tls://")
    for files, status, said in (
        (tls, 0, ""),
        (others, 4, f"no scheduler answers at {cluster.address}"),
        ({}, 2, "--tls-ca"),
        ({**tls, "key": others["key"]}, 2, "cannot be used together"),
    ):
        done = fleet(folder, "-o", out, "--scheduler", cluster.address, *_options(files))
        assert done.returncode == status, done.stderr
        assert said in done.stderr
        assert "Traceback" not in done.stderr
        assert len(names(out)) == 2


def _options(files: dict[str, Path]) -> list[str]:
    return [word for name, file in files.items() for word in (f"--tls-{name}", str(file))]


def test_the_commands_of_the_manual_listen_on_this_machine_only(tmp_path: Path, stack: ExitStack) -> None:
    tls = _certificates(tmp_path / "keys")
    page = (REPOSITORY / "ctxtui/docs/fleet.md").read_text()
    lines = [line.split() for line in page.splitlines() if line.startswith("dask ")]
    assert [line[1] for line in lines] == ["scheduler", "worker"]
    port = str(_free_port())
    given = {"8786": port, "tls://127.0.0.1:8786": f"tls://127.0.0.1:{port}", "-1": "2"}
    given |= {"ca.pem": str(tls["ca"]), "node.pem": str(tls["cert"]), "node.key": str(tls["key"])}
    processes = []
    for _, name, *words in lines:
        command = started(*(given.get(word, word) for word in words), module=f"distributed.cli.dask_{name}")
        processes.append(stack.enter_context(command))
    # A nanny and a worker for each of two, each with a port; the scheduler has one for its pages too.
    found = wait_until(lambda: len(_listening(processes)) >= 6 and _listening(processes), "all ports")
    assert {place for place, _ in found} == {"127.0.0.1"}
    folder, out = make_fleet(tmp_path / "r", 2), tmp_path / "f.db"
    done = fleet(folder, "-o", out, "--scheduler", f"tls://127.0.0.1:{port}", *_options(tls))
    assert done.returncode == 0, done.stderr
    assert {place for place, _ in _listening(processes)} == {"127.0.0.1"}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        return int(opened.getsockname()[1])


def _listening(processes: list[subprocess.Popen[str]]) -> set[tuple[str, int]]:
    found: set[tuple[str, int]] = set()
    for process in processes:
        top = psutil.Process(process.pid)
        for each in (top, *top.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                found |= {tuple(one.laddr) for one in each.net_connections() if one.status == psutil.CONN_LISTEN}
    return found


class _SpeaksHttp(StreamRequestHandler):
    def handle(self) -> None:
        self.wfile.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def test_what_speaks_http_is_not_a_scheduler(tmp_path: Path) -> None:
    with ThreadingTCPServer(("127.0.0.1", 0), _SpeaksHttp) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        address = f"tcp://127.0.0.1:{server.server_address[1]}"
        done = fleet(make_fleet(tmp_path / "r", 1), "-o", tmp_path / "f.db", "--scheduler", address)
        server.shutdown()
    assert done.returncode == 4, done.stderr
    assert "is not a scheduler" in done.stderr
    assert "a bug" not in done.stderr


def _certificates(folder: Path) -> dict[str, Path]:
    """An authority, and a certificate of it with its key."""
    folder.mkdir()
    files = {name: folder / f"{name}.pem" for name in ("ca", "ca-key", "cert", "key")}
    request = folder / "request.pem"
    for words in (
        f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout {files['ca-key']} -out {files['ca']}",
        f"req -newkey rsa:2048 -nodes -subj /CN=fleet -keyout {files['key']} -out {request}",
        f"x509 -req -days 2 -in {request} -CA {files['ca']} -CAkey {files['ca-key']} -CAcreateserial"
        f" -out {files['cert']}",
    ):
        subprocess.run(["openssl", *words.split()], check=True, capture_output=True)
    return {name: files[name] for name in ("ca", "cert", "key")}


def test_a_scheduler_that_goes_away_leaves_what_was_found(tmp_path: Path, stack: ExitStack) -> None:
    folder, out = make_fleet(tmp_path / "r", 40), tmp_path / "f.db"
    cluster = Cluster(stack, tmp_path)
    cluster.work()
    with started("fleet", str(folder), "-o", str(out), "--scheduler", cluster.address) as process:
        wait_until(lambda: out.exists() and _names(out), "a repository")
        cluster.scheduler.kill()
        _, err = process.communicate(timeout=200)
    assert process.returncode == 4, err
    assert "the scheduler is gone" in err
    assert "run the same command again to go on" in err
    assert "Traceback" not in err
    assert 0 < len(names(out)) < 40
    assert fleet(folder, "-o", out, "--workers", 2).returncode == 0
    assert len(names(out)) == 40


def _names(out: Path) -> list[str]:
    try:
        return names(out)
    except Exception:  # noqa: BLE001 - its tables may not be there yet
        return []


def test_nobody_to_ask_is_an_error_in_words(tmp_path: Path, stack: ExitStack) -> None:
    folder, out = make_fleet(tmp_path / "r", 1), tmp_path / "f.db"
    cluster = Cluster(stack, tmp_path)
    for address, status, said in (
        ("tcp://127.0.0.1:9", 4, "no scheduler answers at tcp://127.0.0.1:9"),
        (cluster.address, 4, "has no workers"),
        ("nonsense://x", 2, "is not the address of a scheduler"),
    ):
        done = fleet(folder, "-o", out, "--scheduler", address)
        assert done.returncode == status, done.stderr
        assert said in done.stderr
        assert "Traceback" not in done.stderr


def test_another_version_refuses_the_work(tmp_path: Path) -> None:
    refused = examine_on_worker(Member("a", str(tmp_path)), FleetOrder(program="0.0.1"))
    assert refused == Refused(f"runs ctxtui {program()}, and this is 0.0.1")
