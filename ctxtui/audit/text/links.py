"""Links of a text to files, outside of code."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote

from ctxtui.audit.text.facts import outside_code, split_lines
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.light import samples
from ctxtui.core.text.markdown.links import CURSOR, find_links, rooted

# Words of templates and variables, which are not paths.
_PLACEHOLDER: Final = re.compile(
    r"^~|[{}$<>*|\\\[\]]|\.\.\.|…|\bpath/to\b|\bexample\b|\b(?:url|link|your|xxx+|nnn+)\b", re.IGNORECASE
)
# A line that shows how links are written, or quotes one.
_EXAMPLE: Final = re.compile(
    r"\bexamples?\b\W{0,4}:|\be\.g\.|\bfor example\b|\"[^\"\[]*\[[^]]*\]\([^)\"]*\)[^\"]*\"", re.IGNORECASE
)
_IMAGE: Final = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|ico|avif)$", re.IGNORECASE)


class Mention(NamedTuple):
    """A link: its target as written, and its line, from 1."""

    target: str
    line: int


def is_path(target: str) -> bool:
    """Whether a link target looks like the path of a project file that should exist."""
    file = _path_part(target)
    if not file or ":" in file or file.startswith("//") or _PLACEHOLDER.search(file) or _IMAGE.search(file):
        return False
    if "/" not in file and "." not in file:
        return False
    # An absolute folder is a place where the reader writes something.
    return not (file.startswith("/") and file.endswith("/"))


def candidate_paths(target: str, bases: Iterable[str]) -> Iterator[str]:
    """The possible paths of a target, in the order of its base folders."""
    bases = ("", *bases) if target.startswith(CURSOR) else bases
    written = _path_part(target).lstrip("/")
    names = dict.fromkeys((unquote(written), written)) if "%" in written else (written,)
    for base in dict.fromkeys(bases):
        for name in names:
            yield posixpath.normpath(posixpath.join(base, name))


def leads_somewhere(target: str, bases: Iterable[str], exists: Callable[[str], bool]) -> bool:
    """Whether a target, perhaps with `.md` added, exists below a base, or leaves the project from the first base."""
    for number, place in enumerate(candidate_paths(target, bases)):
        # Links to pages of a site leave the project on purpose.
        is_of_others = number == 0 and place.split("/")[0] == ".." and not meant_within(place, exists)
        # Most exist at the first place. Sites omit the extension.
        if is_of_others or exists(place) or exists(f"{place}.md"):
            return True
    return False


def meant_within(place: str, exists: Callable[[str], bool]) -> str:
    """A path that begins with `../`, without its steps up. Empty if it has none or nothing exists there."""
    within = place.replace("../", "") if place.startswith("../") else ""
    return within if within.strip("./") and exists(within) else ""


def mentions_of(document: Document) -> list[Mention]:
    """The links outside of code, samples, comments and examples."""
    text = document.text
    lines = split_lines(text)
    shown = split_lines(outside_code(text)) if samples(text) else lines
    links = (link for link in find_links(document) if shown[link.line - 1])
    return [Mention(link.target, link.line) for link in links if not _EXAMPLE.search(lines[link.line - 1])]


def _path_part(target: str) -> str:
    return rooted(target.removeprefix(CURSOR)).partition("#")[0].partition("?")[0]
