"""The Detect screen: the five loading steps of a catalog's domain for this project, with reasons and picks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partialmethod

from textual import work
from textual.app import ComposeResult

from ctxtui.catalog.types import DetectionResult
from ctxtui.core.base.wording import plural
from ctxtui.tui import shown
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.screens.dialogs import Ask
from ctxtui.tui.screens.list_screen import PickScreen
from ctxtui.tui.widgets.fold_rows import FoldRows, Row, heading, remark
from ctxtui.workspace.detect import Detected, Detector

_MOST_FILES = 40


def step_rows(detected: Detected) -> Iterator[Row]:
    """The steps, what is detected in the third, and the files of each with their reasons."""
    result = detected.result
    loaded = {file.id: file for file in result.files}
    left = {(each.id, each.step): each for each in result.left_out}
    for step in result.steps:
        title = f"{step.number}. {step.title}"
        within = (title,)
        yield heading(f"{title}: {shown.line(step.reason)}", group=title, words="")
        if step.number == 3:
            yield from (remark(text, within=within) for text in explained(result.detection))
        for id_ in step.loaded:
            tokens, target = f" {loaded[id_].file.estimated_tokens:>7,} ", detected.targets.get(id_)
            yield _file("+", target or id_, "", loaded[id_].reason, within, tokens, target)
        for id_ in step.left_out:
            reason, target = left[id_, step.number].reason, detected.targets.get(id_)
            yield _file("-", target or id_, "dim" if target else "warn", reason, within, "", target)


def _file(
    sign: str, name: str, style: str, reason: str, within: tuple[str, ...], tokens: str, target: str | None
) -> Row:
    more, ids = ((shown.line(reason), "dim"),), (target,) if target else ()
    left = ((f"   {sign} ", style),)
    key = f"{within[0]} {name}"
    return Row(left, ((tokens, ""),), name=(shown.line(name), style), more=more, within=within, ids=ids, key=key)


def explained(detection: DetectionResult) -> Iterator[str]:
    """The evidence for each detected value, one line each."""
    signals: dict[tuple[str, str], dict[str, None]] = {}
    for match in detection.explanation:
        signals.setdefault((match.kind, match.row), {})[" ".join(match.signal.split())] = None
    for (kind, row), found in signals.items():
        yield f"{kind} {row}: {'; '.join(found)}"


class Detect(PickScreen[Row]):
    """The loading steps of a domain. Returns the id of a document to go to."""

    BINDINGS = bindings("detect")
    NAME = "detect"

    def __init__(self, desk: Desk, detector: Detector) -> None:
        super().__init__(desk)
        self._detector = detector
        self._place = 0
        self._max_files = 6
        self._triggers: tuple[str, ...] | None = None
        self._is_walked = False
        self.detected: Detected | None = None

    def body(self) -> ComposeResult:
        yield FoldRows(self.mark_cell, id="rows")

    def on_mount(self) -> None:
        self.walk()

    @work(exclusive=True, group="detect")
    async def walk(self) -> None:
        """Run the steps in a thread and show them. The cursor stays, or starts on the first file."""
        self.tell_row()
        self.detected = await asyncio.to_thread(self._detect)
        rows = list(step_rows(self.detected)) if self.detected else []
        first = next((place for place, row in enumerate(rows) if row.ids), 0)
        is_first, self._is_walked = not self._is_walked, True
        self.show(rows, first if is_first else None)

    def _detect(self) -> Detected | None:
        domains = self._detector.domains
        if not domains:
            return None
        return self._detector.detect(domains[self._place % len(domains)], self._triggers, self._max_files)

    @property
    def heading(self) -> str:
        if self.detected is None:
            return "Detect"
        domain, known = self.detected.domain, len(self._detector.domains)
        where = f" in {domain.catalog}" if domain.catalog else ""
        return f"Detect   {domain.name}{where} ({self._place % known + 1} of {known})"

    @property
    def count(self) -> str:
        if self.detected is None or self.typed:
            return super().count
        result = self.detected.result
        count, most = len(result.files), result.max_files
        bar = "■" * min(count, most) + "□" * max(0, most - count) + "+" * max(0, count - most)
        over = f", {count - most} beyond the budget" if count > most else ""
        return f"{bar} {count} of {plural(most, 'file')}{over}, {plural(result.tokens, 'token')}"

    def destination(self, item: Row) -> str | None:
        return next(iter(item.ids), None)

    def detail(self, item: Row) -> str:
        if self.detected is None:
            return ""
        asked = ", ".join(self.detected.triggers) or "none"
        notices = "".join(f"\n{notice.message}" for notice in self.detected.notices[:3])
        about = f"{item.ids[0]}: {item.more[0][0]}" if item.ids else item.text.strip()
        return f"{about}\ntriggers: {asked}{notices}"

    def nothing(self) -> str:
        if not self._is_walked:
            return "scanning the project …"
        return super().nothing() if self.detected else "no domain catalog in this project"

    action_detect = PickScreen.action_close

    def step_tab(self, step: int) -> None:
        self._place += step
        self.walk()

    def _step_files(self, step: int) -> None:
        self._max_files = max(1, min(_MOST_FILES, self._max_files + step))
        self.walk()

    action_more_files = partialmethod(_step_files, 1)
    action_fewer_files = partialmethod(_step_files, -1)

    @work(exclusive=True, group="dialog")
    async def action_triggers(self) -> None:
        asked = ", ".join(self.detected.triggers) if self.detected else ""
        hint = "separated by commas, such as auth_code, sql_queries; empty for none"
        answer = await self.app.push_screen_wait(Ask("Cross-domain triggers", hint, asked))
        if answer is not None:
            self._triggers = tuple(part.strip() for part in answer.split(",") if part.strip())
            self.walk()

    def action_pick_shown(self) -> None:
        if self.detected is None or not self.detected.picks:
            return
        picks = self.detected.picks
        self.desk.attempt(lambda session: session.mark_rows(picks, True))
        self.rows.refresh()
        self.notify(f"picked {plural(len(picks), 'file')}; {key_for(self, 'undo')} drops them again")
