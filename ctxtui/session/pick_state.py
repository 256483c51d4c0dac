"""Pick and drop documents, parts and folders, and report their state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from ctxtui.core.base.errors import NotFound, invalid
from ctxtui.core.base.target import OUTLINE, Target
from ctxtui.core.base.wording import near
from ctxtui.core.text.markdown.document import FRONTMATTER
from ctxtui.core.text.markdown.task_filter import useful_filters
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.glob_picks import dropped, expanded
from ctxtui.session.outlines import no_outline_error, with_outline
from ctxtui.session.picks import AnyPick, Pick, PickState, SnippetPick
from ctxtui.session.selection import Selection
from ctxtui.workspace.resolve import lines_meant, section_slug
from ctxtui.workspace.tree import Node
from ctxtui.workspace.workspace import Workspace


def canonical(workspace: Workspace, selection: Selection) -> Selection:
    """The selection on a snapshot: links replaced by their targets, patterns expanded, picks of one file merged."""
    return expanded(workspace, _without_links(workspace, selection))


def _without_links(workspace: Workspace, selection: Selection) -> Selection:
    if workspace.links.keys().isdisjoint(pick.id for pick in selection.picks):
        return selection
    kept: dict[str, AnyPick] = {}
    for pick in selection.picks:
        reference = workspace.by_id.get(pick.id) if isinstance(pick, Pick) else None
        id_ = reference.id if reference is not None else pick.id
        old = kept.get(id_)
        kept[id_] = _joined(old, pick) if isinstance(old, Pick) and isinstance(pick, Pick) else replace(pick, id=id_)
    return replace(selection, picks=tuple(kept.values()))


def _joined(one: Pick, other: Pick) -> Pick:
    pinned = one.pinned or other.pinned
    if one.tasks == other.tasks and not (one.whole or other.whole):
        marks, outline = tuple(dict((*one.marks, *other.marks)).items()), one.outline or other.outline
        return replace(one, marks=marks, pinned=pinned, of=None, outline=outline)
    return replace(one if one == other else Pick(one.id), pinned=pinned, of=None)


def target_in(workspace: Workspace, selection: Selection, id_: str) -> Target:
    """The target of an id: a query, a snippet or a pattern in the selection, else a row of the tree.

    The block of a query means the whole query. The row need not exist.
    """
    pick = selection.other_pick(id_)
    return Target(pick.id) if pick is not None else workspace.target(id_)


def mark_target(
    workspace: Workspace, selection: Selection, target: Target, sections: Sequence[str] | None, wanted: bool
) -> Selection:
    """The selection with a target, or only `sections` of it, picked if `wanted`, else dropped.

    A document or section that is gone can be dropped, not picked. Raises NotFound for an unknown target or section,
    ContextError for an unreadable document, lines that it does not have, and a file without an outline.
    """
    owner, slug = target
    if selection.other_pick(owner) is not None:
        return selection if wanted else dropped(workspace, selection, [owner])
    lines = lines_meant(workspace, target)
    if lines:
        snippet = SnippetPick.of(owner, *lines)
        return selection.with_pick(snippet) if wanted else _without_lines(workspace, selection, snippet)
    if slug == OUTLINE and not sections:
        return _mark_outline(workspace, selection, workspace.require(owner), wanted)
    names = ([slug] if slug else []) + list(sections or ())
    if names:
        return _mark_parts(workspace, selection, owner, names, wanted)
    if owner in workspace.by_id:
        return _mark_documents(workspace, selection, [workspace.by_id[owner]], wanted)
    if not wanted and selection.document_pick(owner):
        return dropped(workspace, selection, [owner])
    below = _documents_below(workspace, [_folder(workspace, owner)], wanted)
    return _mark_documents(workspace, selection, below, wanted)


def _folder(workspace: Workspace, id_: str) -> Node:
    """The node of a folder. Raises NotFound for any other id."""
    node = workspace.find(id_)
    if node is None or node.kind != "folder":
        raise NotFound(f"no document {id_}", hint=near(id_, workspace.by_id))
    return node


def pick_in_order(workspace: Workspace, selection: Selection, ids: Sequence[str]) -> Selection:
    """The selection with the rows of these ids picked in order. Raises as `mark_target` does."""
    for is_document, group in groupby(ids, workspace.by_id.__contains__):
        if is_document:
            selection = _mark_documents(workspace, selection, [workspace.by_id[id_] for id_ in group], True)
        else:
            for id_ in group:
                selection = mark_target(workspace, selection, target_in(workspace, selection, id_), None, True)
    return selection


def mark_rows(workspace: Workspace, selection: Selection, ids: Sequence[str], wanted: bool) -> Selection:
    """The selection with many rows of the tree picked or dropped at once: folders, documents and parts.

    Documents come before parts, in workspace order. Ids of documents and folders that do not exist are ignored.
    Raises NotFound for a part that does not exist.
    """
    targets = [Target.parse(id_) for id_ in ids]
    nodes = (workspace.find(target.document) for target in targets if not target.section)
    whole = _documents_below(workspace, [node for node in nodes if node is not None], wanted)
    selection = _mark_documents(workspace, selection, whole, wanted)
    done = {each.id for each in whole}
    for target in targets:
        if target.section and target.document not in done:
            selection = mark_target(workspace, selection, workspace.target(str(target)), None, wanted)
    return selection


def _documents_below(workspace: Workspace, nodes: Iterable[Node], wanted: bool) -> list[Reference]:
    """The documents below nodes, in workspace order. If `wanted`, large data beside other files is left out."""
    ids = {each.id for node in nodes for each in (node.documents_to_pick() if wanted else node.documents())}
    return [each for each in workspace.references if each.id in ids]


def _mark_documents(
    workspace: Workspace, selection: Selection, references: Sequence[Reference], wanted: bool
) -> Selection:
    """The selection with whole documents picked or dropped. Each keeps its place, its frontmatter and its pin."""
    if not wanted:
        return dropped(workspace, selection, [reference.id for reference in references])
    picks = {pick.id: pick for pick in selection.picks}
    for reference in references:
        old = selection.document_pick(reference.id)
        if old is not None and old.is_plain:
            continue
        front = tuple(mark for mark in old.marks if mark == (FRONTMATTER, True)) if old else ()
        pinned = old.pinned if old else reference.protected
        picks[reference.id] = Pick(reference.id, True, front, pinned)
    return replace(selection, picks=tuple(picks.values()))


def _mark_outline(workspace: Workspace, selection: Selection, reference: Reference, wanted: bool) -> Selection:
    """The selection with a file's outline picked or dropped. Picked sections of the file stay.

    Raises ContextError (invalid_request) if the file has no outline to pick.
    """
    if wanted:
        return outline_all(workspace, selection, [reference])
    old = selection.document_pick(reference.id)
    if old is None or not old.outline:
        return selection
    rest = replace(old, outline=False)
    keeps_any = any(rest.taken(workspace.document(reference)))
    return _with_rest(workspace, selection, reference.id, rest if keeps_any else None)


def _with_rest(workspace: Workspace, selection: Selection, owner: str, rest: Pick | None) -> Selection:
    """The selection with what is left of a document's pick, or without the document if nothing is left."""
    return selection.with_pick(rest) if rest else dropped(workspace, selection, [owner])


def _mark_parts(
    workspace: Workspace, selection: Selection, owner: str, names: Sequence[str], wanted: bool
) -> Selection:
    """The selection with sections, by name or slug, picked or dropped. A picked section that is gone can be dropped.

    Raises NotFound for any other unknown section or document, ContextError if the document is unreadable.
    """
    reference = workspace.require(owner)
    document = workspace.document(reference)
    old = selection.document_pick(owner)
    if old is not None and not wanted:
        gone = set(old.missing(document)) & set(names)
        if gone:
            kept = tuple(mark for mark in old.marks if mark[0] not in gone)
            names = [name for name in names if name not in gone]
            old = replace(old, marks=kept).marked(document, (), False)
            if not names:
                return _with_rest(workspace, selection, owner, old)
    slugs = [section_slug(workspace, owner, name) for name in names]
    if old is None and not wanted:
        return selection
    base = old or Pick(owner, False, (), reference.protected)
    return _with_rest(workspace, selection, owner, base.marked(document, slugs, wanted))


def _without_lines(workspace: Workspace, selection: Selection, gone: SnippetPick) -> Selection:
    """The selection without some lines. The lines around them in the parts and lines that they cut stay picked.

    Raises ContextError (invalid_request) if the document is narrowed to tasks and no line is picked by itself.
    """
    document, own = workspace.document(workspace.require(gone.document)), selection.document_pick(gone.document)
    start, end = document.lines.span(gone.first, gone.last)
    taken = zip(document.parts, own.taken(document), strict=True) if own else ()
    cut = [part for part, is_taken in taken if is_taken and part.start < end and start < part.own_end]
    if own and own.tasks and cut:
        # Lines that are picked by themselves go, the tasks stay.
        if not any(isinstance(pick, SnippetPick) and pick.meets(gone) for pick in selection.picks):
            raise invalid(f"lines of tasks: {gone.document}", hint="drop a section, or take the whole text first")
        cut = []
    parts = [(document.lines.at(part.start) + 1, document.lines.at(part.own_end - 1) + 1) for part in cut]
    picks: dict[str, AnyPick] = {}
    for pick in selection.picks:
        spans = parts if pick is own else []
        if isinstance(pick, SnippetPick) and pick.meets(gone):
            spans = [(pick.first, pick.last)]
        else:
            picks.setdefault(pick.id, pick)
        for first, last in spans:
            for span in ((first, min(last, gone.first - 1)), (max(first, gone.last + 1), last)):
                if document.lines.text(document.text, *span).strip():
                    rest = replace(SnippetPick.of(gone.document, *span), pinned=pick.pinned)
                    picks.setdefault(rest.id, rest)
    selection = replace(selection, picks=tuple(picks.values()))
    if own is None or not cut:
        return selection
    return _with_rest(workspace, selection, own.id, own.without_own(document, cut))


def pick_state(workspace: Workspace, selection: Selection, target: Target) -> PickState:
    """How much of a target is picked: `all`, `part` or `none`, also `none` if it does not exist.

    A query, snippet or pattern of the selection is `all`. Raises ContextError if a document has to be read and cannot
    be read.
    """
    owner, slug = target
    if selection.other_pick(owner) is not None:
        return "all"
    reference = workspace.by_id.get(owner)
    if reference is None:
        node = workspace.find(owner)
        return _folder_state(selection, node) if node and node.kind == "folder" else "none"
    pick = selection.document_pick(owner)
    if target.lines and selection.other_pick(SnippetPick.of(owner, *target.lines).id):
        return "all"
    if pick is None:
        return "none"
    if slug == OUTLINE:
        return "all" if pick.outline else "none"
    if not slug and pick.is_plain:
        return "all"
    document = workspace.document(reference)
    if target.lines:
        start, end = document.lines.span(*target.lines)
        own = zip(document.parts, pick.taken(document), strict=True)
        return "all" if all(taken for part, taken in own if part.start < end and start < part.own_end) else "none"
    if not slug:
        return pick.document_state(document)
    position = document.position(slug)
    if position is None:
        return "none"
    # Every drawn row asks, and a document can have thousands of parts.
    key = ("states", pick, document.path, document.digest)
    states: list[PickState] = workspace.reader.derived.get(key, lambda: pick.states(document))
    return states[position]


def task_filters(workspace: Workspace, selection: Selection, id_: str) -> tuple[str, ...]:
    """The names of the task filters that keep some tasks of the picked parts and drop others.

    Without picked parts, all parts count. Raises NotFound for an unknown id, ContextError (invalid_request) without
    tasks.
    """
    reference = workspace.require(id_)
    document = workspace.document(reference)
    pick = selection.document_pick(id_)
    found = useful_filters(document, (pick if isinstance(pick, Pick) else Pick(id_)).taken(document))
    if not found:
        where = f"{reference.path} has" if not document.tasks else f"the picked sections of {reference.path} have"
        raise invalid(f"{where} no tasks", hint="tasks are `- [ ]` lines")
    return found


def outline_target(workspace: Workspace, selection: Selection, target: Target, wanted: bool) -> Selection:
    """The selection with the outline of a document or of all code below a folder, or with whole texts again.

    Sections picked by themselves stay. Raises NotFound if the target does not exist, ContextError if it cannot be
    read or nothing in it has an outline.
    """
    reference = workspace.by_id.get(target.document)
    if reference is None:
        below = _documents_below(workspace, [_folder(workspace, target.document)], wanted)
        return outline_all(workspace, selection, below, wanted)
    if wanted and workspace.document(reference).outline_gaps is None:
        raise no_outline_error(reference.path)
    return selection.with_pick(_outline_pick(selection.document_pick(reference.id), reference, wanted))


def outline_all(
    workspace: Workspace, selection: Selection, references: Sequence[Reference], wanted: bool = True
) -> Selection:
    """The selection with the outlines of documents, or with the whole texts of outlined documents.

    Documents without an outline stay as they are. Raises ContextError if `wanted` and no document has an outline.
    """
    old = {each.id: selection.document_pick(each.id) for each in references}
    if wanted:
        changed = with_outline(workspace, references)
        if not changed:
            raise no_outline_error(references[0].path) if references else NotFound("there is no file to outline")
    else:
        changed = [each for each in references if (pick := old[each.id]) is not None and pick.outline]
    picks = {pick.id: pick for pick in selection.picks}
    for each in changed:
        picks[each.id] = _outline_pick(old[each.id], each, wanted)
    return replace(selection, picks=tuple(picks.values()))


def _outline_pick(old: Pick | None, reference: Reference, wanted: bool) -> Pick:
    pinned = old.pinned if old else reference.protected
    if not wanted:
        return Pick(reference.id, pinned=pinned)
    marks = old.marks if old and not old.whole else ()
    return Pick(reference.id, False, marks, pinned, outline=True)


def _folder_state(selection: Selection, node: Node) -> PickState:
    """How much of a folder is picked. Large data beside other files can only turn `none` into `part`."""
    usual: set[PickState] = set()
    large: set[PickState] = set()
    for reference in node.documents():
        (large if reference.large else usual).add(_whole_state(selection.document_pick(reference.id)))
        if len(usual) > 1 or "part" in usual:
            return "part"
    if (usual or large) == {"all"}:
        return "all"
    return "none" if usual | large <= {"none"} else "part"


def _whole_state(pick: Pick | None) -> PickState:
    """How much a pick takes of its document (`all`, `part` or `none`), as far as known without reading the file."""
    if pick is None:
        return "none"
    is_whole = pick.whole and pick.tasks is None and all(wanted for _, wanted in pick.marks)
    return "all" if is_whole else "part"
