"""Which files a model is led to: those that agents read, and those that these name, directly or by steps."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from ctxtui.audit.context import AGENTS, Audited
from ctxtui.audit.roles import SKILL, language_of
from ctxtui.core.text.markdown.scan import is_markdown
from ctxtui.core.text.metadata.reference import Reference

_UNREAD = ("never", "reference")
_WORD = re.compile(r"[\w./-]+")


class Reached:
    """The context files without translated skills, and without what is beside a skill that does not lead to it."""

    def __init__(self, audited: Audited) -> None:
        self._audited = audited
        self._of_skill: dict[str, frozenset[str]] = {}
        self._read = frozenset(
            audited.real(charge.path)
            for context in audited.real_agents
            for charge in context.charges
            if charge.moment not in _UNREAD
        )

    def __contains__(self, reference: Reference) -> bool:
        skill = self._audited.skill_of(reference.path)
        is_read = not self._read.isdisjoint(map(self._audited.real, reference.paths))
        if reference.source != AGENTS or skill is None or is_read:
            return True
        if language_of(reference.path):
            return False
        if skill not in self._of_skill:
            self._of_skill[skill] = frozenset(self._from(skill))
        return not self._of_skill[skill].isdisjoint(reference.paths)

    def _from(self, skill: str) -> Iterable[str]:
        """The files of a skill that its texts name, by their names or as a folder, starting with SKILL.md."""
        first = f"{skill}/{SKILL}"
        left = {each for each in self._audited.paths if each.startswith(f"{skill}/") and is_markdown(each)} - {first}
        todo = [first]
        while todo:
            path = todo.pop()
            yield path
            words = {each.rstrip(".") for each in _WORD.findall(self._audited.text(path) or "")}
            ends = {posixpath.basename(each) for each in words}
            folders = {posixpath.basename(each.rstrip("/")) for each in words if each.endswith("/")}
            named = {each for each in left if _is_named(each, skill, ends, folders)}
            left -= named
            todo += sorted(named)


def _is_named(path: str, skill: str, ends: set[str], folders: set[str]) -> bool:
    folder, name = posixpath.split(path)
    stem = name.rpartition(".")[0]
    return name in ends or stem in ends or (folder != skill and posixpath.basename(folder) in folders)
