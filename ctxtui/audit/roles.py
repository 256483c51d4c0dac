"""The role of a file, judged by its path: prose, translation, vendored copy, or part of an installed skill."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Final

from ctxtui.agents.project.configuration import parse_data
from ctxtui.core.text.markdown.scan import is_markdown

SKILL: Final = "SKILL.md"

# Folders of files that a skill runs or copies, which models do not read as instructions.
_MATERIAL: Final = frozenset(
    "assets scripts script templates template evals eval tests test fixtures examples workspace golden".split()
)
_OF_TESTS: Final = frozenset(
    "test tests __tests__ testing fixture fixtures __fixtures__ golden goldens testdata stubs".split()
)
# The material folders in which an AGENTS.md is not for agents of this project.
_STAND_INS: Final = frozenset(
    "assets cases mocks template templates fixture fixtures __fixtures__ golden goldens testdata stubs evals"
    " eval".split()
)
_RETIRED: Final = re.compile(r"[._-]*(?:archived?|backups?|deprecated|legacy|old|retired)[._-]*")
_RECORDS: Final = frozenset(
    "adr adrs archive archived backlog changelog changelogs changes decision decisions history journal log logs"
    " migration migrations notes plan plans planning postmortem postmortems prd proposal proposals release releases"
    " requirement requirements rfc rfcs roadmap spec specs tasks todo".split()
)
_PATTERN: Final = re.compile(r"(?:^|[-_. ])(?:templates?|examples?|samples?|skeletons?|fixtures?)(?=[-_. ]|$)")
_ABOUT: Final = re.compile(r"_|(?:readme|changelog|contributing|licen[sc]e)\b|(?:index|overview|summary|toc)$")
_FOR_PEOPLE: Final = re.compile(
    r"(?:readme|changelog|changes|contributing|license|licence|copying|notice|authors|history|security|code_of_conduct)"
    r"(?:[-_.].*)?"
)
_VENDORED: Final = frozenset(
    "vendor vendored third_party third-party thirdparty node_modules external externals extern site-packages "
    "submodules subprojects bower_components".split()
)
# Tags such as `zh-CN`, `pt_BR`, `zh-Hans` count anywhere, `ja` only in translation folders.
_TAGGED: Final = re.compile(r"[a-z]{2,3}[-_](?:[A-Z]{2}|[A-Z][a-z]{3})(?:[-_][A-Z]{2})?")
_BARE: Final = re.compile(r"[a-z]{2}")
_OF_TRANSLATIONS: Final = frozenset("docs doc i18n l10n locale locales lang langs languages translations".split())
_IN_NAME: Final = re.compile(r"[._-]([a-z]{2}[-_][A-Z]{2}|zh|ja|ko|de|fr|es|pt|ru|it|tr|pl|vi|id|hi|ar)\.(?:md|mdx)$")


def folders_above(path: str) -> Iterator[str]:
    """The folders above a path, nearest first, without the root."""
    # `dirname` is slower, and the parent of `/` would be `/` forever.
    while path := path.rpartition("/")[0]:
        yield path


def skill_folder(path: str, known: Container[str]) -> str | None:
    """The folder of the skill that contains a file, or None. `known` has all paths of the project."""
    return next((folder for folder in folders_above(path) if f"{folder}/{SKILL}" in known), None)


def is_prose(path: str, skill: str | None) -> bool:
    """Whether a file is Markdown that a model reads as instructions. `skill` is the folder of its skill, if any.

    Files that a skill runs, copies or fills in are not prose, and neither are its files for people.
    """
    if not is_markdown(path):
        return False
    if skill is None or posixpath.basename(path) == SKILL:
        return True
    *folders, name = path[len(skill) + 1 :].lower().split("/")
    is_pattern = _PATTERN.search(name.rpartition(".")[0])
    return not (_MATERIAL.intersection(folders) or is_pattern or is_for_people(path))


def is_index_or_readme(path: str) -> bool:
    """Whether the name of a file beside agents or rules marks an index, a pattern to copy, or text for people."""
    name = posixpath.basename(path).lower().rpartition(".")[0]
    return bool(_ABOUT.match(name) or _PATTERN.search(name))


def is_for_people(path: str) -> bool:
    """Whether the file name marks text for people, such as a README or a license."""
    return _FOR_PEOPLE.fullmatch(posixpath.basename(path).lower().rpartition(".")[0]) is not None


def is_record(path: str) -> bool:
    """Whether a word in a path marks a record of the past or a plan, such as a changelog or a decision."""
    return not _RECORDS.isdisjoint(re.split(r"[\W_]", path.lower()))


def is_readme(path: str) -> bool:
    return posixpath.basename(path).lower().partition(".")[0] == "readme"


def agent_folder(path: str) -> str:
    """The innermost hidden folder of a path, such as `.cursor`, empty if there is none."""
    return next((folder for folder in reversed(path.split("/")[:-1]) if folder.startswith(".")), "")


def is_sample(path: str) -> bool:
    """Whether a file is in a folder of examples, templates, scripts, assets or tests."""
    return not _MATERIAL.isdisjoint(path.lower().split("/")[:-1])


def is_stand_in(path: str) -> bool:
    """Whether a file is in a folder of fixtures or templates, not instructions for this project."""
    return not _STAND_INS.isdisjoint(re.split("[/.]", path.lower().rpartition("/")[0]))


def is_retired(path: str) -> bool:
    """Whether a file is in a folder of things that are kept but no longer used."""
    return any(map(_RETIRED.fullmatch, path.lower().split("/")[:-1]))


def is_fixture(path: str) -> bool:
    """Whether a file is in a test folder outside of agent folders and skills."""
    *folders, _ = path.lower().split("/")
    outer = takewhile(lambda folder: not folder.startswith("."), folders)
    return not _OF_TESTS.isdisjoint(outer)


def is_vendored(path: str) -> bool:
    return not _VENDORED.isdisjoint(path.lower().split("/")[:-1])


def language_of(path: str) -> str:
    """The language tag of a translation, from a folder or the file name, empty for an original."""
    folders = path.split("/")[:-1]
    for place, folder in enumerate(folders):
        if _TAGGED.fullmatch(folder):
            return folder
        if place and _BARE.fullmatch(folder) and folders[place - 1].lower() in _OF_TRANSLATIONS:
            return folder
    found = _IN_NAME.search(posixpath.basename(path))
    return found[1] if found else ""


LOCKS = frozenset({"skills-lock.json", "skill-lock.json", ".skills-lock.json", ".skill-lock.json"})
"""Lock files have a table `skills`: the skills installed below their folder, by name."""


def locked_skills(paths: Iterable[str], read: Callable[[str], str | None]) -> frozenset[tuple[str, str]]:
    """The skills that lock files install from elsewhere, as pairs: lock file's folder, skill's folder name."""
    found = set[tuple[str, str]]()
    for path in (path for path in paths if posixpath.basename(path) in LOCKS):
        skills = parse_data(path, read(path) or "").get("skills")
        for name, entry in skills.items() if isinstance(skills, Mapping) else ():
            # A skill from a local folder is probably the project's own.
            if not (isinstance(entry, Mapping) and entry.get("sourceType") == "local"):
                found.add((posixpath.dirname(path), str(name)))
    return frozenset(found)


def is_locked(skill: str, locked: frozenset[tuple[str, str]]) -> bool:
    """Whether a lock file beside or above a skill folder names it. `locked` is the result of `locked_skills`."""
    if not locked:
        return False
    name = posixpath.basename(skill)
    return any((folder, name) in locked for folder in ("", *folders_above(skill)))
