"""Drafts of changes: imports in place of copies, scopes for rules, and files for large sections."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from ctxtui.agents.project.frontmatter import globs_of
from ctxtui.agents.project.imports import mentions
from ctxtui.agents.types import AT_START, MOMENTS, Row
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.loading.globs import match_files
from ctxtui.audit.rules.loading.shadowed import differing_pairs
from ctxtui.audit.rules.remedies import document_of, set_keys
from ctxtui.audit.slim.change import Change, Loaded
from ctxtui.audit.types import Edit, Finding, NewFile
from ctxtui.core.text.markdown.document import Document, Part

FOLDER = ".agents/docs"
"""The folder for moved sections, which no agent reads unasked."""

_KINDS = ("instructions", "rule", "steering")
# A thematic break at the end of a section separates it from the next section, and stays.
_BREAK = re.compile(r"(\r\n|\r|\n)[ \t]*(?:-{3,}|\*{3,}|_{3,})\s*\Z")
_HEADING_LINE = re.compile(r" {0,3}#{1,6}[^\r\n]*(\r\n|\r|\n)")
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
    r"|(?:add|creat|writ)(?:e|ing) (?:an? )?new (?!code|features?|functionality|tests?)\w+)\b",
    re.IGNORECASE,
)
# Prohibitions and demands apply to every session, and so does a section that raises its voice.
_LOUD = re.compile(
    r"\b(?:ALWAYS|NEVER|MUST NOT|DO NOT|DON['’]T|MANDATORY|FORBIDDEN|CRITICAL|NO EXCEPTIONS)\b|禁止|必须|必須"
)
_DEMANDS = re.compile(
    r"\b(?:do(?:es)? not|don['’]t|never|must|always|required?|mandatory|forbidden|hallucinat\w*|important|critical)\b"
    r"|禁止|必须|必須",
    re.IGNORECASE,
)
# Plain text for YAML and for lenient readers in agents.
_PLAIN = re.compile(r"[A-Za-z0-9_./][\w./*-]*")
_IN_FOLDER = re.compile(r"[\w.-]+/")
_START = MOMENTS.index(AT_START[-1])
_TOUCH = MOMENTS.index("touch")
_KEYS = ("globs", "paths", "applyTo", "fileMatchPattern")


def twin_drafts(audited: Audited) -> Iterator[Change]:
    """Drafts that turn a CLAUDE.md into an import of the AGENTS.md beside it, whose text it repeats.

    Other copies stay. People mirror the text of one agent for another, or make one file from several, on purpose.
    """
    repeats = (repeat for context in audited.real_agents for repeat in context.repeats)
    paths = dict.fromkeys(audited.real(path) for repeat in repeats for path in repeat.paths)
    for path in paths:
        kept = posixpath.join(posixpath.dirname(path), "AGENTS.md")
        if posixpath.basename(path) == "CLAUDE.md" and kept in paths:
            yield from _import(audited, path, kept)


def _import(audited: Audited, path: str, kept: str) -> Iterator[Change]:
    """The draft that makes the file at `path` an import, if it has the text of the file at `kept`."""
    copy, original = document_of(audited, path), document_of(audited, kept)
    if copy and original and copy.text.strip() == original.text.strip():
        end = next((end for end in ("\r\n", "\n") if copy.text.endswith(end)), "")
        steps = (Edit(copy.path, 0, len(copy.text), f"@AGENTS.md{end}", copy.digest),)
        lost = f"Nothing here; an agent that reads only {path} and follows no imports would see one line."
        is_safe = partial(_is_kept_for_all, path=path, kept=kept)
        yield Change("twin", path, f"Make {path} an import of {kept}", steps, lost, is_safe)


def _is_kept_for_all(before: Loaded, after: Loaded, path: str, kept: str) -> bool:
    """Whether every agent that read the file at `path` reads the one at `kept` after the change, and no later."""
    moments = [(agent, moment) for (agent, each), moment in before.items() if each == path]
    return all(after.get((agent, kept), len(MOMENTS)) <= moment for agent, moment in moments)


def section_drafts(audited: Audited) -> Iterator[Change]:
    """A draft for each large section that always loads and is about one topic.

    Files with twins stay whole, because the two would drift apart.
    """
    paths: dict[str, None] = {}
    for _, charge in audited.real_charges("start"):
        if charge.row.kind in _KINDS and not charge.home and not audited.skill_of(charge.path):
            paths[audited.real(charge.path)] = None
    documents = [document for path in paths if (document := document_of(audited, path))]
    near, same = frozenset().union(*differing_pairs(audited)), Counter(each.text for each in documents)
    used_paths = set(audited.paths)
    for document in documents:
        if document.path not in near and same[document.text] == 1:
            drafts = (_move_draft(document, *found, used_paths) for found in _movable(audited, document))
            # Nobody else would get a file that git ignores.
            yield from (each for each in drafts if not audited.is_made_later(each.steps[0].path))


def _movable(audited: Audited, document: Document) -> Iterator[tuple[Part, str]]:
    """Sections that may move, each with the topic for which few tasks need it."""
    text, done = document.text, 0
    for heading in (part for part in document.parts if part.level):
        piece = text[heading.start : heading.end]
        is_small = audited.count(piece) < audited.settings.scope_tokens
        if heading.start < done or is_small or len(piece) > _MOST_OF_FILE * len(text):
            continue
        if any(each.search(heading.name) for each in (_STEP, _DEMANDS, _MAP)):
            # So are the sections inside.
            done = heading.end
            continue
        if not _HEADING_LINE.match(piece) or any(each.search(piece) for each in (_BOUND, _LOUD)) or mentions(piece):
            continue
        topic = _TOPIC.search(heading.name)
        if topic and topic[0].lower().rstrip("s") not in posixpath.basename(document.path).lower():
            done = heading.end
            yield heading, topic[0]


def _move_draft(document: Document, heading: Part, topic: str, used_paths: set[str]) -> Change:
    text = document.text
    piece = text[heading.start : heading.end]
    if parted := _BREAK.search(piece):
        piece = piece[: parted.end(1)]
    last = heading.start + len(piece)
    first = _HEADING_LINE.match(piece)
    assert first is not None
    path = _claim_path(heading.name, used_paths)
    end, rest = first[1], first[1] if last < len(text) else ""
    line = f"{end}When this comes up, read `{path}`.{end}{rest}"
    steps = (
        NewFile(path, piece),
        Edit(document.path, heading.start + first.end(), last, line, document.digest),
    )
    title = f"Move “{heading.name}” of {document.path} to {path}"
    lost = "An agent that does not follow the line left in its place works without this text; "
    lost += f"its heading names “{topic}”, which few tasks need."
    return Change("move", document.path, title, steps, lost)


def _claim_path(name: str, used_paths: set[str]) -> str:
    """A new path for a section of this name, which it adds to `used_paths`."""
    words = _WORDS.findall(_ASIDE.sub("", name).lower()) or _WORDS.findall(name.lower()) or ["section"]
    stem = "-".join(words)[:_LONGEST_NAME].strip("-")
    path, number = f"{FOLDER}/{stem}.md", 2
    while path in used_paths:
        path, number = f"{FOLDER}/{stem}-{number}.md", number + 1
    used_paths.add(path)
    return path


def _yaml_scalar(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def scope_drafts(audited: Audited, findings: Iterable[Finding]) -> Iterator[Change]:
    """A draft for each rule that could have a scope, or whose globs are ignored."""
    for finding in findings:
        if finding.rule == "could-be-scoped" and finding.path:
            yield from _scope(audited, finding.path, (finding.subject,), f"`{finding.subject}`")
        elif finding.rule == "globs-ignored" and finding.path:
            yield from _scope(audited, finding.path, _globs_of_rule(audited, finding.path), "the files that it names")


def _globs_of_rule(audited: Audited, path: str) -> tuple[str, ...]:
    """The globs of a rule under any agent's key. Empty if it sets `alwaysApply: true` and one has no folder."""
    metas = [audited.files.meta(path, row) or {} for row in _rows(audited, path)]
    globs = next((globs for meta in metas for key in _KEYS if (globs := globs_of(meta.get(key, ())))), ())
    is_always = any(meta.get("alwaysApply") == "true" for meta in metas)
    return () if is_always and not all(_IN_FOLDER.match(glob) for glob in globs) else globs


def _rows(audited: Audited, path: str) -> Iterator[Row]:
    """The rows with globs by which agents always load a file."""
    for _, charge in audited.real_charges(*AT_START):
        if charge.path == path and charge.row.globs and not charge.imported_by:
            yield charge.row


def _scope(audited: Audited, path: str, globs: tuple[str, ...], where: str) -> Iterator[Change]:
    """The draft that loads a file only for `globs`, called `where`. None if no file matches or no row can do it."""
    document = document_of(audited, path)
    values: dict[str, str | tuple[str, ...]] = {}
    # A rule for files that do not exist would never load.
    for row in _rows(audited, path) if match_files(audited, globs) else ():
        values |= _values(audited, path, row, globs)
    steps = set_keys(document, values) if document and values else None
    if steps and document:
        lost = f"Sessions that touch no file of {', '.join(f'`{glob}`' for glob in globs)} no longer see it."
        is_safe = partial(_is_honored, real=audited.real(path))
        yield Change("scope", document.path, f"Load {document.path} only for {where}", steps, lost, is_safe)


def _is_honored(before: Loaded, after: Loaded, real: str) -> bool:
    """Whether agents that always loaded the file at `real` still load it, and at least one now only for its scope."""
    readers = [key for key, moment in before.items() if key[1] == real and moment <= _START]
    moments = [after.get(key, len(MOMENTS)) for key in readers]
    return all(moment <= _TOUCH for moment in moments) and _TOUCH in moments


def _values(audited: Audited, path: str, row: Row, globs: tuple[str, ...]) -> dict[str, str | tuple[str, ...]]:
    """Frontmatter values by which a row loads a file only for `globs`, by key. Empty if the row has no such way."""
    meta = audited.files.meta(path, row) or {}
    values: dict[str, str | tuple[str, ...]] = {}
    for test, moment in row.load:
        parts = [part.partition("=") for part in test.split(" & ") if part]
        # Copilot CLI lists a rule with a pattern, and asks the model to read it for such files.
        if moment == "touch" or (moment == "listed" and any(key in row.globs for key, _, _ in parts)):
            key = next((key for key, _, _ in parts if key in row.globs), row.globs[0])
            as_list = key == "paths" or any(part == (key, "=", "[*]") for part in parts)
            values |= {name: wanted for name, sign, wanted in parts if sign and name != key}
            is_there = globs_of(meta.get(key, ())) == globs and isinstance(meta.get(key), tuple) >= as_list
            return values if is_there else values | {key: globs if as_list else _yaml_scalar(",".join(globs))}
        # An earlier case must not apply, so `true` becomes `false`.
        values |= {name: "false" for name, _, wanted in parts if wanted == "true" and meta.get(name) == "true"}
    return {}
