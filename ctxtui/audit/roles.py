"""The role of a file by its path: prose for the model, translation, vendored copy, edition of a skill."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterator
from itertools import takewhile
from typing import Final

from ctxtui.core.text.markdown.scan import is_markdown

SKILL: Final = "SKILL.md"

# Folders with files that a skill runs or copies, and no model reads as instructions.
_MATERIAL: Final = frozenset(
    "assets scripts script templates template evals eval tests test fixtures examples workspace".split()
)
_OF_TESTS: Final = frozenset("test tests __tests__ testing fixture fixtures __fixtures__ testdata stubs".split())
# Those of them in which an AGENTS.md is not for who works there.
_STAND_INS: Final = frozenset(
    "assets template templates fixture fixtures __fixtures__ testdata stubs evals eval".split()
)
_PATTERN: Final = re.compile(r"(?:^|[-_. ])(?:templates?|examples?|samples?|skeletons?|fixtures?)(?=[-_. ]|$)")
_FOR_PEOPLE: Final = re.compile(
    r"(?:readme|changelog|changes|contributing|license|licence|copying|notice|authors|history|security|code_of_conduct)"
    r"(?:[-_.].*)?"
)
_VENDORED: Final = frozenset(
    "vendor vendored third_party third-party thirdparty node_modules external externals extern site-packages "
    "submodules subprojects bower_components".split()
)
# `zh-CN`, `pt_BR`, `zh-Hans` anywhere; `ja` only in folders for translations.
_TAGGED: Final = re.compile(r"[a-z]{2,3}[-_](?:[A-Z]{2}|[A-Z][a-z]{3})(?:[-_][A-Z]{2})?")
_BARE: Final = re.compile(r"[a-z]{2}")
_OF_TRANSLATIONS: Final = frozenset("docs doc i18n l10n locale locales lang langs languages translations".split())
_IN_NAME: Final = re.compile(r"[._-]([a-z]{2}[-_][A-Z]{2}|zh|ja|ko|de|fr|es|pt|ru|it|tr|pl|vi|id|hi|ar)\.(?:md|mdx)$")


def folders_above(path: str) -> Iterator[str]:
    """The folders above a path, the nearest first, without the root."""
    # Not `dirname`, which takes longer, and for which the folder above `/` is `/`.
    while path := path.rpartition("/")[0]:
        yield path


def skill_folder(path: str, known: Container[str]) -> str | None:
    """The folder of the skill that a file belongs to; None if it belongs to none."""
    return next((folder for folder in folders_above(path) if f"{folder}/{SKILL}" in known), None)


def is_prose(path: str, skill: str | None) -> bool:
    """Whether a file is Markdown that a model reads as instructions; `skill` is the folder of its skill.

    Files that a skill runs, copies or fills in do not count, nor do files written for people.
    """
    if not is_markdown(path):
        return False
    if skill is None or posixpath.basename(path) == SKILL:
        return True
    *folders, name = path[len(skill) + 1 :].lower().split("/")
    is_pattern = _PATTERN.search(name.rpartition(".")[0])
    return not (_MATERIAL.intersection(folders) or is_pattern or is_for_people(path))


def is_for_people(path: str) -> bool:
    """Whether the name of a file says that it was written for people, such as a README or a license."""
    return _FOR_PEOPLE.fullmatch(posixpath.basename(path).lower().rpartition(".")[0]) is not None


def is_readme(path: str) -> bool:
    """Whether a file is a README, in any spelling, which is for people."""
    return posixpath.basename(path).lower().partition(".")[0] == "readme"


def agent_folder(path: str) -> str:
    """The innermost hidden folder of a path, such as `.cursor`, which shows its agent; empty if there is none."""
    return next((folder for folder in reversed(path.split("/")[:-1]) if folder.startswith(".")), "")


def is_sample(path: str) -> bool:
    """Whether a file is in a folder of templates, examples or tests."""
    return not _MATERIAL.isdisjoint(path.lower().split("/")[:-1])


def is_stand_in(path: str) -> bool:
    """Whether a file is in a folder of fixtures or templates, which are not instructions for this project."""
    return not _STAND_INS.isdisjoint(path.lower().split("/")[:-1])


def is_fixture(path: str) -> bool:
    """Whether a file is in a folder for tests that is not itself within an agent's folder or a skill."""
    *folders, _ = path.lower().split("/")
    outer = takewhile(lambda folder: not folder.startswith("."), folders)
    return not _OF_TESTS.isdisjoint(outer)


def is_vendored(path: str) -> bool:
    """Whether a file is in a folder for vendored files, which this project does not edit."""
    return not _VENDORED.isdisjoint(path.lower().split("/")[:-1])


def language_of(path: str) -> str:
    """The language tag of a translation, from a folder or the name of the file; empty for an original."""
    folders = path.split("/")[:-1]
    for place, folder in enumerate(folders):
        if _TAGGED.fullmatch(folder):
            return folder
        if place and _BARE.fullmatch(folder) and folders[place - 1].lower() in _OF_TRANSLATIONS:
            return folder
    found = _IN_NAME.search(posixpath.basename(path))
    return found[1] if found else ""
