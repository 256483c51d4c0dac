"""Lay out View's page for a node and a tab, in a thread."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.strip import Strip

from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.wording import byte_size, plural
from ctxtui.core.documents.git_diff import Between, read_diff
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.picks import QueryPick
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.names import fit
from ctxtui.tui.panels import view_pages
from ctxtui.tui.panels.view_pages import BOLD, DIM, MAX_SHOWN, WARN, Changed, Laid, message_page, wrap
from ctxtui.workspace.tree import Node

# The largest files to name of a folder.
_MOST_LARGEST = 50
# The columns of their tokens.
_TOKENS = 10


def answer_page(session: Session, query: QueryPick, width: int) -> Laid:
    """The definition, notices and items of a query. Without an answer, a remark that it is computed."""
    answer, counter = session.answers.get(query.definition), session.budget.counter
    title = shown.line(query.label)
    lines = [*wrap(query.definition, width, DIM), Strip([])]
    if answer is None:
        return Laid(title, "computing …", lines)
    for notice in answer.notices:
        lines += wrap(str(notice), width, WARN)
    for item in answer.items:
        # Changed files are picks, whose blocks show their tokens.
        tokens = f", {shown.sized(counter.count(item.text), counter)}" if item.text else ""
        head = f"{item.kind}  {item.source or item.id or '(not on the board)'}"
        lines += wrap(head, width, BOLD)
        lines.append(Strip([Segment(f"  from {shown.line(item.provider)}{tokens}", DIM)]))
        lay = view_pages.diff_lines if answer.language == "diff" else view_pages.plain_lines
        lines += [Strip([Segment("  "), *line]) for line in lay(item.text, width - 2)]
        lines.append(Strip([]))
    return Laid(title, plural(len(answer.items), "item"), lines)


def lay_out(
    session: Session,
    node: Node | None,
    tab: str,
    width: int,
    rendered: bool,
    check: Check = go_on,
    is_changed: bool = False,
    enough: int = MAX_SHOWN,
    block: str = "",
) -> Laid:
    """The page of a tab. Errors become pages, except the exception that `check` raises to stop the work.

    The output is shown at a block, by default the node's. The lines of a file that `is_changed` are compared with the
    last commit. Of long Markdown, `enough` characters are rendered.
    """
    try:
        if tab == "output":
            payload = session.payload(check=check)
            if not payload.pieces:
                return message_page("Output", ["Nothing is picked: the payload is empty."], width)
            at = block or (node.reference.id if node and node.reference else None)
            return view_pages.output_page(payload, at, width, session.budget.counter)
        if node is None:
            return message_page("", ["Nothing to show."], width)
        if node.reference is None:
            return _folder_page(session, node, width)
        if session.uncounted([node.reference]):
            large = f"{node.reference.large}, {byte_size(node.reference.stamp.size)}, not counted"
            words = "Large data that nobody sends is read on request."
            return message_page(node.reference.id, [large, "", words], width)
        if tab == "reference":
            return view_pages.reference_page(session, node, width)
        changed = _changed_lines(session, node.reference) if is_changed else ()
        return view_pages.text_page(session, node, node.reference, width, rendered, changed, enough)
    except ContextError as error:
        lines = [error.message, *([error.hint] if error.hint else [])]
        return message_page(node.title if node else "", lines, width)


def _folder_page(session: Session, node: Node, width: int) -> Laid:
    """The files and tokens of a folder, its large data by kind, and its largest files."""
    counter = session.budget.counter
    documents = list(node.documents())
    sizes = ((each, session.workspace.reader.known_size(each, counter)) for each in documents)
    known = {each.path: counter.total(size.units) for each, size in sizes if size is not None}
    tokens, left = sum(known.values()), len(documents) - len(known)
    large = session.uncounted(documents)
    left -= len(large)
    more = f", {left:,} not counted yet" if left else ""
    more += f" {shown.uncounted(sum(each.stamp.size for each in large))}" if large else ""
    lines = [f"{plural(len(documents), 'file')}, {shown.sized(tokens, counter)}{more}", *_kinds(documents)]
    if len(known) > 1:
        largest = sorted(known.items(), key=lambda item: -item[1])[:_MOST_LARGEST]
        room = max(1, width - _TOKENS - 2)
        rows = (
            f"{shown.number(count, counter):>{_TOKENS}}  {fit(shown.line(path.removeprefix(node.id)), room)}"
            for path, count in largest
        )
        lines += ["", "Largest files:", *rows]
    return message_page(node.id or node.title, lines, width)


def _kinds(documents: Sequence[Reference]) -> list[str]:
    """Lines with the files and bytes of each kind of large data, below a title. Empty without large data."""
    sizes: dict[str, list[int]] = {}
    for each in documents:
        if each.large:
            sizes.setdefault(each.large, []).append(each.stamp.size)
    kinds = sorted(sizes.items(), key=lambda kind: -sum(kind[1]))
    told = [f"  {kind}: {plural(len(found), 'file')}, {byte_size(sum(found))}" for kind, found in kinds]
    return ["", "Large data that nobody sends, counted on request:", *told] if told else []


def _changed_lines(session: Session, reference: Reference) -> Changed:
    """The lines changed since the last commit, none if git fails."""
    try:
        files = read_diff(session.workspace.root, Between(), [reference.path], context=0)
    except ContextError:
        # The panel of changed files reports errors of git.
        return ()
    return [lines for file in files for lines in file.lines]
