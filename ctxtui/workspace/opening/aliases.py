"""Aliases: the paths that links give a file, which is still one document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ctxtui.core.disk.walk import Found
from ctxtui.core.text.metadata.reference import Reference


class Aliases:
    """The files of a walk that links lead to, with all their paths."""

    def __init__(self, files: Iterable[Found]) -> None:
        listed = list(files)
        reals = {file.real for file in listed if file.path != file.real}
        self._paths: dict[str, list[str]] = {real: [] for real in reals}
        self._real: dict[str, str] = {}
        for file in listed:
            if file.real in reals:
                self._paths[file.real].append(file.path)
                self._real[file.path] = file.real

    def once(self, references: Sequence[Reference]) -> list[Reference]:
        """One reference for each file: under its real path if that is among them, else under the first one."""
        if not self._paths:
            return list(references)
        same: dict[str, list[Reference]] = {}
        for reference in references:
            real = self._real.get(reference.path)
            if real is not None:
                same.setdefault(real, []).append(reference)
        merged = {real: self._merged(real, each) for real, each in same.items()}
        chosen = {each.path: each for each in merged.values()}
        left = (each for each in references if each.path in chosen or each.path not in self._real)
        return [chosen.get(each.path, each) for each in left]

    def _merged(self, real: str, same: Sequence[Reference]) -> Reference:
        """One of several references to a file, with the best loading and priority of any of them."""
        first = next((each for each in same if each.path == real), same[0])
        earliest = min(same, key=lambda each: each.priority)
        return replace(
            first,
            strategy=earliest.strategy,
            priority=earliest.priority,
            protected=any(each.protected for each in same),
            ignored=all(each.ignored for each in same),
            aliases=tuple(path for path in self._paths[real] if path != first.path),
        )
