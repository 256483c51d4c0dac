"""Fetch a remote project with the user's git: one commit, no hooks, no submodules, no filters, no prompts."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, Final

from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import ContextError, NotFound, invalid
from ctxtui.core.base.executable import executable
from ctxtui.core.base.plain import plain_line
from ctxtui.core.disk.copies import (
    Copy,
    copies_folder,
    copy_at,
    make_files_folder,
    mark_used,
    new_copy_folder,
    prune,
    put_in_place,
    remove_tree,
    write_record,
)
from ctxtui.core.disk.git.git import Repository, kept_environment
from ctxtui.core.disk.lay_out import unpack
from ctxtui.core.disk.remote.address import PROTOCOLS, Address
from ctxtui.core.disk.workers.lifetime import not_outliving

SECONDS: Final = 600
"""The time limit of a fetch in seconds."""
MOST_BYTES: Final = 1024**3
"""The size limit of a fetch in bytes."""

MOST_MEMORY: Final = 1024**3
"""The memory limit of each process of a fetch in bytes, on Linux."""

_LOOK: Final = 0.1
_MOST_SAID: Final = 64 * 1024
_SETTINGS: Final = (
    "core.hooksPath=" + os.devnull,
    "core.fsmonitor=false",
    "core.askPass=",
    "credential.interactive=false",
    "fetch.recurseSubmodules=false",
    "fetch.unpackLimit=1",
    "fetch.writeCommitGraph=false",
    "transfer.bundleURI=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.version=2",
    "protocol.ext.allow=never",
    "protocol.file.allow=never",
)
_ENVIRONMENT: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS),
    "GCM_INTERACTIVE": "never",
    "LC_ALL": "C",
    "LANGUAGE": "C",
}
# The shell, certificates and settings in the user's environment, such as a header in CI.
_REACHING = re.compile(r"GIT_(?:SSH(?:_COMMAND|_VARIANT)?|SSL_\w+|CONFIG_(?:COUNT|PARAMETERS|KEY_\d+|VALUE_\d+))")
_FETCH: Final = (
    "--depth=1",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    "--progress",
    "--refmap=",
)
_HERE: Final = "refs/ctxtui/fetched"
_PROGRESS = re.compile(r"(Receiving objects|Resolving deltas|remote: [A-Z][a-z]+ing objects): +(\d+)%")
_WORDS: Final = {"Receiving objects": "receiving", "Resolving deltas": "unpacking"}

Say = Callable[[str], None]


def fetched(address: Address, refresh: bool = False, say: Say = lambda _: None, check: Check = go_on) -> Copy:
    """The copy of a remote project, fetched if it is missing, or with `refresh` if the remote has changed.

    `say` receives the progress as text, `check` may raise to cancel. Raises NotFound if repository, ref or folder do
    not exist, ContextError: unavailable without git or network, unauthorized if credentials are needed, timeout,
    invalid_request beyond the limits.
    """
    name = blake2b(f"{address.url}\0{address.ref}".encode(), digest_size=12).hexdigest()
    place = copies_folder() / name
    known = copy_at(place)
    if known is None or (refresh and _newest(address, check) != known.commit):
        with _new_copy(address, say, check) as (made, _), _storage_errors(address):
            put_in_place(made, place)
            prune(place)
        known = copy_at(place)
        if known is None:
            raise ContextError("unavailable", f"the copy of {address.shown} was removed meanwhile", retryable=True)
    _require_folder(known, address)
    mark_used(place)
    return known


def _newest(address: Address, check: Check) -> str | None:
    """The commit that a branch or tag names now, None for any other ref, such as the id of a commit."""
    ref = address.ref or "HEAD"
    names = [ref] if ref == "HEAD" else [f"refs/heads/{ref}", f"refs/tags/{ref}^{{}}", f"refs/tags/{ref}"]
    commits: dict[str, str] = {}
    for line in _git(["ls-remote", "--", address.url, *names], address, lambda _: None, check).splitlines():
        commit, _, name = line.partition("\t")
        commits[name] = commit
    return next((commits[name] for name in names if name in commits), None)


@contextmanager
def fetched_for_now(address: Address, check: Check = go_on) -> Iterator[Copy]:
    """A new copy of a remote project, removed at the end of the context. Raises as `fetched` does."""
    with _new_copy(address, lambda _: None, check) as (made, copy):
        prune(made)
        _require_folder(copy, address)
        yield copy


def _require_folder(copy: Copy, address: Address) -> None:
    if address.folder and not (copy.root / address.folder).is_dir():
        raise NotFound(f"{address.shown} has no folder {address.folder}")


@contextmanager
def _new_copy(address: Address, say: Say, check: Check) -> Iterator[tuple[Path, Copy]]:
    """A copy in a new folder beside the others. Files that were not moved away are removed at the end."""
    made: Path | None = None
    try:
        with _storage_errors(address):
            made = new_copy_folder()
            copy = _fetched_copy(address, made, say, check)
            write_record(made, copy)
        yield made, copy
    finally:
        if made is not None:
            remove_tree(made)


@contextmanager
def _storage_errors(address: Address) -> Iterator[None]:
    """Raise each OSError in the block as ContextError (unavailable)."""
    try:
        yield
    except OSError as error:
        hint = "make room in the cache folder, or make it writable"
        message = f"cannot keep {address.shown}: {error.strerror or 'the cache folder cannot be used'}"
        raise ContextError("unavailable", message, hint=hint) from error


def _fetched_copy(address: Address, made: Path, say: Say, check: Check) -> Copy:
    """Fetch one commit, and write its files into the folder `made`. Writes no record."""
    bare = made / "git"
    _git(["init", "--quiet", "--template=", str(bare)], address, say, check)
    refs = f"+{address.ref or 'HEAD'}:{_HERE}"
    _git(["-C", str(bare), "fetch", *_FETCH, "--", address.url, refs], address, say, check, bare)
    repository = Repository(bare)
    commit = repository.resolve(_HERE)
    root = make_files_folder(made, address.name)
    say("writing files")
    size, left_out = unpack(repository, commit, root, check)
    remove_tree(bare)
    return Copy(root, address.shown, commit, int(time.time()), size, left_out)


def _git(words: list[str], address: Address, say: Say, check: Check, growing: Path | None = None) -> str:
    """Git's output for arguments `words`. Ends git if `check` raises, time is up, or folder `growing` is too big."""
    program = executable("git")
    if program is None:
        raise ContextError("unavailable", "git is not installed", hint="install git to open remote projects")
    settings = (word for setting in _SETTINGS for word in ("-c", setting))
    command = [program, *settings, *words]

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - a fixed argument list, no shell; the URL follows `--`
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
            # Without a terminal, no child of git can ask for a password.
            start_new_session=True,
        )

    output, complaint = bytearray(), bytearray()
    with not_outliving(start, group=True) as process:
        readers = [
            threading.Thread(target=_read, args=(process.stdout, output, lambda _: None), daemon=True),
            threading.Thread(target=_read, args=(process.stderr, complaint, say), daemon=True),
        ]
        for reader in readers:
            reader.start()
        _bound_memory(process.pid)
        try:
            _wait(process, address, check, growing)
        finally:
            _end(process)
            for reader in readers:
                reader.join(_LOOK)
    if process.returncode == 0:
        return output.decode("utf-8", "replace")
    raise _failure(address, complaint.decode("utf-8", "replace"))


def _environment() -> Mapping[str, str]:
    """The user's environment, including git's variables for SSH, certificates and settings."""
    reaching = {key: value for key, value in os.environ.items() if _REACHING.fullmatch(key)}
    return kept_environment() | reaching | _ENVIRONMENT


def _wait(process: subprocess.Popen[bytes], address: Address, check: Check, growing: Path | None) -> None:
    """Wait until a process ends. Raises as `check` does, and ContextError: timeout, invalid_request above 1 GB."""
    until = time.monotonic() + SECONDS
    is_over = False
    while not is_over:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK)
            is_over = True
        check()
        if time.monotonic() > until:
            hint = "fetch it with git yourself, and open that folder"
            raise ContextError("timeout", f"{address.shown} took more than {SECONDS // 60} minutes", True, hint)
        if growing is not None and _size(growing) > MOST_BYTES:
            hint = "fetch what you need of it with git yourself, and open that folder"
            raise invalid(f"{address.shown} has more than {MOST_BYTES // 1024**3} GB to fetch", hint=hint)


def _bound_memory(process: int) -> None:
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - only there

        with suppress(OSError, ValueError):
            resource.prlimit(process, resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118
    return total


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with its group, and wait for it."""
    if os.name == "posix":
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGTERM)
    with suppress(OSError):
        process.kill()
    process.wait()


def _read(stream: IO[bytes] | None, kept: bytearray, say: Say) -> None:
    """Read a stream of git to its end, add its beginning to `kept`, and report the progress to `say`."""
    if stream is None:
        return
    with suppress(OSError, ValueError), stream:
        while chunk := stream.read1(4096):  # type: ignore[attr-defined]
            kept += chunk[: _MOST_SAID - len(kept)]
            found = _PROGRESS.findall(chunk.decode("utf-8", "replace"))
            if found:
                what, percent = found[-1]
                say(f"{_WORDS.get(what, 'preparing')} {percent} %")


_MISSING = re.compile(
    r"not found|does not exist|couldn't find remote ref|not our ref|unadvertised object|not exported", re.IGNORECASE
)
_REFUSED = re.compile(
    r"authentication|could not read (?:username|password)|permission denied|terminal prompts|403", re.IGNORECASE
)
_REDIRECTED = re.compile(r"transport '([^']*)' not allowed")


def _failure(address: Address, said: str) -> ContextError:
    """The error for git's complaint about a fetch."""
    lines = [line for line in re.split(r"[\r\n]+", said) if line.startswith(("fatal:", "error:", "remote: "))]
    reason = plain_line(" ".join((lines or [said])[-1].split()))[:300]
    refused = _REDIRECTED.search(said)
    if refused:
        message = f"{address.shown} leads to {plain_line(refused[1])}, which is not allowed"
        return invalid(message, hint=f"allowed are {', '.join(PROTOCOLS)}")
    if "Out of memory" in said:
        message = f"{address.shown} needs more than {MOST_MEMORY // 1024**3} GB of memory to fetch"
        return invalid(message, hint="fetch it with git yourself, and open that folder")
    if _REFUSED.search(said):
        hint = "check the name; for a private project, let git keep credentials: git help credentials"
        return ContextError("unauthorized", f"no access to {address.shown} ({reason})", hint=hint)
    if _MISSING.search(said):
        return NotFound(f"{address.shown} was not found ({reason})", hint="check owner, name and branch or tag")
    return ContextError("unavailable", f"{address.shown} cannot be fetched ({reason})", retryable=True)
