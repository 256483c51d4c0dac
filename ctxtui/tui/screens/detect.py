"""Detect: the five loading steps of a catalog's domain for this project, with reasons, ready to be picked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ctxtui.catalog.types import DetectionResult
from ctxtui.core.wording import plural
from ctxtui.tui import shown
from ctxtui.tui.bindings import bindings
from ctxtui.tui.keymap import key_for
from ctxtui.tui.screens.dialogs import Ask
from ctxtui.tui.screens.live import LiveScreen
from ctxtui.tui.screens.overlay import Overlay
from ctxtui.tui.widgets.key_bar import KeyBar
from ctxtui.tui.widgets.rows import Cell, Rows
from ctxtui.workspace.detect import Detected, Detector

_MOST_FILES = 40


@dataclass(frozen=True, slots=True)
class StepRow:
    """A line of the steps: a step, what it met, or a file with its reason; `id` is the document's."""

    text: str
    remark: str = ""
    style: str = ""
    id: str | None = None
    reason: str = ""


class StepList(Rows):
    """The steps with their files; marks show what is picked."""

    def __init__(self, live: LiveScreen) -> None:
        super().__init__(id="steps")
        self._live = live
        self.rows: list[StepRow] = []

    def show(self, rows: list[StepRow]) -> None:
        """Show other rows; the cursor stays in its place."""
        first = next((place for place, row in enumerate(rows) if row.id), 0)
        cursor = self.cursor if self.rows else first
        self.rows = rows
        self.set_count(len(rows), cursor)

    @property
    def current(self) -> StepRow | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def mark_columns(self, index: int) -> range:
        """Where the mark stands in a row of a file."""
        return range(5, 8) if self.rows[index].id else range(0)

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """Sign, mark and id at the left, tokens at the right."""
        row = self.rows[index]
        if row.id is None:
            return [(shown.line(row.text), row.style)], [(f" {row.remark} ", "dim")]
        mark = shown.mark(self._live.session, row.id)
        style = shown.MARK_STYLES[mark]
        left: list[Cell] = [
            ("   ", ""),
            (f"{row.text} ", row.style),
            (f"{mark} ", style),
            (shown.line(row.id), row.style),
        ]
        return [*left, (f"  {shown.line(row.reason)}", "dim")], [(f" {row.remark} ", "")]


def step_rows(detected: Detected) -> Iterator[StepRow]:
    """The five steps as rows: `+` is loaded, `-` was considered and left out."""
    result = detected.result
    loaded = {file.id: file for file in result.files}
    left = {(each.id, each.step): each for each in result.left_out}
    for step in result.steps:
        yield StepRow(f"{step.number}. {step.title}: {step.reason}", style="strong")
        if step.number == 3:
            yield from (StepRow(f"     {text}", style="dim") for text in explained(result.detection))
        for id_ in step.loaded:
            tokens = f"{loaded[id_].file.estimated_tokens:>7,}"
            yield StepRow("+", tokens, "", detected.targets.get(id_), loaded[id_].reason)
        for id_ in step.left_out:
            reason = left[id_, step.number].reason
            if id_ in detected.targets:
                yield StepRow("-", "", "dim", detected.targets[id_], reason)
            else:
                yield StepRow(f"     - {id_}: {reason}", style="warn")


def explained(detection: DetectionResult) -> Iterator[str]:
    """What each detected thing was told by, a line each."""
    signals: dict[tuple[str, str], dict[str, None]] = {}
    for match in detection.explanation:
        signals.setdefault((match.kind, match.row), {})[" ".join(match.signal.split())] = None
    for (kind, row), found in signals.items():
        yield f"{kind} {row}: {'; '.join(found)}"


class Detect(Overlay[str]):
    """The walk through the steps; ends with the id of a document to go to."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("detect")
    NAME: ClassVar[str] = "detect"

    def __init__(self, live: LiveScreen, detector: Detector) -> None:
        super().__init__()
        self._live, self._detector = live, detector
        self._place = 0
        self._max_files = 6
        self._triggers: tuple[str, ...] | None = None
        self.detected: Detected | None = None

    def compose(self) -> ComposeResult:
        """Domain and budget, the steps, the row under the cursor, and the keys."""
        with Vertical(classes="dialog -full"):
            yield Static(Content("Detect   looking at the project …"), id="detect-title", classes="dialog-title")
            yield StepList(self._live)
            yield Static(id="step-text")
            yield KeyBar("detect")

    def on_mount(self) -> None:
        """Walk the steps of the domain that the project meets most."""
        self.query_one(StepList).focus()
        self.walk()

    @work(exclusive=True, group="detect")
    async def walk(self) -> None:
        """Walk the steps in a thread, and show them."""
        self.detected = await asyncio.to_thread(self._detect)
        if not self.query(StepList):
            return
        self.query_one(StepList).show(list(step_rows(self.detected)) if self.detected else [])
        self._tell_title()
        self._tell_row()

    def _detect(self) -> Detected | None:
        domains = self._detector.domains
        if not domains:
            return None
        return self._detector.detect(domains[self._place % len(domains)], self._triggers, self._max_files)

    def _tell_title(self) -> None:
        title = self.query_one("#detect-title", Static)
        if self.detected is None:
            title.update(Content("Detect   no domain catalog in this project"))
            return
        domain, result = self.detected.domain, self.detected.result
        count, most = len(result.files), result.max_files
        bar = "■" * min(count, most) + "□" * max(0, most - count) + "+" * max(0, count - most)
        where = f" in {domain.catalog}" if domain.catalog else ""
        place = f"{self._place % len(self._detector.domains) + 1} of {len(self._detector.domains)}"
        over = f", {count - most} beyond the budget" if count > most else ""
        files = f"{bar} {count} of {plural(most, 'file')}{over}, {plural(result.tokens, 'token')}"
        title.update(shown.content(f"Detect   {domain.name}{where} ({place})   {files}"))

    def _tell_row(self) -> None:
        row, text = self.query_one(StepList).current, self.query_one("#step-text", Static)
        if self.detected is None or row is None:
            text.update(Content(""))
            return
        asked = ", ".join(self.detected.triggers) or "none"
        notices = "".join(f"\n{notice.message}" for notice in self.detected.notices[:3])
        about = f"{row.id}: {row.reason}" if row.id else row.text.strip()
        text.update(shown.content(f"{about}\ntriggers: {asked}{notices}"))

    def on_rows_moved(self) -> None:
        """Show the reason of the other row."""
        self._tell_row()

    def action_detect(self) -> None:
        """Back to the main screen."""
        self.dismiss(None)

    def action_next_tab(self) -> None:
        """Walk for the next domain."""
        self._step_domain(1)

    def action_previous_tab(self) -> None:
        """Walk for the domain before."""
        self._step_domain(-1)

    def _step_domain(self, step: int) -> None:
        self._place += step
        self.walk()

    def action_more_files(self) -> None:
        """Room for one more file."""
        self._step_files(1)

    def action_fewer_files(self) -> None:
        """Room for one file fewer."""
        self._step_files(-1)

    def _step_files(self, step: int) -> None:
        self._max_files = max(1, min(_MOST_FILES, self._max_files + step))
        self.walk()

    @work(exclusive=True, group="dialog")
    async def action_triggers(self) -> None:
        """Name the triggers of the fifth step."""
        asked = ", ".join(self.detected.triggers) if self.detected else ""
        hint = "separated by commas, such as auth_code, sql_queries; empty for none"
        answer = await self.app.push_screen_wait(Ask("Cross-domain triggers", hint, asked))
        if answer is not None:
            self._triggers = tuple(part.strip() for part in answer.split(",") if part.strip())
            self.walk()

    def action_pick_shown(self) -> None:
        """Pick everything that the protocol loads, as one change."""
        if self.detected is None or not self.detected.picks:
            return
        picks = self.detected.picks
        self._live.attempt(lambda session: session.mark_rows(picks, True))
        self.query_one(StepList).refresh()
        self.notify(f"picked {plural(len(picks), 'file')}; {key_for(self, 'undo')} drops them again")

    def action_pick(self) -> None:
        """Pick or drop the file under the cursor."""
        row = self.query_one(StepList).current
        if row is not None and row.id is not None:
            id_ = row.id
            self._live.attempt(lambda session: session.toggle(id_))
            self.query_one(StepList).refresh()

    @on(Rows.MarkClicked)
    def _mark_clicked(self) -> None:
        self.action_pick()

    @on(Rows.Entered)
    def action_enter(self) -> None:
        """Go to the file."""
        row = self.query_one(StepList).current
        if row is not None and row.id is not None:
            self.dismiss(row.id)
