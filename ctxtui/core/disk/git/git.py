"""Git as a reader of old states: a subprocess that runs nothing a repository names and fetches nothing."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from ctxtui.core.base.errors import Category, ContextError, NotFound, invalid
from ctxtui.core.base.executable import executable, safe_path
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near
from ctxtui.core.disk.content import MAX_BYTES
from ctxtui.core.disk.git.checks import checked_repository
from ctxtui.core.disk.workers.lifetime import killed_after, not_outliving

TIMEOUT: Final = 60.0
MAX_OUTPUT: Final = 64 * 1024 * 1024
LINK, SUBMODULE = "120000", "160000"
_BATCH_BYTES = MAX_OUTPUT // 2
_CHUNK = 1024 * 1024

# A repository's own configuration must not start a program, write, or reach the network.
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "log.showSignature": "false",
    "diff.external": "",
    "diff.autoRefreshIndex": "true",
    "diff.suppressBlankEmpty": "false",
    "diff.renameLimit": "1000",
    "core.quotePath": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
}
_SAFE = ("--no-pager", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs")
# The caller's environment may redirect git. Only the places of the user's own settings are kept.
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
# No protocol at all: a repository can allow single protocols in spite of `protocol.allow`.
_OWN = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "LC_ALL": "C",
    "LANGUAGE": "C",
}
_FILTER = re.compile(r"^filter\.(.+)\.(?:clean|smudge|process|required)$", re.DOTALL)
# A commit before that of a ref.
_BEFORE = re.compile(r"([^~^]+)(?:~\d*|\^)+")
_FILTER_OFF = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))

SAFE_DIFF: Final = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--find-renames",
    "--inter-hunk-context=0",
    f"-O{os.devnull}",
)
"""Options of `git diff` that start no program and give the same text under any configuration."""


@dataclass(frozen=True, slots=True)
class GitFile:
    """One file of a commit: git's mode (a link is `120000`, a submodule `160000`) and the id of its content."""

    mode: str
    id: str


@dataclass(frozen=True, slots=True)
class Repository:
    """A project's folder `root`, at `prefix` (such as `a/b/`) in its repository. Git searches for it up to `top`."""

    root: Path
    prefix: str = ""
    top: Path | None = None

    def run(self, *arguments: str, data: bytes = b"", missing: bool = False) -> bytes:
        """The output of a git command in the project's folder for input `data`. With `missing`, status 1 is no error.

        Raises ContextError: unavailable without git or if it fails, timeout after 60 seconds, unauthorized for a
        repository of another user, invalid_request outside a repository and for more than 64 MB.
        """
        program = executable("git", self.root)
        if program is None:
            raise ContextError("unavailable", "git is not installed", hint="install git to use its history")
        settings = (word for key, value in _SETTINGS.items() for word in ("-c", f"{key}={value}"))
        command = [program, *_SAFE, *settings, "-C", str(self.root), *arguments]
        environment = kept_environment(self.root) | _OWN
        # The variable cannot hold a path that contains its separator.
        if self.top is not None and os.pathsep not in str(self.top.parent):
            environment["GIT_CEILING_DIRECTORIES"] = str(self.top.parent)
        status, output, complaint = _run(command, data, environment)
        if status == 0 or (missing and status == 1):
            return output
        raise _failure(self.root, complaint)

    def run_unfiltered(self, *arguments: str) -> bytes:
        """The output of a git command that reads files on disk, with all filters off. Raises as `run` does."""
        keys = self.run("config", "--list", "--name-only", "-z").decode("utf-8", "replace").split("\0")
        names = {found[1] for key in keys if (found := _FILTER.match(key))}
        if any("=" in name or "\n" in name or not name.isprintable() for name in names):
            # A filter with such a name cannot be overridden, so its program might run.
            raise ContextError("unavailable", "git has a filter whose name is not plain; changes are not read")
        settings = (f"filter.{name}.{key}={value}" for name in sorted(names) for key, value in _FILTER_OFF)
        return self.run(*(word for setting in settings for word in ("-c", setting)), *arguments)

    def resolve(self, ref: str) -> str:
        """The id of the commit that a ref names. Raises NotFound with similar branches and tags, or as `run` does."""
        if not ref or ref.startswith("-") or not ref.isprintable():
            raise invalid(f"not a git ref: {ref!r}", hint="name a branch, a tag or a commit")
        if found := self._commit(ref):
            return found
        if ref == "HEAD":
            raise invalid(f"{self.root} has no commits yet", hint="commit something first")
        hint = self._hint_before_first(ref) or self._hint_similar(ref) or "in a shallow clone, fetch it first"
        raise NotFound(f"git does not know {ref}", hint=hint)

    def _commit(self, ref: str) -> str:
        """The id of the commit that a ref names, empty if git knows none."""
        return self.run("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", missing=True).decode().strip()

    def _hint_before_first(self, ref: str) -> str:
        """A hint for a commit before the first one, such as `HEAD~20` of ten. Empty for other refs."""
        before = _BEFORE.fullmatch(ref)
        start = self._commit(before[1]) if before else ""
        if before is None or not start:
            return ""
        count = int(self.run("rev-list", "--count", "--first-parent", start))
        whole = "shallow clone" if self.is_shallow() else "history"
        return f"the {whole} ends at {before[1]}{f'~{count - 1}' if count > 1 else ''}"

    def _hint_similar(self, ref: str) -> str | None:
        kinds = ("refs/heads", "refs/tags", "refs/remotes")
        known = self.run("for-each-ref", "--count=2000", "--format=%(refname:short)", *kinds)
        return near(ref, known.decode("utf-8", "replace").splitlines())

    def tip(self) -> str:
        """The id of the last commit, or of an empty tree before the first commit. Both can be compared."""
        return self._commit("HEAD") or self.run("hash-object", "-t", "tree", "--stdin").decode().strip()

    def merge_base(self, one: str, other: str) -> str | None:
        """The id of the commit where the histories of two commits part, None if they share no local commit."""
        return self.run("merge-base", one, other, missing=True).decode().strip() or None

    def is_shallow(self) -> bool:
        """Whether the history was truncated when the repository was cloned."""
        return self.run("rev-parse", "--is-shallow-repository").strip() == b"true"

    def tree(self, commit: str) -> dict[str, GitFile]:
        """The files of a commit below the project's folder by path, without names that are not UTF-8."""
        place = f"{commit}:{self.prefix.rstrip('/')}"
        if not self.run("rev-parse", "--verify", "--quiet", place, missing=True):
            return {}
        files: dict[str, GitFile] = {}
        for entry in self.run("ls-tree", "-r", "-z", "--full-tree", place).split(b"\0"):
            head, _, name = entry.partition(b"\t")
            path = inside("", name)
            if head and path:
                mode, _, id_ = head.decode().split(" ")
                files[path] = GitFile(mode, id_)
        return files

    def contents(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The contents of blobs by id, each id once, in order, without missing blobs and those larger than 16 MB."""
        for batch in self._blob_batches(list(dict.fromkeys(ids))):
            output, position = self.run("cat-file", "--batch", data=_lines(batch)), 0
            while position < len(output):
                end = output.index(b"\n", position)
                id_, kind, *length = output[position:end].decode().split(" ")
                position = end + 1
                if kind == "blob":
                    size = int(length[0])
                    yield id_, output[position : position + size]
                    position += size + 1

    def _blob_batches(self, ids: list[str]) -> Iterator[list[str]]:
        """The ids of the wanted blobs in batches whose output has at most 32 MB, without missing and large blobs."""
        batch: list[str] = []
        size = 0
        for line in self.run("cat-file", "--batch-check", data=_lines(ids)).splitlines() if ids else ():
            id_, kind, length = (*line.decode().split(" "), "0")[:3]
            if kind != "blob" or int(length) > MAX_BYTES:
                continue
            if size + int(length) > _BATCH_BYTES:
                yield batch
                batch, size = [], 0
            batch.append(id_)
            size += int(length)
        if batch:
            yield batch


def open_repository(root: Path) -> Repository:
    """The repository that contains a project's folder. Raises as `Repository.run` and `checked_repository` do."""
    top = checked_repository(root)
    if top is None:
        raise _no_repository(root)
    words = ("rev-parse", "--is-inside-work-tree", "--show-prefix")
    inside_tree, _, prefix = Repository(root, top=top).run(*words).partition(b"\n")
    if inside_tree != b"true":
        # Its configuration names another folder as work tree, whose files are not the project's.
        message = f"{root} is not in the work tree of its git repository"
        raise invalid(message, hint="remove `core.worktree` from .git/config")
    return Repository(root, os.fsdecode(prefix.removesuffix(b"\n")), top)


def inside(prefix: str, path: bytes) -> str | None:
    """A path of a repository as a path below its folder `prefix`, or None if it is outside or not UTF-8."""
    try:
        whole = path.decode()
    except UnicodeDecodeError:
        return None
    return whole[len(prefix) :] if whole.startswith(prefix) else None


def kept_environment(project: Path | None = None) -> dict[str, str]:
    """The environment with a `safe_path`. Of git's own variables, only those that locate its settings stay."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in _KEPT}
    return kept | {"PATH": safe_path(project)}


def _run(command: list[str], data: bytes, environment: dict[str, str]) -> tuple[int, bytes, bytes]:
    """Status, output, and up to 1 MB of errors of a program. Raises ContextError above limits of time and output."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as complaint:
        given.write(data)
        given.seek(0)

        def start() -> subprocess.Popen[bytes]:
            return subprocess.Popen(  # noqa: S603 - a fixed argument list, no shell
                command, stdin=given, stdout=subprocess.PIPE, stderr=complaint, env=environment
            )

        with not_outliving(start) as process, process, killed_after(TIMEOUT, process.kill) as is_late:
            output = _bounded_output(process)
        if is_late.is_set():
            raise ContextError("timeout", f"git took more than {TIMEOUT:.0f} seconds", retryable=True)
        complaint.seek(0)
        return process.returncode, output, complaint.read(_CHUNK)


def _bounded_output(process: subprocess.Popen[bytes]) -> bytes:
    """The output of a process. Kills it and raises ContextError (invalid_request) above 64 MB."""
    output = bytearray()
    stream: IO[bytes] | None = process.stdout
    while stream is not None and (chunk := stream.read(_CHUNK)):
        output += chunk
        if len(output) > MAX_OUTPUT:
            process.kill()
            raise invalid(f"git has more than {MAX_OUTPUT // 2**20} MB of output; it is not read")
    return bytes(output)


def _failure(root: Path, complaint: bytes) -> ContextError:
    """The error for git's complaint, with a hint where a user can mend it."""
    said = complaint.decode("utf-8", "replace").strip()
    if "not a git repository" in said or "must be run in a work tree" in said:
        return _no_repository(root)
    category: Category = "unavailable"
    hint = None
    if "dubious ownership" in said:
        category, hint = "unauthorized", f"if you trust it: git config --global --add safe.directory {root}"
    if "promisor remote" in said:
        hint = "this clone lacks contents of old commits; clone it without a filter, or fetch them first"
    lines = [line for line in said.splitlines() if line.startswith(("fatal:", "error:"))] or [said]
    return ContextError(category, f"git failed: {plain_line(lines[0])[:300]}", hint=hint)


def _no_repository(root: Path) -> ContextError:
    hint = "run `git init`, or run without git options"
    return invalid(f"{root} is not in a git repository", hint=hint)


def _lines(ids: Iterable[str]) -> bytes:
    return "".join(f"{id_}\n" for id_ in ids).encode()
