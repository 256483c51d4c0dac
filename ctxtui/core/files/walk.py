"""One walk over a project: every file that may be context, with nested ignore files respected."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from sys import intern
from typing import NamedTuple

from ctxtui.core.dataclass import dataclass
from ctxtui.core.errors import ContextError
from ctxtui.core.files.content import Stamp
from ctxtui.core.files.open_at import exists, is_anything
from ctxtui.core.files.root import Root
from ctxtui.core.files.trace import Trace
from ctxtui.core.files.write import is_temporary
from ctxtui.core.notices import Notice, OnNotice
from ctxtui.core.patterns.ignore_rules import IgnoreRules, read_rules

MAX_FILES = 200_000
MAX_DEPTH = 64
_MAX_RULES = 1024 * 1024
# This number of files is handed over at once, while the walk goes on.
_SOME = 256
# Never context, and often huge: version control, environments, caches, installed packages.
_SKIPPED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        ".tox",
        ".nox",
        ".mypy_cache",
    }
    | {".ruff_cache", ".pytest_cache", ".hypothesis", ".idea", ".ctxtui", ".DS_Store", ".cache", ".gradle"}
)


class Found(NamedTuple):
    """One file: its path below the root, its real path (different for links), its version.

    `ignored` files are ignored by an ignore file, or hidden and not a known context file.
    """

    path: str
    real: str
    stamp: Stamp
    ignored: bool = False


@dataclass(frozen=True, slots=True)
class _Rules:
    """The ignore rules of one directory, which apply to everything below it.

    `base` is the directory's path, removed from paths below the root; for directories above the root,
    `above` is the prefix to add instead.
    """

    base: str
    spec: IgnoreRules
    above: str = ""


class _Place(NamedTuple):
    """A directory on the way: the prefix of its paths, its rules, and whether it is ignored or below a link."""

    prefix: str
    rules: tuple[_Rules, ...]
    ignored: bool
    linked: bool


OnSome = Callable[[Sequence[Found]], None]
"""Called with files as they are found, some at a time."""


class Walker:
    """Walks a root; `hidden` are the names of hidden directories that contain context.

    Directories for which `enters` is false are not entered. A `trace` notes what the walk depends on.
    """

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
        self._left = MAX_FILES
        self._known_rules: dict[str, tuple[_Rules, ...] | None] = {}
        self._on_some: OnSome | None = None
        self._reads_rules = True
        self._handed = 0

    def walk(self, with_ignored: bool = False, on_some: OnSome | None = None) -> list[Found]:
        """All files below the root in order of their paths; `on_some` is given each of them before, in no order.

        Ignored directories are entered only if they contain context, or all of them `with_ignored`.
        """
        self._on_some, self._handed = on_some, 0
        rules = tuple(self._outer_rules())
        found: list[Found] = []
        self._directory(found, self._root.path, _Place("", rules, False, False), with_ignored)
        if self._left <= 0:
            message = f"more than {MAX_FILES:,} files; the rest are not listed"
            self._on_notice(Notice("too-many-files", message, hint_path(self._root)))
        self._hand_over(found)
        found.sort(key=lambda file: file.path)
        return found

    def every_path(self) -> list[str]:
        """The paths of all files below the root, ignored or not, in order; no rules are read for them."""
        found: list[Found] = []
        self._on_some, self._reads_rules = None, False
        self._directory(found, self._root.path, _Place("", (), True, False), True)
        self._reads_rules = True
        return sorted(file.path for file in found)

    def _hand_over(self, found: Sequence[Found]) -> None:
        """Hand over the files that were found since the last time."""
        if self._on_some is not None and len(found) > self._handed:
            some, self._handed = found[self._handed :], len(found)
            self._on_some(some)

    def would_ignore(self, path: str) -> bool:
        """Whether ignore files leave out a path below the root, which need not exist, or it is never context."""
        above, slash, name = path.rpartition("/")
        rules = self._rules_below(f"{above}{slash}")
        if rules is None or name in _SKIPPED:
            return True
        return bool(rules and (_verdict(path, rules) or _verdict(f"{path}/", rules)))

    def _rules_below(self, prefix: str) -> tuple[_Rules, ...] | None:
        """The rules for what is in a folder, found once; None if it is left out itself."""
        known = self._known_rules
        if not known:
            known[""] = self._with_own("", tuple(self._outer_rules()))
        if prefix in known:
            return known[prefix]
        place, rules = "", known[""]
        for folder in prefix[:-1].split("/"):
            place += f"{folder}/"
            if place not in known:
                is_out = rules is None or folder in _SKIPPED or _verdict(place, rules)
                known[place] = None if is_out or rules is None else self._with_own(place, rules)
            rules = known[place]
        return rules

    def _with_own(self, prefix: str, outer: tuple[_Rules, ...]) -> tuple[_Rules, ...]:
        """The rules above a folder, and those of its own ignore file."""
        name = f"{prefix}.gitignore"
        # Few folders have one, and to look is faster than to open.
        if self._trace:
            self._trace.look(f"{self._root.path}/{name}")
        spec = self._load_spec(self._root, name) if is_anything(f"{self._root.path}/{name}") else None
        return (*outer, _Rules(prefix, spec)) if spec else outer

    def _outer_rules(self) -> Iterator[_Rules]:
        """The rules of the directories above, up to the repository that contains the root."""
        above: list[Path] = []
        for directory in (self._root.path, *self._root.path.parents):
            above.insert(0, directory)
            is_repository = exists(directory / ".git")
            if self._trace:
                self._trace.ask(str(directory), is_repository)
            if is_repository:
                exclude = self._load_spec(Root(directory), ".git/info/exclude")
                depth = os.path.relpath(self._root.path, directory)
                prefix = "" if depth == "." else f"{Path(depth).as_posix()}/"
                if exclude:
                    yield _Rules("", exclude, prefix)
                for outer in above[:-1]:
                    spec = self._load_spec(Root(outer), ".gitignore")
                    if spec:
                        inner = self._root.path.relative_to(outer).as_posix()
                        yield _Rules("", spec, f"{inner}/")
                return

    def _directory(self, found: list[Found], place: str | Path, at: _Place, with_ignored: bool) -> None:
        prefix = at.prefix
        if prefix.count("/") > MAX_DEPTH:
            self._on_notice(Notice("too-deep", f"nested more than {MAX_DEPTH} folders deep; not listed", prefix))
            return
        if self._trace:
            self._trace.look(str(place))
        try:
            with os.scandir(place) as listing:
                entries = list(listing)
        except OSError as error:
            message = f"the folder cannot be read: {error.strerror}"
            self._on_notice(Notice("unreadable-folder", message, prefix or "."))
            return
        if self._reads_rules and any(entry.name == ".gitignore" for entry in entries):
            at = at._replace(rules=self._with_own(prefix, at.rules))
        for entry in entries:
            if self._left <= 0:
                return
            self._entry(found, entry, at, with_ignored)
        if len(found) - self._handed >= _SOME:
            self._hand_over(found)

    def _entry(self, found: list[Found], entry: os.DirEntry[str], at: _Place, with_ignored: bool) -> None:
        name = entry.name
        if name in _SKIPPED or is_temporary(name):
            return
        path = at.prefix + name
        if not name.isascii() and not _is_unicode(name):
            message = "the name is not valid UTF-8; rename the file to list it"
            self._on_notice(Notice("unreadable-name", message, os.fsencode(path).decode("utf-8", "replace")))
            return
        try:
            is_link, is_directory = entry.is_symlink(), entry.is_dir()
            if is_link and self._trace:
                self._trace.follow(entry.path)
            if is_link and not self._may_follow(entry, path, is_directory, at.linked):
                return
            if is_directory:
                self._subdirectory(found, entry, at._replace(linked=True) if is_link else at, with_ignored)
                return
            status = entry.stat()
        except OSError as error:
            self._on_notice(Notice("unreadable-file", f"cannot be read: {error.strerror}", path))
            return
        if stat.S_ISREG(status.st_mode):
            self._left -= 1
            # Scans, counts and the tree share the text of each path.
            path = intern(path)
            real = intern(self._real(entry.path)) if is_link or at.linked else path
            is_out = at.ignored or name[0] == "." or bool(_verdict(path, at.rules))
            found.append(Found(path, real, Stamp.of(status), is_out))

    def _subdirectory(self, found: list[Found], entry: os.DirEntry[str], at: _Place, with_ignored: bool) -> None:
        path = at.prefix + entry.name
        if not self._enters(path):
            return
        known = entry.name in self._hidden
        hidden = entry.name.startswith(".") and not known
        ignored = at.ignored or hidden or bool(_verdict(f"{path}/", at.rules))
        if not ignored or known or with_ignored or self._below_known(path):
            self._directory(found, entry.path, _Place(f"{path}/", at.rules, ignored, at.linked), with_ignored)

    def _below_known(self, path: str) -> bool:
        return any(part in self._hidden for part in path.split("/"))

    def _load_spec(self, root: Root, path: str) -> IgnoreRules | None:
        """The rules of an ignore file; invalid lines are skipped with a notice."""
        if self._trace:
            self._trace.look(f"{root.path}/{path}")
        try:
            text = root.read(path, _MAX_RULES).data.decode("utf-8", "replace")
        except ContextError:
            return None
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if _is_rule(line)]
        try:
            return read_rules([line for _, line in lines]) if lines else None
        except ContextError:
            good = [line for number, line in lines if self._is_readable(line, path, number)]
        return read_rules(good) if good else None

    def _is_readable(self, line: str, path: str, number: int) -> bool:
        try:
            read_rules([line])
        except ContextError as error:
            self._on_notice(Notice("ignore-rule", f"not a rule of an ignore file: {error.message}", path, number))
            return False
        return True

    def _may_follow(self, entry: os.DirEntry[str], path: str, is_directory: bool, linked: bool) -> bool:
        real = Path(os.path.realpath(entry.path))
        if not real.is_relative_to(self._root.path):
            message = "a link that leads out of the project; it is not followed"
            self._on_notice(Notice("link-outside", message, path))
            return False
        # Below a link no other link is followed, and never one to a parent folder: no walk is circular.
        return not is_directory or not (linked or Path(entry.path).parent.is_relative_to(real))

    def _real(self, place: str) -> str:
        return Path(os.path.realpath(place)).relative_to(self._root.path).as_posix()


def hint_path(root: Root) -> str:
    """The name of the root itself in notices."""
    return root.path.name or "."


def _verdict(path: str, rules: tuple[_Rules, ...]) -> bool | None:
    """The verdict of the innermost rules that match the path."""
    for each in reversed(rules):
        verdict = each.spec.verdict(each.above + path[len(each.base) :])
        if verdict is not None:
            return verdict
    return None


def _is_rule(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
