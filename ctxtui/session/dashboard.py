"""The data of Start, and agent starts counted in the tokens of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import nsmallest
from typing import Final, NamedTuple

from ctxtui.agents import Start
from ctxtui.agents.types import AT_START
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import Label, TokenCounter
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.core.tokens.whole import Whole, count_whole
from ctxtui.session.agent_start import agent_starts, listing_text, longer_starts
from ctxtui.session.figures import Figures, Total
from ctxtui.session.saved.recipe import recent_recipes
from ctxtui.session.session import Session
from ctxtui.workspace.workspace import Workspace

MOST_CHARACTERS: Final = 1_000_000
"""Larger starts stay estimates: a reconstructed vocabulary takes seconds for this many characters.

The bound does not depend on earlier counts, so a second call gives the same result.
"""

_Read = Callable[[str], str | None]

_KNOWN: Final[tuple[Label, ...]] = ("reconstructed", "measured")
"""Labels that are better than an estimate, weakest first. A sum has the weakest label of its parts."""
_CHANGED, _RECIPES = 5, 5


def start_texts(start: Start, read: _Read) -> tuple[str, ...] | None:
    """The texts of a start: the entering text of each file, and the listing. None if a file has vanished."""
    texts = []
    for entry in start.entries:
        if entry.moment in AT_START:
            whole = read(entry.path)
            if whole is None:
                return None
            texts.append(entry.text(whole))
    listed = listing_text(start)
    return (*texts, listed) if listed else tuple(texts)


def whole_starts(
    starts: Iterable[Start], read: _Read, counter: TokenCounter, ledger: Ledger | None = None, check: Check = go_on
) -> tuple[Start, ...]:
    """The starts with `whole` set where all their text is known better than by an estimate.

    `read` returns a file's text. The ledger caches slow counts, so that only changed texts are counted again. `check`
    is called before every text. Its exceptions end the work.
    """
    if counter.exact or counter.weights is None:
        return tuple(starts)
    counting = _Counting(counter, ledger, check)
    return tuple(replace(start, whole=counting.whole(start_texts(start, read))) for start in starts)


class _Counting:
    """Counts every text once."""

    def __init__(self, counter: TokenCounter, ledger: Ledger | None, check: Check) -> None:
        self._counter, self._ledger, self._check = counter, ledger, check
        self._known: dict[str, Whole] = {}

    def whole(self, texts: Sequence[str] | None) -> Whole | None:
        """The sum of some texts, None if one can only be estimated or they are too long."""
        if texts is None or sum(map(len, texts)) > MOST_CHARACTERS:
            return None
        counts = list(self._counts(texts))
        labels = {each.label for each in counts}
        label = next((each for each in _KNOWN if each in labels), None)
        if label is None or not labels.issubset(_KNOWN):
            return None
        return Whole(sum(each.tokens for each in counts), label, sum(each.basis_tokens for each in counts))

    def _counts(self, texts: Sequence[str]) -> Iterator[Whole]:
        """The count of each text up to the first that can only be estimated."""
        for text in texts:
            if text not in self._known:
                self._check()
                self._known[text] = count_whole(text, self._counter, self._ledger)
            yield self._known[text]
            if self._known[text].label not in _KNOWN:
                return


class ListedFile(NamedTuple):
    """A file of Start with its tokens, and its git mark if it has uncommitted changes."""

    reference: Reference
    total: Total
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Dashboard:
    """The sections of Start in order.

    Agents start in the folder `cwd`, `longer` names folders with longer starts. `changed` lists the latest changed
    files, `changed_ids` all of them, `deleted` counts deleted files. `recipes` are the newest recipes with their
    times. While agents are read, `is_reading`, and only files are known.
    """

    cwd: str = ""
    starts: tuple[Start, ...] = ()
    longer: tuple[str, ...] = ()
    changed: tuple[ListedFile, ...] = ()
    changed_ids: tuple[str, ...] = ()
    deleted: int = 0
    recipes: tuple[tuple[str, datetime], ...] = ()
    files: tuple[ListedFile, ...] = ()
    is_reading: bool = False


def dashboard(
    session: Session,
    figures: Figures,
    marks: Mapping[str, str],
    cwd: str = "",
    starts: tuple[Start, ...] | None = None,
) -> Dashboard:
    """The data of Start. Files are read and counted.

    `marks` are the git marks of changed files by path. `starts` are computed unless given.
    """
    workspace, cwd = session.workspace, start_folder(session, cwd)
    starts = starts_in(session, cwd) if starts is None else starts
    changed = _changed(workspace, figures.totals, marks)
    return Dashboard(
        cwd,
        starts,
        longer_starts(workspace, cwd),
        changed[:_CHANGED],
        tuple(each.reference.id for each in changed),
        sum(mark == "D" for mark in marks.values()),
        _recipes(workspace),
        largest_files(workspace, figures.totals),
    )


def first_dashboard(session: Session, figures: Figures, cwd: str) -> Dashboard:
    """The data of Start that is known before agents are read."""
    return Dashboard(cwd, files=largest_files(session.workspace, figures.totals), is_reading=True)


def largest_files(workspace: Workspace, totals: Mapping[str, Total], count: int = 8) -> tuple[ListedFile, ...]:
    """The files with the most tokens, without links, large data and uncounted files."""
    known = (
        ListedFile(each, total)
        for each in workspace.references
        if (total := totals.get(each.id)) is not None and total.counted and total.tokens and not each.large
    )
    return tuple(nsmallest(count, known, key=lambda each: (-each.total.tokens, each.reference.path)))


def start_folder(session: Session, cwd: str) -> str:
    """`cwd`, or the project's root if the folder does not exist any more."""
    return cwd if session.workspace.reader.root.exists(cwd) else ""


def starts_in(session: Session, cwd: str) -> tuple[Start, ...]:
    """The starts of agents in a folder. Reads and counts files. Raises ContextError if it is outside the project."""
    workspace, budget = session.workspace, session.budget
    return agent_starts(workspace, budget.counter, budget.window, cwd, workspace.home.at)


def known_better(data: Dashboard, session: Session, check: Check) -> Dashboard:
    """The dashboard with starts counted whole where a vocabulary is known. Exceptions of `check` end the work."""
    workspace, counter = session.workspace, session.budget.counter
    return replace(data, starts=whole_starts(data.starts, workspace.text, counter, workspace.reader.ledger, check))


def _changed(workspace: Workspace, totals: Mapping[str, Total], marks: Mapping[str, str]) -> tuple[ListedFile, ...]:
    found = {
        reference.id: ListedFile(reference, totals.get(reference.id, Total()), mark)
        for path, mark in marks.items()
        if (reference := workspace.by_path.get(path)) is not None
    }
    return tuple(sorted(found.values(), key=lambda each: (-each.reference.stamp.mtime_ns, each.reference.path)))


def _recipes(workspace: Workspace) -> tuple[tuple[str, datetime], ...]:
    try:
        return tuple(recent_recipes(workspace.reader.root)[:_RECIPES])
    except ContextError:
        # Opening a recipe reports the error.
        return ()
