"""The loading protocol: `loading_protocol.md` as steps, budget and priorities."""

from __future__ import annotations

import re

from ctxtui.catalog.metadata import damage_clause
from ctxtui.catalog.tables import plain_cell
from ctxtui.catalog.types import LoadingProtocol, ProtocolStep
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.text.markdown.document import Document, Part

_STEP = re.compile(r"step\s+(\d{1,3})\s*[:.)–—-]?\s*(.*)", re.IGNORECASE)
_ACTION = re.compile(r"^(?:\*\*|__)Action(?:\*\*|__)?:(?:\*\*|__)?[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
_BULLET = re.compile(r" {0,3}[-*+][ \t]+(\S.*)")
_NUMBERED = re.compile(r" {0,3}\d{1,2}[.)][ \t]+(\S.*)")
_RANGE = re.compile(r"\b\d{1,4}\s*(?:-|–|—|to)\s*(\d{1,4})\s+(?:[\w-]+\s+){0,2}files?\b", re.IGNORECASE)
_MOST = re.compile(r"(?:at most|up to|max\w*)[:\s]+(?:of\s+)?(\d{1,4})\s+(?:[\w-]+\s+){0,2}files?\b", re.IGNORECASE)
PRIORITIES = (
    "Always-load files (mandatory)",
    "Primary framework patterns (high priority)",
    "Detected library patterns (medium priority)",
    "Cross-cutting concerns (load if directly relevant)",
)
STEPS = (
    ProtocolStep(1, "Read Domain Index", "Read the index of the primary domain.", ()),
    ProtocolStep(2, "Load Always Files", "Load the files that every task in the domain needs.", ()),
    ProtocolStep(3, "Detect Project Type", "Identify framework, libraries, architecture and tests.", ()),
    ProtocolStep(4, "Load Conditional Context", "Load what the detection recommends, within the budget.", ()),
    ProtocolStep(5, "Check Cross-Domain", "Load what triggers ask for from other domains.", ()),
)


def read_protocol(document: Document | None, max_files: int, on_notice: OnNotice) -> LoadingProtocol:
    """The catalog's loading protocol (catalog specification 3), completed by the standard one and `max_files`."""
    if document is None:
        message = "there is no loading protocol; the standard one is used"
        on_notice(Notice("no-loading-protocol", message, "loading_protocol.md"))
        return LoadingProtocol(STEPS, max_files, PRIORITIES)
    steps = tuple(_steps(document))
    if not steps:
        message = f"no steps were found{damage_clause(document)}; those of the standard protocol are used"
        on_notice(Notice("no-protocol-steps", message, document.path))
    # The upper bound of a range such as `4-6 context files`.
    most = _RANGE.search(document.body) or _MOST.search(document.body)
    budget = int(most[1]) if most else 0
    return LoadingProtocol(steps or STEPS, budget or max_files, _priorities(document) or PRIORITIES)


def _steps(document: Document) -> list[ProtocolStep]:
    """The steps of headings such as `Step 2: Title`, by number. The first heading of a number counts."""
    found: dict[int, ProtocolStep] = {}
    for part in document.parts:
        match = _STEP.fullmatch(part.name) if part.level else None
        if match:
            number = int(match[1])
            found.setdefault(number, _step(number, match[2] or part.name, _prose(document, part)))
    return [found[number] for number in sorted(found)]


def _step(number: int, title: str, text: str) -> ProtocolStep:
    action = _ACTION.search(text)
    lines = text.splitlines()
    first = next((line.strip() for line in lines if line.strip() and not _BULLET.fullmatch(line)), "")
    actions = tuple(plain_cell(match[1]) for line in lines if (match := _BULLET.fullmatch(line.rstrip())))
    return ProtocolStep(number, title, plain_cell(action[1] if action else first), actions)


def _prose(document: Document, part: Part) -> str:
    scan, base = document.scan, document.body_start
    first, last = scan.lines.at(part.start - base) + 1, scan.lines.at(max(part.own_end - base - 1, 0)) + 1
    body = document.body
    kept = (line for line in range(first, last) if line not in scan.code)
    return "".join(body[scan.lines.start(line) : scan.lines.start(line + 1)] for line in kept)


def _priorities(document: Document) -> tuple[str, ...]:
    """The numbered list of the step that loads by detection, or of the first section about priorities."""
    sections = [part for part in document.parts if part.level]
    fourth = [part for part in sections if (match := _STEP.fullmatch(part.name)) and match[1] == "4"]
    for part in (*fourth, *(part for part in sections if "priorit" in part.name.lower())):
        lines = _prose(document, part).splitlines()
        found = tuple(plain_cell(match[1]) for line in lines if (match := _NUMBERED.fullmatch(line.rstrip())))
        if found:
            return found
    return ()
