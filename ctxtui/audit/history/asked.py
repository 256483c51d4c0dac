"""What a replay asked about files, so that one knows whether other files would have changed an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ctxtui.agents.paths import Index
from ctxtui.core.text.patterns.globs import compile_glob


class Asked(Index):
    """An index of paths that remembers every question.

    `read` are the files whose contents were asked for; the reader adds them.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        super().__init__(paths)
        self.read: set[str] = set()
        self._patterns: set[tuple[str, str]] = set()
        self._folders: set[str] = set()
        self._members = _Members(self.paths)
        self.paths = self._members
        self._decided: dict[str, bool] = {}

    def find(self, pattern: str, below: bool = False) -> tuple[str, ...]:
        """The paths that match a pattern."""
        self._patterns.add((f"*/**/{pattern}" if below else pattern, ""))
        return super().find(pattern, below)

    def find_in(self, pattern: str, folder: str) -> tuple[str, ...]:
        """The paths that match a pattern within a folder."""
        self._patterns.add((pattern, folder))
        return super().find_in(pattern, folder)

    def holds(self, path: str) -> bool:
        """Whether a path is a file or a folder."""
        self._folders.add(path)
        return super().holds(path)

    def under(self, folders: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Each folder with each path below it."""
        asked = list(folders)
        self._folders.update(asked)
        return super().under(asked)

    def is_about(self, path: str) -> bool:
        """Whether an answer may be different if a file appears at a path or is gone from there."""
        if path not in self._decided:
            self._decided[path] = self._is_about(path)
        return self._decided[path]

    def _is_about(self, path: str) -> bool:
        above = {path[:end] for end, character in enumerate(path) if character == "/"} | {path, ""}
        if path in self._members.asked or not self._folders.isdisjoint(above - {""}):
            return True
        return any(
            compile_glob(pattern).matches(path[len(folder) + 1 :] if folder else path)
            for pattern, folder in self._patterns
            if folder in above
        )


class _Members(dict[str, None]):
    """Paths that remember which of them were asked for."""

    def __init__(self, paths: Iterable[str]) -> None:
        super().__init__(dict.fromkeys(paths))
        self.asked: set[object] = set()

    def __contains__(self, path: object) -> bool:
        self.asked.add(path)
        return super().__contains__(path)
