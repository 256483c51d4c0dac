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
from ctxtui.audit.text.facts import outside_code
from ctxtui.audit.types import Finding, Remedy
from ctxtui.core.text.markdown.light import headings
from ctxtui.core.text.markdown.scan import is_markdown

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
_MARKED: Final = re.compile(r"`[^`\n]+`|\]\([^)\n]{1,300}\)|\*\*[^*\n]+\*\*")
_NAME: Final = re.compile(r"\w[\w.-]*\w")


class Siblings(NamedTuple):
    """The things of one `kind` in a folder, such as packages or skills. A list may leave some of them out.

    Those in `others` need no list.
    """

    folder: str
    kind: str
    names: frozenset[str]
    others: frozenset[str]


def short_indexes(audited: Audited) -> Iterator[Finding]:
    """Sections that name nearly all things of a folder, in texts that do not name the rest."""
    by_name = defaultdict[str, list[Siblings]](list)
    for siblings in _siblings(audited):
        for name in siblings.names:
            by_name[name].append(siblings)
    read = audited.read_unasked
    for reference in audited.instructions() if by_name else ():
        text = "" if read.isdisjoint(reference.paths) else audited.text(reference.path) or ""
        for start, end in pairwise((*(each.start for each in headings(text)), len(text))):
            line = text.count("\n", 0, start) + 1
            yield from _in_section(reference.path, line, text[start:end], text, by_name)


def _siblings(audited: Audited) -> Iterator[Siblings]:
    """The files, packages and skills of each folder below the root, if it has at least four to list."""
    found = defaultdict[tuple[str, str], set[str]](set)
    for path in audited.paths:
        folder, name = posixpath.split(path)
        if is_markdown(path):
            found[folder, "files"].add(name)
        if name == SKILL or _MANIFEST.fullmatch(name):
            above, package = posixpath.split(folder)
            found[above, "skills" if name == SKILL else "packages"].add(package)
    others = (audited.is_vendored, is_fixture, is_sample, is_stand_in, is_retired)
    for (folder, kind), names in found.items():
        listed = frozenset(name for name in names if not _UNLISTED.fullmatch(name))
        if folder and len(listed) >= _LEAST and not any(each(f"{folder}/x") for each in others):
            yield Siblings(folder, kind, listed, frozenset(names - listed))


def _in_section(
    path: str, line: int, section: str, text: str, by_name: Mapping[str, list[Siblings]]
) -> Iterator[Finding]:
    """Findings about siblings of which a section names nearly all, and of which the whole `text` lacks others."""
    named, in_section = defaultdict[Siblings, set[str]](set), _names(section)
    for name in in_section:
        for siblings in by_name.get(name, ()):
            named[siblings].add(name)
    for siblings, names in named.items():
        if len(names) < max(_LEAST, _SHARE * len(siblings.names)) or not _is_about(section, siblings.folder, path):
            continue
        missing = _unnamed(siblings.names - names, text)
        is_of_other = any(names <= other.names and not _unnamed(other.names - names, text) for other in named)
        if missing and not is_of_other and not _is_chosen(section):
            yield _finding(path, line, siblings, missing, len(siblings.others & in_section))


def _names(section: str) -> set[str]:
    """The names that a section has in code spans, links, bold text and drawn trees."""
    marked = _MARKED.findall(outside_code(section))
    return {name for each in (*marked, *_BRANCH.findall(section)) for name in _NAME.findall(each)}


def _is_about(section: str, folder: str, path: str) -> bool:
    """Whether a section names `folder` as part of a path, or is in a file, at `path`, of this folder."""
    names = f"{re.escape(folder)}|{re.escape(posixpath.basename(folder))}"
    is_here = posixpath.dirname(path) == folder
    return is_here or re.search(rf"(?<![\w./-])(?:\./)?(?:{names})/", section) is not None


def _unnamed(names: Set[str], text: str) -> list[str]:
    stems = {name: re.escape(name.removesuffix(".md").removesuffix(".mdc")) for name in names}
    return sorted(name for name, stem in stems.items() if not re.search(rf"(?<![\w-]){stem}(?![\w-])", text))


def _is_chosen(section: str) -> bool:
    """Whether the words around a list, or its end, say that it shows only a choice."""
    above = " ".join(line for line in outside_code(section).splitlines() if not _ENTRY.match(line))
    return bool(_CHOSEN.search(above) or _OPEN.search(section))


def _finding(path: str, line: int, siblings: Siblings, missing: list[str], others: int) -> Finding:
    folder, kind, names, _ = siblings
    shown = ", ".join(missing)
    whole = len(names) + others
    message = f"names {whole - len(missing):,} of the {whole:,} {kind} in {folder}/ and leaves out {shown}"
    many = f"names nearly all {kind} in {folder}/ and leaves out others, such as {shown}"
    remedy = Remedy(f"name {'it' if len(missing) == 1 else 'them'} too, or say that the list is a choice")
    evidence, cause = "the text names nearly all others", f"{folder}: {kind}"
    return Finding("wrong-index", "info", message, path, line, 0, evidence, None, shown, remedy, cause, many)
