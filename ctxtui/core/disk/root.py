"""A project's root: all reading, writing and listing goes through it and stays below it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from ctxtui.core.base.errors import Category, ContextError, Gone, invalid
from ctxtui.core.disk.content import MAX_BYTES, Content, read_open
from ctxtui.core.disk.copies import refuse_copy
from ctxtui.core.disk.open_at import (
    CAN_OPEN_AT,
    LINK_ERRORS,
    READING,
    Folder,
    exists,
    is_anything,
    opened_folder,
)
from ctxtui.core.disk.own_folders import PRIVATE, private_folder
from ctxtui.core.disk.write import (
    Data,
    create_file,
    exchange_file,
    remove_empty_folder,
    remove_file,
    remove_known,
    replace_file,
)

_TRIES: Final = 3
_GONE: Final = (errno.ENOENT, errno.ENOTDIR)
_NOT_PLAIN: Final = frozenset({"", ".", ".."})
Result = TypeVar("Result")


class Root:
    """A directory, resolved once. Every path given to it is relative, in POSIX style.

    Links are followed within the root only. A path is entered folder by folder. If part of it is a link, its target
    is entered in the same way, so that nothing created meanwhile can lead out. Folders are entered from `_bound` by
    the names `_inner`, and no path may leave `_limit`. Both differ from `path` only for a root `below` another.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = self._bound = self._limit = Path(os.path.realpath(path))
        self._inner: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Root:
        """The root at a path, or the path itself if it is a root."""
        return path if isinstance(path, cls) else cls(path)

    @classmethod
    def from_way(cls, path: str, bound: str, limit: str) -> Root:
        """The root that has this `way`, such as one sent by another process. Nothing is resolved again."""
        root = cls.__new__(cls)
        root.path, root._bound, root._limit = Path(path), Path(bound), Path(limit)
        root._inner = root.path.relative_to(root._bound).parts
        return root

    def way(self) -> tuple[str, str, str]:
        """The path of the root, the folder from which it is entered, and the folder that no path may leave."""
        return str(self.path), str(self._bound), str(self._limit)

    def __fspath__(self) -> str:
        return str(self.path)

    def below(self, folder: str, *, is_limit: bool = False) -> Root:
        """A folder of this root, which need not exist, as a root of its own.

        It is entered from this root at each use, so that a link put in its place cannot lead out. Paths may lead
        anywhere in this root, or with `is_limit` only in the folder. Raises ContextError (invalid_request) if the
        folder is outside.
        """
        path = str(self.resolve(folder))
        return Root.from_way(path, str(self._bound), path if is_limit else str(self._limit))

    def resolve(self, path: str) -> Path:
        """The real path of a relative path. Raises ContextError (invalid_request) if it is outside the root."""
        if not _is_valid_path(path):
            raise invalid(f"not a valid file name: {path!r}")
        real = Path(os.path.realpath(self.path / path))
        if not real.is_relative_to(self._limit):
            hint = "name a path inside the project; if a link leads out, replace it with a copy"
            raise invalid(f"{path or self.path.name} leads out of the project", hint=hint)
        return real

    def read(self, path: str, limit: int = MAX_BYTES) -> Content:
        """Read a regular file of at most `limit` bytes.

        Raises ContextError: invalid_request if the path leads out of the root, is not a regular file or is too
        large, unauthorized without permission to read it, Gone if it does not exist.
        """
        with self.opened(path) as descriptor:
            return read_open(descriptor, path, limit)

    def read_or(self, path: str, limit: int, otherwise: Callable[[int], Result]) -> Content | Result:
        """A file's content. Above `limit` bytes, or if reading it fails, the result of `otherwise(descriptor)`.

        Raises as `read` does if the file cannot be opened, and as `otherwise` does.
        """
        with self.opened(path) as descriptor:
            try:
                return read_open(descriptor, path, limit)
            except ContextError:
                os.lseek(descriptor, 0, os.SEEK_SET)
            return otherwise(descriptor)

    @contextmanager
    def opened(self, path: str) -> Iterator[int]:
        """The descriptor of a regular file, for reading a part of it. Raises as `read` does."""
        descriptor = self._enter_to_read(path, self._open_file)
        try:
            kind = os.fstat(descriptor).st_mode
            if stat.S_ISDIR(kind):
                raise ContextError("unavailable", f"{path} cannot be read: it is a folder")
            if not stat.S_ISREG(kind):
                raise _irregular_error(path)
            yield descriptor
        finally:
            os.close(descriptor)

    def write(self, path: str, data: Data) -> None:
        """Write a file atomically, creating missing folders.

        A link within the root stays a link. Raises ContextError: invalid_request if the path leads out of the root or
        is not a regular file, unavailable if it cannot be written.
        """
        self._enter_to_change(path, lambda folder, name: _replace_regular(folder, name, data, path), make=True)

    def create(self, path: str, data: bytes, mode: int | None = None) -> bool:
        """Write a new file and missing folders, atomically. Raises as `write` does.

        Returns False if the file exists. Of several concurrent writers, one succeeds.
        """
        return self._enter_to_change(path, lambda folder, name: create_file(folder, name, data, mode), make=True)

    def exchange(self, path: str, known: bytes, data: bytes) -> bool:
        """Replace a file atomically if it still holds `known`, else return False. Raises as `write` does.

        A concurrent save is never lost. Missing folders are an error.
        """

        def exchange(folder: Folder, name: str) -> bool:
            _require_regular(folder, name, path)
            return exchange_file(folder, name, known, data)

        return self._enter_to_change(path, exchange)

    def remove(self, path: str, known: bytes | None = None) -> bool:
        """Remove a regular file, never a link or its target. Raises as `write` does.

        With `known`, returns False and keeps a file that holds something else.
        """

        def remove(folder: Folder, name: str) -> bool:
            if known is not None:
                return remove_known(folder, name, known)
            if not stat.S_ISREG(folder.status(name).st_mode):
                raise _irregular_error(path)
            remove_file(folder, name)
            return True

        if self.leads_on(path):
            raise invalid(f"{path} is a link, or is reached through one")
        return self._enter_to_change(path, remove)

    def remove_empty_folder(self, path: str) -> bool:
        """Remove a folder, never a link or the root. Returns False if it is not empty or cannot be removed."""

        def remove(parts: Sequence[str]) -> bool:
            with opened_folder(self._bound, parts[:-1]) as folder:
                remove_empty_folder(folder, parts[-1])
            return True

        try:
            return not self.leads_on(path) and self.resolve(path) != self._bound and self._enter(path, remove)
        except (OSError, ContextError):
            return False

    def leads_on(self, path: str) -> bool:
        """Whether a path is a link or goes through a link. Raises ContextError if it leads out of the root."""
        return self.resolve(path) != self.path / path

    def mode(self, path: str) -> int:
        """The permissions of a regular file. Raises as `read` does."""
        with self.opened(path) as descriptor:
            return stat.S_IMODE(os.fstat(descriptor).st_mode)

    def names(self, folder: str) -> list[str]:
        """The sorted names in a folder, empty if it does not exist. Raises as `read` does."""
        try:
            return sorted(self._enter_to_read(folder, self._names_in))
        except Gone:
            return []

    def listing(self) -> list[str]:
        """The names in the root itself, in no order. Raises OSError, and ContextError if a link leads out."""
        return self._enter("", self._names_in)

    def _names_in(self, parts: Sequence[str]) -> list[str]:
        with opened_folder(self._bound, parts) as place:
            return os.listdir(place.place)  # noqa: PTH208 - an open folder

    @contextmanager
    def scanned(self, folder: str) -> Iterator[Iterator[os.DirEntry[str]]]:
        """The entries of a folder, which is held open meanwhile. Raises as `read` does."""
        with ExitStack() as stack:
            place = self._enter_to_read(folder, lambda parts: stack.enter_context(opened_folder(self._bound, parts)))
            yield stack.enter_context(os.scandir(place.place))

    def exists(self, path: str) -> bool:
        """Whether something exists at a path within the root. False for broken links, and for paths outside."""
        try:
            # Most of these paths do not exist, and resolving a path takes ten times as long.
            if self._plain_names(path) is not None and not is_anything(f"{self.path}/{path}"):
                return False
            return exists(self.resolve(path))
        except (OSError, ValueError, ContextError):
            return False

    def _open_file(self, parts: Sequence[str]) -> int:
        if not parts:
            raise _is_folder_error()
        with opened_folder(self._bound, parts[:-1]) as folder:
            return folder.open(parts[-1], READING)

    def _enter_to_change(self, path: str, change: Callable[[Folder, str], Result], make: bool = False) -> Result:
        """The result of `change` for a path's open folder and its last name. `make` creates missing folders.

        Raises ContextError: invalid_request in a fetched copy, unavailable in place of an OSError.
        """

        def reach(parts: Sequence[str]) -> Result:
            if not parts:
                raise _is_folder_error()
            with opened_folder(self._bound, parts[:-1], make=make) as folder:
                return change(folder, parts[-1])

        refuse_copy(self.path)
        try:
            return self._enter(path, reach)
        except OSError as error:
            hint = "make it writable, or choose another place"
            raise ContextError("unavailable", f"cannot write {path}: {error.strerror}", hint=hint) from error

    def _enter_to_read(self, path: str, go: Callable[[Sequence[str]], Result]) -> Result:
        """The result of `go` for the names on the way to a path, with each OSError as `ContextError` or `Gone`."""
        try:
            return self._enter(path, go)
        except OSError as error:
            kind = Gone if error.errno in _GONE else ContextError
            category: Category = "unauthorized" if isinstance(error, PermissionError) else "unavailable"
            raise kind(category, f"{path} cannot be read: {error.strerror}") from error

    def _plain_names(self, path: str) -> Sequence[str] | None:
        """The names on the way to a path from `_bound`, None if it must be resolved first, such as `a/../b`."""
        parts = path.split("/")
        if not _is_valid_path(path) or not _NOT_PLAIN.isdisjoint(parts):
            return None
        return (*self._inner, *parts)

    def _enter(self, path: str, go: Callable[[Sequence[str]], Result]) -> Result:
        """The result of `go` for the names on the way to a path from `_bound`.

        If a name is a link (OSError), `go` is called again with the resolved names, at most three times. Raises other
        OSErrors of `go`, and ContextError if the path leads out or keeps changing.
        """
        parts = self._plain_names(path) if CAN_OPEN_AT else None
        for _ in range(_TRIES):
            if parts is not None:
                try:
                    return go(parts)
                except OSError as error:
                    if error.errno not in LINK_ERRORS:
                        raise
                    failure = error
            real = self.resolve(path).relative_to(self._bound).parts
            if real == parts:
                # Not a link: a file instead of a folder, or circular links.
                raise failure
            parts = real
        raise ContextError("unavailable", f"{path} keeps changing while it is opened", retryable=True)


def read_file(path: Path, limit: int = MAX_BYTES) -> Content:
    """Read a regular file that the user named, following links anywhere. Raises as `Root.read` does."""
    try:
        real = Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise invalid(f"{str(path)!r} cannot be accessed") from error
    try:
        return Root(real.parent).read(real.name, limit)
    except ContextError as error:
        raise _error_in_terms_of(path, real.name, error) from error


def is_empty(path: Path) -> bool:
    """Whether a path leads to an empty regular file, such as a file made by `mktemp`. False if it is unreadable."""
    try:
        return not read_file(path, 0).data
    except ContextError:
        return False


def write_atomic(path: Path, data: Data, mode: int | None = None) -> None:
    """Write a file atomically in the user's own folders, or where the user agreed to it.

    A link stays a link, and its target is written. The folder of a `PRIVATE` file is private too. Raises ContextError
    naming path and cause: unavailable, or invalid_request for anything but a regular or new file.
    """
    try:
        real = Path(os.path.realpath(path))
        if mode == PRIVATE:
            private_folder(real.parent)
        else:
            real.parent.mkdir(parents=True, exist_ok=True)
        _replace_regular(Folder(real.parent, (), None), real.name, data, str(path), mode)
    except OSError as error:
        hint = "choose another place or make it writable"
        raise ContextError("unavailable", f"cannot write {path}: {error.strerror}", hint=hint) from error


class LeadsOut(ContextError):
    """A path that the user named is, or goes through, a link to `target`, outside the folder where it seems to be."""

    def __init__(self, path: Path, target: Path) -> None:
        hint = "name that file itself, or add --force"
        super().__init__("invalid_request", f"{path} is a link, or is reached through one, to {target}", hint=hint)
        self.target = target


def write_named(path: Path, data: Data, *, force: bool = False) -> None:
    """Write a file atomically at a path that the user named or accepted.

    A link is followed within the folder where the user sees the file: the current folder, if the path is below it,
    else the file's own. Raises LeadsOut for other links unless `force`, and as `write_atomic` does.
    """
    if force:
        write_atomic(path, data)
        return
    folder, real = require_inside(path)
    inner = real.relative_to(folder).as_posix()
    try:
        Root(folder).write(inner, data)
    except ContextError as error:
        raise _error_in_terms_of(path, inner, error) from error


def _error_in_terms_of(path: Path, inner: str, error: ContextError) -> ContextError:
    """The error of a `Root` about its path `inner`, in terms of the `path` that the user named."""
    begin = "cannot write " if error.message.startswith("cannot write ") else ""
    message = error.message.removeprefix(begin)
    if message.startswith((f"{inner} ", f"{inner}: ")):
        message = f"{path}{message[len(inner) :]}"
    return type(error)(error.category, f"{begin}{message}", error.retryable, error.hint)


def require_inside(path: Path) -> tuple[Path, Path]:
    """The real folder in which a path seems to be (see `write_named`), and the real path. Raises LeadsOut."""
    try:
        here = Path.cwd()
        is_below = ".." not in path.parts and (here / path).is_relative_to(here)
        folder = Path(os.path.realpath(here if is_below else path.parent))
        real = Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise invalid(f"{str(path)!r} cannot be accessed") from error
    if not real.is_relative_to(folder):
        raise LeadsOut(path, real)
    return folder, real


def _is_valid_path(path: str) -> bool:
    """Whether a path has no NUL, and can be encoded for this system."""
    if path.isascii():
        return "\0" not in path
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _is_folder_error() -> OSError:
    return IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


def _irregular_error(path: str) -> ContextError:
    return invalid(f"{path} is not a regular file", hint="replace it with a file")


def _replace_regular(folder: Folder, name: str, data: Data, shown: str, mode: int | None = None) -> None:
    _require_regular(folder, name, shown)
    replace_file(folder, name, data, mode)


def _require_regular(folder: Folder, name: str, shown: str) -> None:
    """Raise unless a name is a regular file or new: OSError for a link or a folder, ContextError for other kinds."""
    with suppress(FileNotFoundError):
        kind = folder.status(name).st_mode
        if stat.S_ISLNK(kind):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if stat.S_ISDIR(kind):
            raise _is_folder_error()
        if not stat.S_ISREG(kind):
            raise _irregular_error(shown)
