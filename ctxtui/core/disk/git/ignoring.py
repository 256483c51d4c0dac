"""The files that git ignores below a root: ignore files, the user's own rules, and tracked exceptions."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Final, NamedTuple

from ctxtui.core.base.errors import ContextError, Gone, invalid
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.disk.copies import copied_root
from ctxtui.core.disk.git.index import tracked_paths
from ctxtui.core.disk.git.repository import GitFolder, excludes_file, git_folder, git_kind, is_true, settings_of
from ctxtui.core.disk.git.rules import GitRules, Line, git_rules, is_sound, rule_lines
from ctxtui.core.disk.open_at import is_anything
from ctxtui.core.disk.own_folders import with_tilde
from ctxtui.core.disk.root import Root, read_file
from ctxtui.core.disk.trace import Trace

IGNORE_FILE: Final = ".gitignore"
_EXCLUDE: Final = "info/exclude"
_MOST: Final = 1024 * 1024
_SHA1, _SHA256 = 20, 32
# To git, only letters of ASCII have a case.
_LOWER: Final = str.maketrans(ascii_uppercase, ascii_lowercase)


class _Existing:
    """The tracked paths of a copy: all that exist below `top`. A copy has the files of a commit, nothing else."""

    def __init__(self, top: Path) -> None:
        self._top = top

    def __contains__(self, path: object) -> bool:
        return is_anything(f"{self._top}/{path}")


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The rules of one ignore file, which apply to everything below a folder.

    Rules match paths relative to that folder. Below the root, its path `base` is cut from the start of a path. Above
    the root, `above` is put before a path. `place` names the file.
    """

    place: str
    lines: tuple[Line, ...]
    rules: GitRules
    base: str = ""
    above: str = ""

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether the rules of the file ignore a path below the root, None if no rule matches."""
        return self.rules.verdict(self.above + path[len(self.base) :], is_folder)

    def deciding(self, path: str, is_folder: bool) -> str:
        """The rule that decides about a path as `PLACE:LINE`, only the place if no rule matches."""
        path = self.above + path[len(self.base) :]
        found = (line for line in reversed(self.lines) if git_rules([line]).verdict(path, is_folder) is not None)
        line = next(found, None)
        return f"{self.place}:{line.number}" if line else self.place


class Tracked:
    """The paths that a repository tracks, read on demand.

    `base` and `above` are as in a `RuleFile` of the repository's own folder. With `ignores_case`, names that differ
    only in case are equal.
    """

    def __init__(
        self, read: Callable[[], Container[str]] = tuple, base: str = "", above: str = "", ignores_case: bool = False
    ) -> None:
        self._read, self._base, self._above, self.ignores_case = read, base, above, ignores_case

    @cached_property
    def _files(self) -> Container[str]:
        return self._read()

    @cached_property
    def _folders(self) -> Container[str]:
        """The folders above the tracked paths. On disk, every existing path counts."""
        files = self._files
        if not isinstance(files, frozenset):
            return files
        found = set[str]()
        for file in files:
            folder = file.rpartition("/")[0]
            while folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return found

    def holds(self, path: str) -> bool:
        """Whether a path is tracked itself: a file, a link, a submodule."""
        return self._name(path) in self._files

    def reaches(self, folder: str) -> bool:
        """Whether anything below a folder is tracked."""
        return self._name(folder) in self._folders

    def _name(self, path: str) -> str:
        name = self._above + path[len(self._base) :]
        return name.translate(_LOWER) if self.ignores_case else name

    def is_in_submodule(self, path: str) -> bool:
        """Whether a folder above a path is tracked itself, and nothing below it."""
        folder = self._name(path)
        while folder := folder.rpartition("/")[0]:
            if folder in self._files:
                return folder not in self._folders
        return False


class Rules(NamedTuple):
    """The rule files of a folder, innermost last, and the tracked paths, which they do not ignore."""

    files: tuple[RuleFile, ...]
    tracked: Tracked

    def verdict(self, path: str, is_folder: bool) -> bool:
        """Whether the innermost rule for this very path (not for an ancestor) ignores it, tracked or not."""
        for each in reversed(self.files):
            verdict = each.verdict(path, is_folder)
            if verdict is not None:
                return verdict
        return False

    def cover_root(self) -> bool:
        """Whether the rules ignore the root itself, or a folder between it and the top of its repository."""
        names = max((each.above for each in self.files), key=len, default="").split("/")[:-1]
        return any(self._cover_ancestor(names[:depth], len(names)) for depth in range(1, len(names) + 1))

    def _cover_ancestor(self, names: Sequence[str], depth: int) -> bool:
        """Whether the rules ignore the folder `names` of the repository. The root is `depth` names below its top."""
        for each in reversed(self.files):
            path = "/".join(names[depth - each.above.count("/") :])
            verdict = each.rules.verdict(path, True) if path else None
            if verdict is not None:
                return verdict
        return False

    def deciding(self, path: str, is_folder: bool) -> str:
        """The rule that `verdict` follows as `PLACE:LINE`, "" if no rule matches."""
        found = (each for each in reversed(self.files) if each.verdict(path, is_folder) is not None)
        return next((each.deciding(path, is_folder) for each in found), "")


NO_RULES: Final = Rules((), Tracked())


class Ignoring:
    """Finds the rules below a root. A `trace` records their dependencies."""

    def __init__(self, root: Root, on_notice: OnNotice, trace: Trace | None = None) -> None:
        self._root, self._on_notice, self._trace = root, on_notice, trace

    def outer(self) -> Rules:
        """The rules above the root, up to the repository or the copy that contains it."""
        above = [*reversed(self._root.path.parents), self._root.path]
        copy = copied_root(self._root.path)
        if copy:
            inner = f"{copy[1]}/" if copy[1] else ""
            return self._with_outer(above, copy[0], Rules((), Tracked(partial(_Existing, copy[0]), "", inner)))
        for place in range(len(above), 0, -1):
            top = above[place - 1]
            if self._is_repository_root(str(top)):
                inner = "".join(f"{each.name}/" for each in above[place:])
                return self._with_outer(above, top, self._repository_rules(top, "", inner))
        return NO_RULES

    def within(self, prefix: str, rules: Rules, has_file: bool | None = None, begins: bool | None = None) -> Rules:
        """The rules in a folder: its own, and the outer `rules` or, if it holds `.git`, those of its repository.

        `prefix` is the folder with `/` at its end. `has_file` and `begins` say whether it holds an ignore file and
        `.git`, None if that is unknown.
        """
        folder = f"{self._root.path}/{prefix}"
        if prefix and begins is not False and self._is_repository_root(folder[:-1]):
            rules = self._repository_rules(Path(os.path.realpath(folder)), prefix, "")
        # Few folders have one, and a check is faster than opening.
        name = f"{prefix}{IGNORE_FILE}"
        if has_file is None and self._trace:
            self._trace.record_version(f"{self._root.path}/{name}")
        if is_anything(f"{self._root.path}/{name}") if has_file is None else has_file:
            own = self._ignore_file_rules(self._root, name, name, rules.tracked, prefix, "")
            rules = rules._replace(files=(*rules.files, own)) if own else rules
        return rules

    def _is_repository_root(self, folder: str) -> bool:
        """Whether a folder has `.git` of any kind. Recorded in the trace."""
        kind = git_kind(folder)
        if self._trace:
            self._trace.repositories[folder] = kind
            if stat.S_ISLNK(kind):
                self._trace.record_link(f"{folder}/.git")
        return bool(kind)

    def _with_outer(self, above: Sequence[Path], top: Path, rules: Rules) -> Rules:
        """`rules`, and the ignore files from `top` to the root's parent. `above` are all folders down to the root."""
        files = list(rules.files)
        for outer in above[above.index(top) : -1]:
            inner = self._root.path.relative_to(outer).as_posix()
            place = "../" * (inner.count("/") + 1) + IGNORE_FILE
            own = self._ignore_file_rules(Root(outer), IGNORE_FILE, place, rules.tracked, "", f"{inner}/")
            files += [own] if own else []
        return rules._replace(files=tuple(files))

    def _ignore_file_rules(
        self, root: Root, path: str, place: str, tracked: Tracked, base: str, above: str
    ) -> RuleFile | None:
        """The rules of an ignore file `path` below `root`, None without any. A link is not followed."""

        def read() -> bytes:
            if (root.path / path).is_symlink():
                raise invalid("git does not follow a link in its place")
            return root.read(path, _MOST).data

        return self._read_rules(f"{root.path}/{path}", read, place, tracked, base, above)

    def _repository_rules(self, top: Path, base: str, above: str) -> Rules:
        """The user's own rules and those of the git folder of `top`, with `base` and `above` as in `RuleFile`.

        A git folder that does not name `top` becomes a notice, and gives no rules.
        """
        look: Callable[[str], None] = self._trace.record_version if self._trace else lambda _place: None
        way = base or "../" * above.count("/")
        try:
            git = git_folder(top, look)
        except ContextError as error:
            message = f"{error.message}; what it ignores and tracks is not read; {error.hint}"
            self._on_notice(Notice("git-elsewhere", message, f"{way}.git"))
            return NO_RULES
        settings = settings_of(git, look)
        size = _SHA256 if settings.get("extensions.objectformat") == "sha256" else _SHA1
        ignores_case = is_true(settings.get("core.ignorecase", "no"))
        tracked = Tracked(partial(self._read_tracked, git, size, ignores_case), base, above, ignores_case)
        user, common = excludes_file(settings, top), Root(git.common)
        shared = f"{git.common}/{_EXCLUDE}"
        shown = f"{way}.git/{_EXCLUDE}" if git.common == top / ".git" else with_tilde(shared)
        sources = [(user, lambda: read_file(Path(user), _MOST).data, with_tilde(user))] if user else []
        sources.append((shared, lambda: common.read(_EXCLUDE, _MOST).data, shown))
        found = (self._read_rules(*source, tracked, base, above) for source in sources)
        return Rules(tuple(filter(None, found)), tracked)

    def _read_tracked(self, git: GitFolder, size: int, ignores_case: bool) -> frozenset[str]:
        names = (self._trace.record_tracked if self._trace else tracked_paths)(Root(git.own), size)
        return frozenset((names.lower() if ignores_case else names).decode("utf-8", "surrogateescape").split("\0"))

    def _read_rules(
        self, file: str, read: Callable[[], bytes], place: str, tracked: Tracked, base: str, above: str
    ) -> RuleFile | None:
        """The rules of `file`, which `read` reads, None without any. Useless rules and errors become notices."""
        if self._trace:
            self._trace.record_version(file)
        try:
            lines = rule_lines(read())
        except Gone:
            return None
        except ContextError as error:
            self._on_notice(Notice("ignore-rule", f"its rules are not used: {error.message}", place))
            return None
        for line in lines:
            if not is_sound(line):
                message = "not a rule of an ignore file: it matches nothing"
                self._on_notice(Notice("ignore-rule", message, place, line.number))
        matched = git_rules(lines, tracked.ignores_case)
        return RuleFile(place, tuple(lines), matched, base, above) if lines else None
