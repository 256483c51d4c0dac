"""Commands in processes of their own that need no start: a server that has imported the program forks them.

A command has its own process, environment, folder, standard streams and exit status; only Python's start, the imports
and the tables and patterns that any process reads once, 0.6 s of processor time each, are shared, and what is in memory
is not given back object by object at the end, 0.1 s each. What depends on these starts Python instead.
"""

import atexit
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from select import select
from tempfile import TemporaryFile, mkdtemp
from typing import NoReturn

_REPOSITORY = Path(__file__).parents[1]
# What decides how Python sets up its streams is read at its start alone.
_OF_PYTHON = {"PYTHONIOENCODING": None, "PYTHONUTF8": "1", "PYTHONUNBUFFERED": None, "PYTHONPATH": str(_REPOSITORY)}

# Hands its words, folder, environment and streams to the server, and ends as the command does.
_CLIENT = """#!{python} -IS
import json, os, socket, sys
request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [len(request).to_bytes(4, "big")], [0, 1, 2])
    server.sendall(request)
    answer = server.recv(4)
assert len(answer) == 4
status = int.from_bytes(answer, "big", signed=True)
os._exit(status) if status >= 0 else os.kill(os.getpid(), -status)
"""


def run(
    words: Sequence[str], stdin: str | bytes, cwd: Path, env: Mapping[str, str], is_merged: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run `ctxtui` with these words, standard error merged into the output on request; TimeoutError after a minute."""
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as other:
        err = out if is_merged else other
        given.write(stdin if isinstance(stdin, bytes) else stdin.encode())
        given.seek(0)
        status = _asked(words, cwd, env, [given.fileno(), out.fileno(), err.fileno()])
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(list(words), status, *texts)


def program() -> Path:
    """A program `ctxtui` for shells, which runs as `run` does."""
    return _server()[1]


def _asked(words: Sequence[str], cwd: Path, env: Mapping[str, str], streams: list[int]) -> int:
    server, _ = _server()
    request = json.dumps([list(words), str(cwd), dict(env)]).encode()
    socket.send_fds(server, [len(request).to_bytes(4, "big")], streams)
    server.sendall(request)
    try:
        return int.from_bytes(_read(server, 4), "big", signed=True)
    except TimeoutError:
        # The next command must not take the late answer for its own.
        server.close()
        _server.cache_clear()
        raise


@cache
def _server() -> tuple[socket.socket, Path]:
    """The connection to the server, and the program that makes others."""
    ours, theirs = socket.socketpair()
    folder = Path(mkdtemp())
    address, client = f"{folder}/server", folder / "ctxtui"
    client.write_text(_CLIENT.format(python=sys.executable, address=address))
    client.chmod(0o700)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    environment |= {key: value for key, value in _OF_PYTHON.items() if value is not None}
    with theirs, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        inherited = [theirs.fileno(), listening.fileno()]
        command = [sys.executable, "-m", "tests.warm", *map(str, inherited)]
        process = subprocess.Popen(command, pass_fds=inherited, cwd=_REPOSITORY, env=environment)
    ours.settimeout(60)

    def end() -> None:
        ours.close()
        process.wait(10)
        shutil.rmtree(folder)

    atexit.register(end)
    return ours, client


def _read(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def _serve(connection: socket.socket, listening: socket.socket | None = None) -> None:
    """Fork for each request until the other end is closed, and for each other connection."""
    while True:
        if listening and connection not in select([connection, listening], [], [])[0]:
            other, _ = listening.accept()
            if not os.fork():
                _serve(other)
                os._exit(0)
            other.close()
            continue
        head, streams, _, _ = socket.recv_fds(connection, 4, 3)
        if not head:
            return
        words, cwd, environment = json.loads(_read(connection, int.from_bytes(head, "big")))
        child = os.fork()
        if not child:
            connection.close()
            _command(words, cwd, environment, streams)
        for stream in streams:
            os.close(stream)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        connection.sendall(status.to_bytes(4, "big", signed=True))


def _command(words: list[str], cwd: str, environment: dict[str, str], streams: list[int]) -> NoReturn:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # Python made them for what the server has; a file needs no other kind.
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - open until the process ends
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    sys.argv = ["ctxtui", *words]
    from ctxtui.cli.__main__ import main

    try:
        status = main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(bool(end.code))
    # As Python ends, but for its memory; no command leaves a thread that has to be waited for.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


# Takes a second, and one command alone needs it.
_WITH_DASK = ("ctxtui.fleet.cluster", "ctxtui.fleet.on_cluster")
# Nothing of a test's project: what a command finds there, it finds itself.
_FILES = {
    "AGENTS.md": "# Rules\n\nBe brief, see [it](a.py).\n",
    ".claude/skills/a/SKILL.md": "---\nname: a\ndescription: Makes a.\n---\nDo `a`.\n",
    "a.py": "import os\n\n\ndef a() -> None:\n    os.stat('a')\n",
}
_READING = (("ls",), ("audit",), ("build", "--pick", "a.py", "--outline", "a.py"), ("search", "a"), ("suggest", "a"))


def _read_all() -> None:
    """Run commands on a project of no test, without the cache on disk and what they print."""
    from contextlib import chdir, redirect_stderr, redirect_stdout
    from io import StringIO
    from tempfile import TemporaryDirectory

    from ctxtui.cli.__main__ import main

    with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        os.environ |= {"HOME": folder, "CTXTUI_CACHE": "off"}
        os.makedirs(".claude/skills/a")
        for name, text in _FILES.items():
            Path(name).write_text(text, "utf-8")
        for words in _READING:
            main(words)


def _import_all() -> None:
    import gc
    import importlib
    import pkgutil

    import ctxtui
    from ctxtui.core.tokens.encodings import encoding

    left_out = ("ctxtui.tui", "ctxtui.mcp", "ctxtui.__main__", "ctxtui.cli.__main__", *_WITH_DASK)
    for module in pkgutil.walk_packages(ctxtui.__path__, "ctxtui.", onerror=lambda _name: None):
        if not module.name.startswith(left_out):
            importlib.import_module(module.name)
    for name in ("tiktoken", "markdown_it", "pyromark", "yaml", "re2", "platformdirs", "difflib", "mcp"):
        importlib.import_module(name)
    encoding("o200k_base")
    _read_all()
    # What was imported is no garbage of a child's.
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    _import_all()
    _serve(*(socket.socket(fileno=int(each)) for each in sys.argv[1:]))
