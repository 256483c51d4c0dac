"""Lists of a folder's files, packages or skills that leave a few of them out."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from itertools import pairwise
from typing import Final, NamedTuple

from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, is_fixture, is_retired, is_sample, is_stand_in
from ctxtui.audit.types import Finding, Remedy
from ctxtui.core.text.markdown.light import headings
from ctxtui.core.text.markdown.scan import is_markdown
from ctxtui.core.text.metadata.reference import Reference

# A list is meant to have everything if it has so many names, and such a share of them.
_LEAST: Final = 4
_SHARE: Final = 0.8
_MANIFEST: Final = re.compile(
    r"(?:package\.json|composer\.json|Cargo\.toml|pyproject\.toml|pom\.xml|go\.mod|build\.gradle(?:\.kts)?"
    r"|Package\.swift|mix\.exs|[\w.-]+\.[cf]sproj)"
)
# Files and folders that nobody lists.
_UNLISTED: Final = re.compile(
    r"[._].*|(?:e2e.*|examples?|fixtures?|specs?|test-.*|.*-?tests?|vendor|.*(?:archive|config|example|generated|template).*"
    r"|.*(?:19|20)\d\d.*|.*[._-][a-z]{2}(?:-[a-z]{2})?\.mdx?|index\.mdx?)"
    r"|(?:agents|authors|changelog|changes|claude|code_of_conduct|contributing|gemini|history|license|notes|notice|plan"
    r"|readme|security|skill|todo|usage).*\.mdx?",
    re.IGNORECASE,
)
# Words over a list that is a choice.
_CHOSEN: Final = re.compile(
    r"e\.g\.|example|such as|\b(?:always|before|common|core|critical|essential|first|highlights?|important|key|main"
    r"|major|most|must|notable|optional|primary|quick|read|recommended|relevant|representative|selected|some)\b",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(r"…|\.\.\.(?!\s*\w)|\betc\b|<[\w-]+>\.|等|など", re.IGNORECASE)
_ENTRY: Final = re.compile(r"\s*(?:[-*+]\s|\d+[.)]\s|\||```|~~~|│|[├└])")
_BRANCH: Final = re.compile(r"^[^\n]*(?:[├└]|\|--|`--)[^\n]*", re.MULTILINE)
_FENCED: Final = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_MARKED: Final = re.compile(r"`[^`\n]+`|\]\([^)\n]+\)|\*\*[^*\n]+\*\*")
_NAME: Final = re.compile(r"\w[\w.-]*\w")


class Shelf(NamedTuple):
    """The things of one kind in one folder."""

    folder: str
    kind: str


_Shelves = Mapping[Shelf, Set[str]]


def short_indexes(audited: Audited) -> Iterator[Finding]:
    """Sections that name nearly all things of a folder, in texts that do not name the rest."""
    shelves = _shelves(audited)
    by_name = defaultdict[str, list[Shelf]](list)
    for shelf, names in shelves.items():
        for name in names:
            by_name[name].append(shelf)
    read = audited.always_read | audited.touched
    for reference in audited.instructions() if shelves else ():
        if not read.isdisjoint(reference.paths):
            yield from _in_text(audited, reference, shelves, by_name)


def _shelves(audited: Audited) -> _Shelves:
    found = defaultdict[Shelf, set[str]](set)
    for path in audited.paths:
        folder, name = posixpath.split(path)
        if is_markdown(path):
            found[Shelf(folder, "files")].add(name)
        if name == SKILL or _MANIFEST.fullmatch(name):
            above, package = posixpath.split(folder)
            found[Shelf(above, "skills" if name == SKILL else "packages")].add(package)
    others = (audited.is_vendored, is_fixture, is_sample, is_stand_in, is_retired)
    listed = {shelf: {name for name in names if not _UNLISTED.fullmatch(name)} for shelf, names in found.items()}
    return {
        shelf: names
        for shelf, names in listed.items()
        if shelf.folder and len(names) >= _LEAST and not any(each(f"{shelf.folder}/x") for each in others)
    }


def _in_text(
    audited: Audited, reference: Reference, shelves: _Shelves, by_name: Mapping[str, list[Shelf]]
) -> Iterator[Finding]:
    text = audited.text(reference.path) or ""
    for start, end in pairwise((*(each.start for each in headings(text)), len(text))):
        section = text[start:end]
        named = defaultdict[Shelf, set[str]](set)
        for name in _names(section):
            for shelf in by_name.get(name, ()):
                named[shelf].add(name)
        for shelf, names in named.items():
            every = shelves[shelf]
            if len(names) < max(_LEAST, _SHARE * len(every)) or not _is_about(section, shelf, reference):
                continue
            missing = _unnamed(every - names, text)
            is_of_other = any(
                names <= shelves[other] and not _unnamed(shelves[other] - names, text) for other in named
            )
            if missing and not is_of_other and not _is_chosen(section):
                yield _finding(reference.path, text.count("\n", 0, start) + 1, shelf, len(every), missing)


def _names(section: str) -> set[str]:
    """The names in code spans, links, bold text and drawn trees."""
    marked = _MARKED.findall(_FENCED.sub("", section))
    return {name for each in (*marked, *_BRANCH.findall(section)) for name in _NAME.findall(each)}


def _is_about(section: str, shelf: Shelf, reference: Reference) -> bool:
    """Whether a section names the folder, as a path or in a drawing, or is in a text of this folder."""
    names = f"{re.escape(shelf.folder)}|{re.escape(posixpath.basename(shelf.folder))}"
    is_here = posixpath.dirname(reference.path) == shelf.folder
    return is_here or re.search(rf"(?<![\w./-])(?:\./)?(?:{names})/", section) is not None


def _unnamed(names: Set[str], text: str) -> list[str]:
    stems = {name: re.escape(name.removesuffix(".md").removesuffix(".mdc")) for name in names}
    return sorted(name for name, stem in stems.items() if not re.search(rf"(?<![\w-]){stem}(?![\w-])", text))


def _is_chosen(section: str) -> bool:
    """Whether the words over a list or its end say that it is a choice."""
    above = " ".join(line for line in section.splitlines() if not _ENTRY.match(line))
    return bool(_CHOSEN.search(above) or _OPEN.search(section))


def _finding(path: str, line: int, shelf: Shelf, every: int, missing: list[str]) -> Finding:
    named, shown = f"{every - len(missing):,} of the {every:,} {shelf.kind} in {shelf.folder}/", ", ".join(missing)
    message, many = (f"names {each}{named} and leaves out {shown}" for each in ("", "in {count} places "))
    remedy = Remedy(f"name {'it' if len(missing) == 1 else 'them'} too, or say that the list is a choice")
    evidence, cause = "the text names nearly all others", f"{shelf.folder}: {shelf.kind}"
    return Finding("wrong-index", "info", message, path, line, 0, evidence, None, shown, remedy, cause, many)
