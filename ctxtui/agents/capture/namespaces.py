"""A world of its own for one program, on Linux: a loopback, the project under an overlay, all else read-only.

No program and no privilege is needed, only user namespaces. Everything written is in memory and gone at the end.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from pathlib import Path
from typing import Final

_NEW_USER, _NEW_MOUNTS, _NEW_IDS, _NEW_IPC, _NEW_NETWORK = 0x10000000, 0x00020000, 0x20000000, 0x08000000, 0x40000000
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18
_MOUNT_SETATTR: Final = 442
_READ_ONLY: Final = 1
_DIE_WITH_PARENT, _DROP_BOUNDING, _SUBREAPER, _NO_NEW_PRIVILEGES = 1, 24, 36, 38
_CAPABILITIES: Final = 64
_GET_FLAGS, _SET_FLAGS, _IS_UP = 0x8913, 0x8914, 1
_SIZE: Final = "2g"
_SERVICES: Final = Path("/run")


def separate() -> bool:
    """Enter new namespaces, and return True in a new process there. Return False in this one if the system refuses.

    Otherwise, this process waits for the new one, and both end together. Call it before any thread is started.
    """
    user, group = os.getuid(), os.getgid()
    if _call("unshare", _NEW_USER | _NEW_MOUNTS | _NEW_IDS | _NEW_IPC | _NEW_NETWORK):
        return False
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(text)
    first = os.fork()
    if first:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) & 0xFF)
    _call("prctl", _DIE_WITH_PARENT, 9)
    return True


def furnish(scratch: Path, project: Path) -> None:
    """Mount the scratch folder and an overlay on the project, all else read-only. Raises OSError if refused."""
    _mount("none", "/", None, _RECURSIVE | _PRIVATE)
    attributes = struct.pack("QQQQ", _READ_ONLY, 0, 0, 0)
    # -100 is the current folder, which an absolute path ignores; 0x8000 includes all mounts below.
    if _call("syscall", _MOUNT_SETATTR, -100, b"/", 0x8000, attributes, len(attributes)):
        raise _error("/")
    _mount("proc", "/proc", "proc")
    _mount("ctxtui", str(scratch), "tmpfs", 0, f"size={_SIZE},mode=0700")
    lower, upper, work = (scratch / name for name in ("lower", "upper", "work"))
    for each in (lower, upper, work):
        each.mkdir()
    # A bind mount, because the path of a project may contain what separates options.
    _mount(str(project), str(lower), None, _BIND | _RECURSIVE)
    options = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr"
    _mount("ctxtui", str(project), "overlay", 0, options)
    _raise_loopback()
    _hide_services(project)
    for capability in range(_CAPABILITIES):
        _call("prctl", _DROP_BOUNDING, capability)
    _call("prctl", _NO_NEW_PRIVILEGES, 1)


def _hide_services(project: Path) -> None:
    """Hide the sockets in `/run`, which no network namespace does, unless the project or programs are there."""
    places = (str(project), *os.environ.get("PATH", "").split(os.pathsep))
    if _SERVICES.is_dir() and not any(each.startswith(f"{_SERVICES}/") for each in places):
        _mount("ctxtui", str(_SERVICES), "tmpfs", 0, "size=1m,mode=0755")


def adopt_orphans() -> None:
    """Become the parent of processes whose parent ends, where the system can."""
    _call("prctl", _SUBREAPER, 1)


def _mount(source: str, target: str, kind: str | None, flags: int = 0, options: str | None = None) -> None:
    texts = [None if each is None else os.fsencode(each) for each in (source, target, kind)]
    if _call("mount", *texts, ctypes.c_ulong(flags), options and os.fsencode(options)):
        raise _error(target)


def _raise_loopback() -> None:
    import fcntl  # noqa: PLC0415 - not on every system

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(any_socket, _GET_FLAGS, request))[1]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _IS_UP))


def _call(name: str, *words: object) -> int:
    """The result of a function of the C library, -1 where it does not exist."""
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    return -1 if function is None else int(function(*words))


def _error(place: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), place)
