"""Move large sections of text that always loads into files, which one line names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ctxtui.agents.imports import mentions
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.remedies import document_of
from ctxtui.audit.rules.scope import MOST_SHARE
from ctxtui.audit.slim.change import Change
from ctxtui.audit.types import Edit, NewFile
from ctxtui.core.text.markdown.document import Document, Part

FOLDER = ".agents/docs"
"""The folder for moved sections, which no agent reads unasked."""

_KINDS = ("instructions", "rule", "steering")
# A thematic break at the end of a section separates it from the next section, and stays.
_RULE = re.compile(r"(\r\n|\r|\n)[ \t]*(?:-{3,}|\*{3,}|_{3,})\s*\Z")
_LINE = re.compile(r" {0,3}#{1,6}[^\r\n]*(\r\n|\r|\n)")
_NAMED = re.compile(r"`([\w.@-]+(?:/[\w.@-]+)*)/?`|(?<![\w/`])([\w.@-]+(?:/[\w.@-]+)+)/?(?![\w/`])")
# Text that a move would break, or that a program maintains.
_BOUND = re.compile(r"\]\((?!\w+:)|\]\[|^ {0,3}\[[^\]\n]+\]:|<!--", re.MULTILINE)
_WORDS = re.compile(r"[a-z0-9]+")
_ASIDE = re.compile(r"\([^()]*\)")
_LONGEST_NAME = 50
# A section that is nearly the whole file needs a scope instead of a move.
_MOST_OF_FILE = 0.8
# A step in a sequence, which readers follow in order.
_STEP = re.compile(r"\A\W*(?:(?:step|phase|stage)\W+)?\d+[.):]", re.IGNORECASE)
# The layout of the project and lists of files, which show what else to read.
_MAP = re.compile(
    r"\b(?:architecture|overview|structure|layout|map|where|locations?|files?|director(?:y|ies)|repository)\b",
    re.IGNORECASE,
)
# What few tasks look up, and work that is asked for by name. Reviews and changelogs are part of every change, and so
# are commands, and translations where there are screens.
_TOPIC = re.compile(
    r"\b(?:(?!(?:quick|commands?)\b)\w+ reference\W*\Z|schemas?|endpoints?|glossary|faq|troubleshooting|common issues"
    r"|debugging|benchmark(?:s|ing)|profiling|release process|releas(?:es|ing)|publishing|deploy(?:ment|ing)"
    r"|(?:add|creat|writ)(?:e|ing) (?:an? )?new \w+)\b",
    re.IGNORECASE,
)
# Prohibitions and demands apply to every session.
_DEMANDS = re.compile(
    r"\b(?:do(?:es)? not|don['’]t|never|must|always|required?|mandatory|forbidden|hallucinat\w*|important|critical)\b"
    r"|禁止|必须|必須",
    re.IGNORECASE,
)


def sections(audited: Audited) -> Iterator[Change]:
    """A draft for each large section that always loads and is about one folder or topic."""
    paths: dict[str, None] = {}
    for context in audited.real_agents:
        for charge in context.at("start"):
            if charge.row.kind in _KINDS and not charge.home and not audited.skill_of(charge.path):
                paths[audited.real(charge.path)] = None
    taken = set(audited.paths)
    for path in paths:
        if document := document_of(audited, path):
            yield from (_moved(document, *found, taken) for found in _movable(audited, document))


def _movable(audited: Audited, document: Document) -> Iterator[tuple[Part, str, str]]:
    """Sections that may move: the section, a phrase for when it is needed, and the reason why it may move."""
    text, done = document.text, 0
    for heading in (part for part in document.parts if part.level):
        piece = text[heading.start : heading.end]
        is_small = audited.count(piece) < audited.settings.scope_tokens
        if heading.start < done or is_small or len(piece) > _MOST_OF_FILE * len(text):
            continue
        if any(each.search(heading.name) for each in (_STEP, _DEMANDS, _MAP)):
            # So are the sections inside.
            done = heading.end
        elif not _LINE.match(piece) or _BOUND.search(piece) or mentions(piece):
            continue
        elif found := _about(audited, document, heading):
            done = heading.end
            yield heading, *found


def _about(audited: Audited, document: Document, heading: Part) -> tuple[str, str] | None:
    """When a section is needed and why it may move, in words. None if it should stay in the file."""
    for match in _NAMED.finditer(document.text[heading.start : heading.end].partition("\n")[0]):
        folder = match[1] or match[2]
        inside = sum(path.startswith(f"{folder}/") for path in audited.paths)
        if 0 < inside < MOST_SHARE * len(audited.paths):
            return f"Before you work in `{folder}/`", "its heading names that folder"
    topic = _TOPIC.search(heading.name)
    if topic and topic[0].lower().rstrip("s") not in posixpath.basename(document.path).lower():
        return "When this comes up", f"its heading names “{topic[0]}”, which few tasks need"
    return None


def _moved(document: Document, heading: Part, when: str, why: str, taken: set[str]) -> Change:
    text = document.text
    piece = text[heading.start : heading.end]
    if parted := _RULE.search(piece):
        piece = piece[: parted.end(1)]
    last = heading.start + len(piece)
    first = _LINE.match(piece)
    assert first is not None
    path = _free(heading.name, taken)
    end, rest = first[1], first[1] if last < len(text) else ""
    line = f"{end}{when}, read `{path}`.{end}{rest}"
    steps = (
        NewFile(path, piece),
        Edit(document.path, heading.start + first.end(), last, line, document.digest),
    )
    title = f"Move “{heading.name}” of {document.path} to {path}"
    lost = f"An agent that does not follow the line left in its place works without this text; {why}."
    return Change("move", document.path, title, steps, lost)


def _free(name: str, taken: set[str]) -> str:
    words = _WORDS.findall(_ASIDE.sub("", name).lower()) or _WORDS.findall(name.lower()) or ["section"]
    stem = "-".join(words)[:_LONGEST_NAME].strip("-")
    path, number = f"{FOLDER}/{stem}.md", 2
    while path in taken:
        path, number = f"{FOLDER}/{stem}-{number}.md", number + 1
    taken.add(path)
    return path
