"""The process in which an agent starts: it isolates itself, starts stand-in and agent, and prints what was sent."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from ctxtui.agents.capture import namespaces
from ctxtui.agents.capture.stand_in import StandIn, serving

_PIECE: Final = 4096
_KEPT_PIECES: Final = 4
_MOST_OUTPUT: Final = 64 * 1024 * 1024
_MOST_MEMORY: Final = 4 * 1024 * 1024 * 1024
_MOST_PROCESSES: Final = 300
_LOOK: Final = 0.25
_IS_LINUX: Final = sys.platform == "linux"
_SUBAGENT_SECONDS: Final = 20.0
_MOST_WRITTEN: Final = 200
# A proxy at a port where nothing listens: without namespaces, it keeps agents from other hosts.
_NO_NETWORK: Final = {
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9"),
    **dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost"),
}

GIVEN: Final = ("PATH", "LANG", "TERM", "SHELL", "HOME", "TMPDIR")
"""The variables that every agent gets."""


@dataclass(frozen=True, slots=True)
class Job:
    """The start of an agent. Words, variables and files may contain `{url}`, `{root}` and the like.

    `changed` are files of the project and of the made home, with their new text, or None to remove one. `copied` are
    files of the user's home by their places in the made one. `paths` are the project's files, for a copy. `subagent`
    is the call that starts one: a tool and its input.
    """

    words: tuple[str, ...]
    root: str
    cwd: str
    scratch: str
    is_separate: bool
    seconds: float
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    changed: Mapping[str, str | None] = field(default_factory=dict)
    copied: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    subagent: tuple[str, str] | None = None


def main() -> None:
    """Read a job from the input, run it in isolation, and print the answer, or the reason of a refusal, as JSON."""
    job = Job(**json.load(sys.stdin))
    if job.is_separate:
        if not namespaces.separate():
            _print_answer({"refused": "no namespaces"})
            return
        try:
            namespaces.furnish(Path(job.scratch), Path(job.root))
        except OSError as error:
            _print_answer({"refused": f"{error.filename}: {error.strerror}"})
            return
    else:
        namespaces.adopt_orphans()
    _print_answer(_capture_start(job))


def _print_answer(answer: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()


def _capture_start(job: Job) -> dict[str, Any]:
    """Lay out a home, run the agent against a stand-in, and describe what it sent, said and wrote."""
    scratch = Path(job.scratch)
    root = Path(job.root) if job.is_separate else _copy(job, scratch / "project")
    home, temporary = scratch / "home", scratch / "tmp"
    for each in (home, temporary):
        each.mkdir(mode=0o700)
    stand_in = StandIn((job.subagent[0], job.subagent[1]) if job.subagent else None)
    with serving(stand_in) as port:
        given = {"url": f"http://127.0.0.1:{port}", "port": str(port), "root": str(root), "home": str(home)}
        _lay_out(job, root, home, given)
        began = time.monotonic()
        said, why = _run_agent(job, root, home, temporary, stand_in, given)
        seconds = time.monotonic() - began
    counted, of_subagent = stand_in.counted, stand_in.of_subagent
    return {
        "request": counted._asdict() if counted else None,
        "subagent": of_subagent._asdict() if of_subagent else None,
        "seconds": seconds,
        "said": said,
        "why": why,
        "written": sorted(_written_files(scratch / "upper", job.changed)) if job.is_separate else [],
    }


def _copy(job: Job, target: Path) -> Path:
    """A copy of the project's files, as links could lead to the originals."""
    target.mkdir(mode=0o700)
    for path in job.paths:
        _copy_file(Path(job.root, path), target / path)
    return target


def _copy_file(source: Path, place: Path) -> None:
    """Copy a file, if it can be read, into a folder that is made for it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        shutil.copyfile(source, place)


def _lay_out(job: Job, root: Path, home: Path, given: Mapping[str, str]) -> None:
    """Write the copied, changed and made files into the home and the project."""
    for name, source in job.copied.items():
        _copy_file(Path(source), home / name)
    for name, text in job.changed.items():
        place = home / name.removeprefix("~/") if name.startswith("~/") else root / name
        if text is None:
            place.unlink(missing_ok=True)
        else:
            place.write_text(text, "utf-8")
    for name, text in job.files.items():
        place = home / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(_fill(text, given), "utf-8")


def _fill(text: str, given: Mapping[str, str]) -> str:
    for name, value in given.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _run_agent(
    job: Job, root: Path, home: Path, temporary: Path, stand_in: StandIn, given: Mapping[str, str]
) -> tuple[str, str]:
    """Start the agent and wait for its first request with tools. Returns its last output, and why none came."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "SHELL": "/bin/sh",
        "HOME": str(home),
        "TMPDIR": str(temporary),
        **({} if job.is_separate else _NO_NETWORK),
        **{name: _fill(value, given) for name, value in job.env.items()},
    }
    try:
        process = subprocess.Popen(  # noqa: S603 - an agent on the PATH, once the user agreed
            [_fill(word, given) for word in job.words],
            cwd=root / job.cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return "", f"it cannot be started: {error.strerror}"
    tail: deque[bytes] = deque(maxlen=_KEPT_PIECES)
    threading.Thread(target=_drain, args=(process.stdout, tail, stand_in), daemon=True).start()
    threading.Thread(target=_watch, args=(process, stand_in), daemon=True).start()
    if not stand_in.arrived.wait(job.seconds):
        stand_in.stop(f"it sent no request with tools in {job.seconds:,.0f} seconds")
    elif not stand_in.why:
        stand_in.ended.wait(_SUBAGENT_SECONDS)
    stand_in.ended.set()
    _end(process)
    why = "" if stand_in.counted else next(iter(stand_in.why), "")
    return b"".join(tail).decode("utf-8", "replace"), why


def _drain(output: IO[bytes] | None, tail: deque[bytes], stand_in: StandIn) -> None:
    """Keep the end of an agent's output in `tail`. Too much output ends the capture."""
    total = 0
    with suppress(OSError, ValueError):
        while output and (piece := os.read(output.fileno(), _PIECE)):
            tail.append(piece)
            total += len(piece)
            if total > _MOST_OUTPUT:
                stand_in.stop("it printed more than 64 MB")
                return


def _watch(process: subprocess.Popen[bytes], stand_in: StandIn) -> None:
    """End the capture if the agent ends or its processes take too much."""
    while not stand_in.ended.is_set():
        with suppress(subprocess.TimeoutExpired):
            status = process.wait(_LOOK)
            stand_in.stop(f"it ended with status {status} before its first request")
        table = {pid: (parent, size) for pid, parent, size in _processes()}
        own = {os.getpid()}
        while more := {pid for pid, (parent, _) in table.items() if parent in own} - own:
            own |= more
        if len(own) > _MOST_PROCESSES:
            stand_in.stop("it started too many processes")
        if sum(table[pid][1] for pid in own if pid in table) > _MOST_MEMORY:
            stand_in.stop("it took more than 4 GB of memory")


def _processes() -> Iterator[tuple[int, int, int]]:
    """All processes: number, parent, and memory in bytes."""
    if not _IS_LINUX:
        words = ("/bin/ps", "-A", "-o", "pid=,ppid=,rss=")
        for line in subprocess.run(words, capture_output=True, text=True, check=False).stdout.splitlines():  # noqa: S603
            number, parent, size = map(int, line.split())
            yield number, parent, size * 1024
        return
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            parts = (folder / "stat").read_text().rpartition(")")[2].split()
            yield int(folder.name), int(parts[1]), int(parts[21]) * os.sysconf("SC_PAGE_SIZE")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the agent's group, and where this process adopts orphans, all that it started."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    while children := [number for number, parent, _ in _processes() if parent == os.getpid() and _IS_LINUX]:
        for each in children:
            with suppress(OSError):
                os.kill(each, signal.SIGKILL)
            with suppress(OSError):
                os.waitpid(each, 0)


def _written_files(upper: Path, changed: Mapping[str, str | None]) -> Iterator[str]:
    """The files that the agent wrote into the project's overlay (its folder `upper`), without those in `changed`."""
    count = 0
    for folder, _, names in os.walk(upper):
        for name in names:
            path = Path(folder, name).relative_to(upper).as_posix()
            if path not in changed and count < _MOST_WRITTEN:
                count += 1
                yield path


if __name__ == "__main__":
    main()
