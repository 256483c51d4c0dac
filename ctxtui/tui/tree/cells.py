"""The cells at the right of a row of the tree: badge, findings, git mark, bar, tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.wording import byte_size, plural
from ctxtui.core.documents.listing import PLAIN
from ctxtui.core.text.code.outline import OUTLINE
from ctxtui.core.text.markdown.task_filter import TASK_FILTERS
from ctxtui.core.text.markdown.tasks import BLOCKED, DONE, TODO
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.figures import Figures, Total
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.names import Plain, fit
from ctxtui.workspace.tree import Node

_GIT_STYLES: Final[Mapping[str, str]] = {"A": "good", "?": "good", "D": "over"}
_TASKS: Final = {name: meaning.partition(",")[0] for name, meaning in TASK_FILTERS.items()}
_NO_TOTAL: Final = Total()
# Columns of the bar and of the signs before it.
_BAR, _FINDINGS, _GIT = 5, 4, 2


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Facts about files for badges: paths with `problems`, ids `changed` since they were picked.

    `readers` is the number of agents that read a file at the start, by id. `drifts` are the badges of files
    with a wrong declared number, by path.
    """

    problems: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    readers: Mapping[str, int] = field(default_factory=dict)
    drifts: Mapping[str, str] = field(default_factory=dict)


def badge(node: Node, session: Session, figures: Figures, facts: FileFacts) -> Plain:
    """The word at the right of a row and its style: of several the most urgent one. Empty if there is none."""
    reference = node.reference
    if reference is None:
        return _folder_badge(figures.totals.get(node.id)), "dim"
    if node.part is not None:
        return _part_badge(node, session), "dim"
    if reference.path in facts.problems:
        return "problem", "warn"
    if node.id in facts.changed:
        return "changed", "accent"
    pick = session.selection.document_pick(node.id)
    if pick is not None and pick.tasks:
        return _TASKS[pick.tasks], "accent"
    if pick is not None and pick.outline:
        return OUTLINE, "accent"
    if pick is not None and pick.pinned:
        return "pinned", "accent"
    if reference.path in facts.drifts:
        return facts.drifts[reference.path], "warn"
    if node.id in facts.readers:
        return f"always {facts.readers[node.id]}", "note"
    if reference.ignored:
        return "ignored", "dim"
    return reference.strategy or reference.large or "", "dim"


def _folder_badge(total: Total | None) -> str:
    """The files of a folder, the progress of their count, or its large data that is not counted."""
    if total is None:
        return ""
    if not total.is_counted:
        return f"{plural(total.files, 'file')}, counting {total.percent} %"
    if total.large and not total.is_left:
        return shown.uncounted(total.left)
    return plural(total.files, "file")


def _part_badge(node: Node, session: Session) -> str:
    """The date of a section, unless its name has it, and its tasks by status. Empty if it cannot be read."""
    if node.reference is None or node.part is None or not node.part.level:
        return ""
    try:
        document = session.workspace.document(node.reference)
    except ContextError:
        return ""
    position = document.position(node.part.slug)
    if position is None:
        return ""
    counts = document.task_counts[position]
    found = [f"{counts[status]} {status}" for status in (TODO, BLOCKED, DONE) if counts[status]]
    date = document.section_dates[position]
    return ", ".join(found if date in node.part.name else [date, *found])


def short_badge(text: str, room: int) -> str:
    """A badge shortened to whole words in `room` columns. A single word is cut if it must be."""
    if len(text) > room:
        text = next((f"{name} tasks" for name, told in _TASKS.items() if told == text), text)
    words = text.split()
    while len(words) > 1 and len(" ".join(words)) > room:
        words.pop()
    return fit(" ".join(words).rstrip(","), room)


def mark(node: Node, session: Session, figures: Figures) -> str:
    """The sign that shows whether a row is picked: `●` whole, `◐` in part, `○` not."""
    if node.kind != "folder":
        return shown.mark(session, node.id)
    taken, total = figures.picked.get(node.id), figures.totals.get(node.id, _NO_TOTAL)
    if taken is None:
        return "○"
    return "●" if taken.is_all(total) else "◐"


def tokens(node: Node, session: Session, figures: Figures, is_part: bool) -> Plain:
    """The tokens of a row as text with a style. If `is_part` is picked, the picked tokens come before: `12/340`."""
    counter = session.budget.counter
    if node.part is not None:
        size = part_size(node, session)
        return "–" if size is None else shown.number(size, counter), ""
    total = figures.totals.get(node.id)
    if total is None:
        return "", ""
    if total.failed and total.failed == total.files:
        return "–", "dim"
    if total.is_left:
        return byte_size(total.left), "dim"
    text = shown.number(total.tokens, counter, total.is_counted)
    taken = figures.picked.get(node.id)
    if taken is not None and is_part:
        text = f"{shown.number(taken.tokens, counter)}/{text}"
    return text, "" if total.is_counted else "dim"


def part_size(node: Node, session: Session) -> int | None:
    """The tokens of a part with its nested parts, None if it cannot be read."""
    if node.part is None or node.reference is None:
        return None
    try:
        document = session.workspace.document(node.reference)
        position = document.position(node.part.slug)
        sizes = session.workspace.reader.part_sizes(document, session.budget.counter)
    except ContextError:
        return None
    return None if position is None else sizes[position]


def size_of(node: Node, session: Session, figures: Figures) -> int:
    """The tokens of a row, 0 if not counted or unreadable."""
    if node.part is not None:
        return part_size(node, session) or 0
    return figures.totals.get(node.id, _NO_TOTAL).tokens


def share_bar(node: Node, size: int, largest: int) -> Plain:
    """The bar of a row's tokens relative to `largest`, in the hue of its source. Any tokens show a sliver."""
    return f" {shown.bar(size, largest, _BAR)} ", shown.source_style(node.source or PLAIN)


def source_sign(node: Node) -> Plain:
    """The sign and style of a node's source. Empty for parts, plain files and folders of several sources."""
    source = node.source if node.part is None else PLAIN
    return ("", "") if source in ("", PLAIN) else (f"{shown.SOURCES[source]} ", shown.source_style(source))


def findings_cell(found: tuple[int, int]) -> Plain:
    """The sum of errors and warnings, at most 999: `▲` if any is an error, `△` if all are warnings."""
    errors, warnings = found
    if not errors + warnings:
        return " " * _FINDINGS, ""
    sign = "▲" if errors else "△"
    return f"{sign}{min(999, errors + warnings)}".rjust(_FINDINGS - 1) + " ", "over" if errors else "warn"


def git_cell(mark: str) -> Plain:
    return f"{mark:<{_GIT}}", _GIT_STYLES.get(mark, "accent")


def folder_sums(
    session: Session, findings: Mapping[str, tuple[int, int]], git: Iterable[str]
) -> tuple[dict[str, tuple[int, int]], frozenset[str]]:
    """The errors and warnings below each folder, by id, and the ids of the folders with a path of `git`."""
    by_path = session.workspace.by_path
    sums: dict[str, tuple[int, int]] = {}
    for path, (errors, warnings) in findings.items():
        for id_ in folder_ids(by_path[path]) if path in by_path else ():
            before = sums.get(id_, (0, 0))
            sums[id_] = (before[0] + errors, before[1] + warnings)
    changed = {id_ for path in git if path in by_path for id_ in folder_ids(by_path[path])}
    return sums, frozenset(changed)


def folder_ids(reference: Reference) -> Iterable[str]:
    """The ids of the folders above a document, outermost first."""
    group = reference.folders
    return (f"{'/'.join(group[:depth])}/" for depth in range(1, len(group) + 1))


def is_quiet(node: Node) -> bool:
    """Whether a row is dimmed: frontmatter, text before the first heading, an ignored file."""
    part = node.part
    return (part is not None and not part.level) or bool(node.reference and node.reference.ignored)


def link_words(node: Node) -> str:
    """The words behind the name of a document to which links lead: ` ← CLAUDE.md`. Empty for other rows."""
    if node.reference is None or node.part is not None or not node.reference.aliases:
        return ""
    return f" ← {shown.line(', '.join(node.reference.aliases))}"
