"""Compare the text sent at a start with our prediction, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from ctxtui.audit.logs import types
from ctxtui.audit.logs.codex import PROJECT_PART, USER_PART
from ctxtui.audit.logs.predict import Predicted, Prediction
from ctxtui.audit.logs.types import SentPart, Start

EQUAL: Final = "equal"
CHANGED: Final = "changed"
DIFFERENT: Final = "different"
MISSING: Final = "missing"
EXTRA: Final = "extra"
ELSEWHERE: Final = "elsewhere"
NAMED: Final = "named"
STATES: Final = {
    EQUAL: "sent as predicted, byte for byte",
    NAMED: "sent under its name; only names are compared",
    CHANGED: "another version of the file was sent",
    DIFFERENT: "sent, but not as predicted",
    MISSING: "predicted, but not sent",
    EXTRA: "sent from the project, but not predicted",
    ELSEWHERE: "sent from outside the project, which is not read",
}
"""The possible states of a piece and their meaning."""

_JOINT = "\n\n"


class Match(NamedTuple):
    """A compared text: its state, the prediction, and the sent text, None if not sent or not separable."""

    kind: str
    name: str
    state: str
    sent: str | None
    predicted: Predicted | None


def compare_start(start: Start, predicted: Iterable[Predicted], prediction: Prediction) -> Iterator[Match]:
    """Compare the texts of a start with the predicted ones. Kinds of text that the transcript lacks are left out."""
    by_kind: dict[str, list[Predicted]] = {types.INSTRUCTIONS: [], types.SKILLS: [], types.AGENTS: []}
    for each in predicted:
        by_kind[each.kind].append(each)
    for kind, expected in by_kind.items():
        sent = [part for each in start.of(kind) for part in each.parts]
        if not start.of(kind):
            continue
        if kind == types.INSTRUCTIONS:
            yield from _match_instructions(sent, expected, prediction)
        else:
            yield from _match_entries(kind, sent, expected)


def _match_instructions(
    sent: Sequence[SentPart], expected: Sequence[Predicted], prediction: Prediction
) -> Iterator[Match]:
    """Match sent files with expected files by real path. Files that Codex joins are told apart by their text."""
    joined = next((part.text for part in sent if part.name == PROJECT_PART), None)
    if joined is not None:
        users = [part for part in sent if part.name == USER_PART]
        if not users and not expected:
            # In a project without files, text without a separator is the user's.
            users, joined = [SentPart(USER_PART, joined)], ""
        yield from map(_elsewhere, users)
        yield from _match_joined(joined, expected)
        return
    absolute, real_of = prediction.absolute, prediction.workspace.real
    left = {absolute(each.name): each for each in expected}
    names = {absolute(real_of(each.name)): place for place, each in left.items()}
    # The agent read a file again if it is recorded twice before the first answer. The last text counts.
    for part in {part.name: part for part in sent}.values():
        path = prediction.project_path(part.name)
        real = part.name if path is None else absolute(real_of(path))
        known = left.pop(part.name if part.name in left else names.get(real, ""), None)
        if known is not None:
            state = EQUAL if known.text == part.text else DIFFERENT
            yield Match(types.INSTRUCTIONS, known.name, state, part.text, known)
        elif path is None:
            yield _elsewhere(part)
        else:
            yield Match(types.INSTRUCTIONS, path, EXTRA, part.text, None)
    yield from map(_missing, left.values())


def _elsewhere(part: SentPart) -> Match:
    return Match(types.INSTRUCTIONS, part.name, ELSEWHERE, part.text, None)


def _missing(expected: Predicted) -> Match:
    return Match(expected.kind, expected.name, MISSING, None, expected)


def _match_joined(text: str, expected: Sequence[Predicted]) -> Iterator[Match]:
    """Match the expected files, in order, with a text in which the agent joined files by blank lines."""
    position = 0
    waiting: list[Predicted] = []
    for each in expected:
        place = _offset_of(text, each.text, position)
        if place < 0:
            waiting.append(each)
            continue
        yield from _unmatched(text[position:place].removesuffix(_JOINT), waiting)
        yield Match(each.kind, each.name, EQUAL, each.text, each)
        waiting = []
        position = place + len(each.text)
        position += len(_JOINT) if text.startswith(_JOINT, position) else 0
    yield from _unmatched(text[position:], waiting)


def _offset_of(text: str, piece: str, position: int) -> int:
    """The offset of `piece` at or after `position`, or -1. Blank lines or an end of the text must surround it."""
    place = text.find(piece, position)
    while place >= 0:
        end = place + len(piece)
        is_begun = place == position or text.endswith(_JOINT, position, place)
        if is_begun and (end == len(text) or text.startswith(_JOINT, end)):
            return place
        place = text.find(piece, place + 1)
    return -1


def _unmatched(text: str, waiting: Sequence[Predicted]) -> Iterator[Match]:
    """Compare the text between two matched files with `waiting`, the expected files that were not found before it."""
    if not text:
        yield from map(_missing, waiting)
    elif not waiting:
        yield Match(types.INSTRUCTIONS, "(other text)", EXTRA, text, None)
    for each in waiting if text else ():
        yield Match(each.kind, each.name, DIFFERENT, text if len(waiting) == 1 else None, each)


def _match_entries(kind: str, sent: Sequence[SentPart], expected: Sequence[Predicted]) -> Iterator[Match]:
    """Match sent entries with expected entries by name. Expected entries that were not sent come last."""
    left: dict[str, list[Predicted]] = {}
    for each in expected:
        left.setdefault(each.name, []).append(each)
    for part in sent:
        # Two skills may have the same name.
        alike = left.get(part.name, [])
        known = next((each for each in alike if _is_same_entry(part.text, each)), alike[0] if alike else None)
        if known is None:
            state = ELSEWHERE
        elif kind == types.AGENTS:
            state = NAMED
        else:
            state = EQUAL if _is_same_entry(part.text, known) else DIFFERENT
        if known is not None:
            alike.remove(known)
        yield Match(kind, part.name, state, part.text, known)
    yield from (_missing(each) for alike in left.values() for each in alike)


def _is_same_entry(text: str, known: Predicted) -> bool:
    """Whether an entry equals the predicted one. The folders above the project in its absolute path may differ."""
    before, path, _ = known.text.rpartition("(file: ")
    if text == known.text or not path:
        return text == known.text
    return (
        text.startswith(f"{before}(file: ")
        and text.endswith(f"/{known.charge.path})")
        and ("\n" not in text[len(before) :])
    )
