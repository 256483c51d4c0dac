"""One walk over a project: every possible context file, with nested ignore files respected."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from sys import intern
from typing import NamedTuple

from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.git.ignoring import IGNORE_FILE, Ignoring, Rules
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.trace import Trace
from ctxtui.core.disk.write import is_temporary

MAX_FILES = 200_000
MAX_DEPTH = 64
# Private folders of version control and of this program.
_NEVER = frozenset({".git", ".hg", ".svn", ".jj", ".ctxtui"})
# Often huge, and context only if git tracks them: environments, caches, installed packages.
_SKIPPED = _NEVER | frozenset(
    ".venv venv node_modules __pycache__ .tox .nox .mypy_cache .ruff_cache .pytest_cache .hypothesis .idea .DS_Store"
    " .cache .gradle".split()
)
_LEADS_OUT = "a link that leads out of the project; it is not followed"
_UNLISTED = " is never listed"


class Found(NamedTuple):
    """One file: its path below the root, its real path (different for links), its version.

    `ignored` means ignored by git, or hidden: its name, or a folder not known for context, begins with a dot.
    """

    path: str
    real: str
    stamp: Stamp
    ignored: bool = False


class _Visit(NamedTuple):
    """A folder of the walk: its path with `/` at the end ("" for the root), its rules, and how it was reached.

    It, or a folder above, may be `ignored`, `hidden` or `linked`. If `only_tracked`, no other files are found.
    """

    prefix: str
    rules: Rules
    ignored: bool = False
    hidden: bool = False
    linked: bool = False
    only_tracked: bool = False


class Walker:
    """Walks a root, only into folders whose path `enters` accepts. `hidden` are the names of dot folders to enter."""

    def __init__(
        self,
        root: Root,
        hidden: frozenset[str],
        on_notice: OnNotice,
        enters: Callable[[str], bool] = lambda _path: True,
        trace: Trace | None = None,
    ) -> None:
        self._root = root
        self._trace = trace
        self._enters = enters
        self._hidden = hidden
        self._on_notice = on_notice
        # Negative once a file is left out.
        self._files_left = MAX_FILES
        self._ignoring = Ignoring(root, on_notice, trace)
        self._known_folders: dict[str, _Visit | str] = {}
        self._reads_rules = True

    def walk(self, with_ignored: bool = False) -> list[Found]:
        """The files below the root in path order, at most 200,000. Notices name what is left out.

        Ignored folders are entered only for context and tracked files, or `with_ignored`. Of environments and caches,
        only tracked files are found.
        """
        found: list[Found] = []
        rules = self._ignoring.outer()
        is_ignored = rules.cover_root()
        if is_ignored and not with_ignored:
            message = "git ignores this folder, so only what it tracks is listed; --ignored lists all of it"
            self._on_notice(Notice("ignored-folder", message, root_name(self._root)))
        self._walk_directory(found, self._root.path, _Visit("", rules, is_ignored), with_ignored)
        if self._files_left < 0:
            message = f"more than {MAX_FILES:,} files; the rest are not listed"
            self._on_notice(Notice("too-many-files", message, root_name(self._root)))
        found.sort(key=lambda file: file.path)
        return found

    def every_path(self) -> list[str]:
        """The paths of all files below the root in order, at most 200,000, also ignored ones.

        Of environments and caches, only tracked files are found. No ignore file below the root is read.
        """
        found: list[Found] = []
        self._reads_rules = False
        self._walk_directory(found, self._root.path, _Visit("", self._ignoring.outer(), hidden=True), True)
        self._reads_rules = True
        return sorted(file.path for file in found)

    def would_ignore(self, path: str) -> bool:
        """Whether a walk omits a path because of ignore files, its name or its submodule. The path need not exist."""
        above, slash, name = path.rpartition("/")
        folder = self._folder_or_reason(f"{above}{slash}")
        if isinstance(folder, str):
            return True
        tracked = folder.rules.tracked
        if any(self._omission(folder, name, path, is_folder) for is_folder in (False, True)):
            return name in _NEVER or not tracked.reaches(path)
        return tracked.is_in_submodule(path)

    def is_tracked(self, path: str) -> bool:
        """Whether git tracks a file. False in folders that a walk omits."""
        folder = self._folder_or_reason(path[: path.rfind("/") + 1])
        return not isinstance(folder, str) and folder.rules.tracked.holds(path)

    def why_not(self, path: str) -> tuple[str, bool]:
        """Why a walk omits or ignores a path, "" if it does not, and whether a walk `with_ignored` finds it."""
        above, slash, name = path.rpartition("/")
        folder = self._folder_or_reason(f"{above}{slash}")
        out = folder if isinstance(folder, str) else self._omission(folder, name, path, is_folder=False)
        hidden = [f"{each}/" for each in above.split("/") if each[:1] == "." and each not in self._hidden]
        hidden += [name] if name[0] == "." else []
        out = out or (f"{hidden[0]} is hidden" if hidden else "")
        return out, _UNLISTED not in out

    def _folder_or_reason(self, prefix: str) -> _Visit | str:
        """The folder `prefix` (with `/` at its end) with its rules, computed once, or why the walk omits it."""
        known = self._known_folders
        if not known:
            known[""] = _Visit("", self._ignoring.within("", self._ignoring.outer()))
        if prefix in known:
            return known[prefix]
        place, folder = "", known[""]
        for name in prefix[:-1].split("/"):
            path = f"{place}{name}"
            place = f"{path}/"
            if place not in known and not isinstance(folder, str):
                known[place] = self._subfolder_or_reason(folder, name, path)
            elif place not in known:
                known[place] = folder
            folder = known[place]
        return folder

    def _subfolder_or_reason(self, folder: _Visit, name: str, path: str) -> _Visit | str:
        """The folder `name` in `folder`, with `path` from the root, or the reason if no file in it is found."""
        tracked = folder.rules.tracked
        out = self._omission(folder, name, path, is_folder=True)
        if out and (name in _NEVER or not tracked.reaches(path)):
            return out
        only = (folder.only_tracked or bool(out) or name in _SKIPPED) and not tracked.holds(path)
        return _Visit(f"{path}/", self._ignoring.within(f"{path}/", folder.rules), only_tracked=only)

    def _omission(self, folder: _Visit, name: str, path: str, is_folder: bool) -> str:
        """Why the walk omits the entry `name` of `folder`, else "". Files in an omitted folder may still be found."""
        tracked = folder.rules.tracked
        if name not in _NEVER and tracked.holds(path):
            return ""
        if name in _NEVER or (name in _SKIPPED and not tracked.reaches(path)):
            return f"{name}{'/' if is_folder else ''}{_UNLISTED}"
        if folder.rules.verdict(path, is_folder):
            return f"ignored by {folder.rules.deciding(path, is_folder)}"
        return f"{folder.prefix}{_UNLISTED} but for what git tracks" if folder.only_tracked and not is_folder else ""

    def _walk_directory(self, found: list[Found], place: str | Path, folder: _Visit, with_ignored: bool) -> None:
        """Add the files below a folder to `found`. `place` is its path on disk. Problems become notices."""
        prefix = folder.prefix
        if prefix.count("/") > MAX_DEPTH:
            self._on_notice(Notice("too-deep", f"nested more than {MAX_DEPTH} folders deep; not listed", prefix))
            return
        if self._trace:
            self._trace.record_version(str(place))
        try:
            with os.scandir(place) as listing:
                entries = list(listing)
        except OSError as error:
            message = f"the folder cannot be read: {error.strerror}"
            self._on_notice(Notice("unreadable-folder", message, prefix or "."))
            return
        has_rules = begins = False
        for entry in entries:
            has_rules = has_rules or entry.name == IGNORE_FILE
            begins = begins or entry.name == ".git"
        if has_rules or (begins and prefix):
            rules = self._ignoring.within(prefix, folder.rules, has_rules and self._reads_rules, begins)
            # Files tracked by a repository in an ignored folder stay ignored.
            folder = folder._replace(rules=rules, hidden=folder.hidden or (begins and folder.ignored))
        for entry in entries:
            if self._files_left < 0:
                return
            self._walk_entry(found, entry, folder, with_ignored)

    def _walk_entry(self, found: list[Found], entry: os.DirEntry[str], folder: _Visit, with_ignored: bool) -> None:
        """Add a file, or the files below a folder, to `found`, unless the walk omits it. Problems become notices."""
        name = entry.name
        path = folder.prefix + name
        tracked = folder.rules.tracked
        if name in _NEVER or is_temporary(name):
            return
        if (name in _SKIPPED or folder.only_tracked) and not (tracked.holds(path) or tracked.reaches(path)):
            return
        if not name.isascii() and not is_unicode(name):
            message = "the name is not valid UTF-8; rename the file to list it"
            self._on_notice(Notice("unreadable-name", message, os.fsencode(path).decode("utf-8", "replace")))
            return
        try:
            is_link, is_directory = entry.is_symlink(), entry.is_dir()
            if is_link and self._trace:
                self._trace.record_link(entry.path)
            if is_link and not self._may_follow(entry, path, is_directory, folder.linked):
                return
            if is_directory:
                parent = folder._replace(linked=True) if is_link else folder
                self._walk_subfolder(found, entry, parent, with_ignored)
                return
            status = entry.stat()
        except OSError as error:
            is_dangling = isinstance(error, FileNotFoundError) and entry.is_symlink()
            reason = "it links to nothing" if is_dangling else error.strerror
            self._on_notice(Notice("unreadable-file", f"cannot be read: {reason}", path))
            return
        if stat.S_ISREG(status.st_mode):
            self._files_left -= 1
            if self._files_left < 0:
                return
            # Scans, counts and the tree share the text of each path.
            path = intern(path)
            real = self._real_path(entry.path) if is_link or folder.linked else path
            if real is None:
                # The link led into the project when it was followed.
                self._on_notice(Notice("link-outside", _LEADS_OUT, path))
                return
            is_out = folder.hidden or name[0] == "." or self._is_ignored(folder, path, False)
            found.append(Found(path, intern(real), Stamp.of(status), is_out))

    def _walk_subfolder(
        self, found: list[Found], entry: os.DirEntry[str], folder: _Visit, with_ignored: bool
    ) -> None:
        """Add the files below a folder to `found`, if the walk enters it."""
        name, path = entry.name, folder.prefix + entry.name
        if not self._enters(path):
            return
        known = name in self._hidden
        hidden = folder.hidden or (name[0] == "." and not known)
        ignored = not hidden and self._is_ignored(folder, path, True)
        only = folder.only_tracked or name in _SKIPPED
        enters = known or with_ignored or not (ignored or hidden) or not self._hidden.isdisjoint(path.split("/"))
        if not enters and not hidden:
            # A tracked file is not ignored, even in an ignored folder.
            enters = only = folder.rules.tracked.reaches(path)
        if enters:
            only = only and not folder.rules.tracked.holds(path)
            below = _Visit(f"{path}/", folder.rules, ignored, hidden, folder.linked, only)
            self._walk_directory(found, entry.path, below, with_ignored)

    def _is_ignored(self, folder: _Visit, path: str, is_folder: bool) -> bool:
        rules = folder.rules
        return (folder.ignored or rules.verdict(path, is_folder)) and not rules.tracked.holds(path)

    def _may_follow(self, entry: os.DirEntry[str], path: str, is_directory: bool, linked: bool) -> bool:
        """Whether to follow a link, in a folder that is `linked` itself or not. A link that leads out is a notice."""
        real = Path(os.path.realpath(entry.path))
        if not real.is_relative_to(self._root.path):
            self._on_notice(Notice("link-outside", _LEADS_OUT, path))
            return False
        # Below a link no other link is followed, and never a link to an ancestor: no walk is circular.
        return not is_directory or not (linked or Path(entry.path).parent.is_relative_to(real))

    def _real_path(self, place: str) -> str | None:
        real = Path(os.path.realpath(place))
        return real.relative_to(self._root.path).as_posix() if real.is_relative_to(self._root.path) else None


def root_name(root: Root) -> str:
    """The name of the root folder, for a notice about the root itself."""
    return root.path.name or "."


def is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
