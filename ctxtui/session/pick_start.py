"""Pick the start of an agent: exactly the text behind its figure, and the reasons for what cannot be picked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ctxtui.agents import Charge, Start
from ctxtui.agents.project.base import is_above
from ctxtui.agents.types import LISTED
from ctxtui.core.base.wording import plural
from ctxtui.core.text.decode import Lines
from ctxtui.core.text.markdown.document import FRONTMATTER, Document
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.agent_start import agent_starts, listing_text
from ctxtui.session.picks import LISTING, QUERY, AnyPick, Pick, QueryPick, SnippetPick
from ctxtui.session.queries.answers import definition_of
from ctxtui.session.session import Session

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Tokens of a start that the pick lacks, by the file's path or `the listing`, and why.

    The tokens are negative if the pick brings more than the agent reads.
    """

    name: str
    why: str
    tokens: int


@dataclass(frozen=True, slots=True)
class PickedStart:
    """A session with the start of an agent picked. `tokens` are without headers of blocks.

    `tokens` and the tokens in `left` add up to the figure of the start, unless secrets are redacted.
    """

    session: Session
    picks: tuple[AnyPick, ...]
    tokens: int
    left: tuple[Shortfall, ...]

    @property
    def summary(self) -> str:
        """A sentence: what was picked and what was not."""
        files = sum(not isinstance(each, QueryPick) for each in self.picks)
        what = [plural(files, "file")] if files else []
        what += ["the listing"] if files < len(self.picks) else []
        picked = f"picked {' and '.join(what)}, {plural(self.tokens, 'token')}" if what else "nothing picked"
        less, more = [each for each in self.left if each.tokens > 0], [each for each in self.left if each.tokens < 0]
        told = [f"not picked: {_shortfall_words(less)}"] if less else []
        told += [f"more than the agent reads: {_shortfall_words(more)}"] if more else []
        return "; ".join((picked, *told))


def _shortfall_words(left: list[Shortfall]) -> str:
    shown = [f"{each.name} {abs(each.tokens):,} ({each.why})" for each in left[:_MOST_NAMED]]
    rest = left[_MOST_NAMED:]
    return ", ".join([*shown, *([f"and {len(rest)} more, {sum(abs(e.tokens) for e in rest):,}"] if rest else [])])


def pick_start(session: Session, start: Start, cwd: str = "") -> PickedStart:
    """Pick an agent's start in the folder `cwd`: its files in order, and its listing as a query.

    Picks replace those with the same id, and keep their pins. Files outside the project and at home are in `left`.
    Raises ContextError if a file cannot be read any more.
    """
    counter = session.budget.counter
    picks: dict[str, AnyPick] = {}
    left: list[Shortfall] = []
    tokens = 0
    for charge in start.entries:
        if charge.moment in LISTED and not charge.home:
            continue
        made = _pick_and_text(session, charge, picks)
        if isinstance(made, str):
            left.append(Shortfall(charge.path, made, charge.start_tokens))
            continue
        pick, text = made
        picks[pick.id] = pick
        # A block ends its text with a line feed.
        tokens += (brought := counter.count(text if text.endswith("\n") else f"{text}\n"))
        if brought != charge.start_tokens:
            why = _why_unequal(counter.count(text), charge)
            left.append(Shortfall(charge.path, why, charge.start_tokens - brought))
    if lines := _project_listing(session, start, cwd):
        given = {"listing": start.agent, "cwd": cwd, "window": session.budget.window}
        listing = QueryPick(f"{QUERY}{LISTING}{start.agent}", definition_of({k: v for k, v in given.items() if v}))
        picks[listing.id] = listing
        tokens += (brought := counter.count(lines))
        ours = (charge for charge in start.entries if charge.moment in LISTED and not charge.home)
        listed = sum(charge.start_tokens for charge in ours)
        if brought != listed:
            why = "line ends, and room that yours at home take" if start.home_tokens else "line ends"
            left.append(Shortfall("the listing", why, listed - brought))
    selection = session.selection
    for pick in picks.values():
        pinned = any(each.pinned for each in selection.picks if each.id == pick.id)
        selection = selection.with_pick(replace(pick, pinned=pick.pinned or pinned))
    return PickedStart(session.with_selection(selection), tuple(picks.values()), tokens, tuple(left))


def _project_listing(session: Session, start: Start, cwd: str) -> str:
    """The text of the agent's listing for the project alone, empty without one.

    A recipe must not depend on the user's home folder, so the start is computed again if it has files from there.
    """
    if not start.home_tokens:
        return listing_text(start)
    budget = session.budget
    starts = agent_starts(session.workspace, budget.counter, budget.window, cwd)
    return next((listing_text(each) for each in starts if each.agent == start.agent), "")


def _why_unequal(brought: int, charge: Charge) -> str:
    if brought == charge.start_tokens:
        return "line end"
    if brought > charge.start_tokens:
        return "comments or space that the agent removes"
    return "half a line before the cut" if charge.lost else "comments or space"


def _pick_and_text(session: Session, charge: Charge, picks: dict[str, AnyPick]) -> tuple[AnyPick, str] | str:
    """The pick of a file as an agent reads it, with its text, or why there is none. `picks` are the earlier picks."""
    if charge.home:
        return "your own, at home"
    reference = session.workspace.by_path.get(charge.path)
    if is_above(charge.path):
        return "outside the folder"
    if reference is None:
        return "not listed, because it is ignored"
    if any(reference.id == (each.document if isinstance(each, SnippetPick) else each.id) for each in picks.values()):
        return "read again"
    document = session.workspace.document(reference)
    return _pick_of_lines(reference, document, charge) if charge.lost else _pick_of_file(reference, document, charge)


def _pick_of_file(reference: Reference, document: Document, charge: Charge) -> tuple[AnyPick, str]:
    front = document.body_start
    reads_front = front > 0 and (charge.kept is None or any(span.start < front for span in charge.kept))
    marks = ((FRONTMATTER, True),) if reads_front else ()
    return Pick(reference.id, True, marks, reference.protected), document.text[0 if reads_front else front :]


def _pick_of_lines(reference: Reference, document: Document, charge: Charge) -> tuple[AnyPick, str] | str:
    """The pick of the lines that the agent reads completely, with their text, or the reason why there is none."""
    if not charge.kept:
        return "only its path is given"
    lines = Lines.of(document.text)
    first, last = lines.at(charge.kept[0].start), lines.at(charge.kept[-1].end)
    if lines.start(first) < charge.kept[0].start:
        first += 1
    text = document.text[lines.start(first) : lines.start(last)]
    if not text.strip():
        return "cut within its first line"
    return SnippetPick.of(reference.id, first + 1, last), text
