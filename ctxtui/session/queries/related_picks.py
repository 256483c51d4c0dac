"""Pick the files related to the picks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import invalid
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.target import OUTLINE, Target
from ctxtui.core.base.wording import plural
from ctxtui.core.text.code.imports import lacks_import_grammar
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.outlines import with_outline
from ctxtui.session.picks import Pick, QueryPick, SnippetPick
from ctxtui.session.queries.answers import AnswerItem
from ctxtui.session.session import Session, resolved
from ctxtui.workspace.related.related import KINDS, NEEDS, Kind, Related, related
from ctxtui.workspace.workspace import Workspace

MOST_STEPS: Final = 3

MOST_OF_A_KIND: Final = 10
"""More files of a kind tell nothing, so none are added."""

_WORTH: Final[tuple[Kind, ...]] = ("imports", "test", "imported by", "document")
_WORDS: Final[dict[Kind, str]] = {"imported by": "that import it", "test": "tests", "document": "documents"}


def with_related(session: Session, steps: int, on_notice: OnNotice, check: Check = go_on) -> Session:
    """The session with the files related to its picks added as picks, each once, nearest first.

    Where they do not fit into the budget whole, those with an outline are picked as outlines. A step goes from files
    to their imports, their tests, and to files that import or name them, as `useful` decides. `check` is called for
    every file. Raises ContextError (invalid_request) if nothing is picked, and for too many steps or none.
    """
    if not 1 <= steps <= MOST_STEPS:
        raise invalid(f"related files are 1 to {MOST_STEPS} steps away", hint="1 is usual")
    session = resolved(session)
    picked = list(dict.fromkeys(_picked_documents(session)))
    if not picked:
        hint = "name a file, such as --pick FILE --related 1"
        raise invalid("nothing is picked that files could be related to", hint=hint)
    seen, near, added = set(picked), picked, list[Related]()
    left: dict[str, Kind] = {}
    for _ in range(steps):
        rows, more = _step(session, near, check)
        left |= more
        new = [row for row in rows if row.id not in seen]
        seen.update(row.id for row in new)
        added += new
        near = [row.id for row in new]
    if any(lacks_import_grammar(session.workspace.by_id[id_].path) for id_ in seen):
        on_notice(Notice("no-grammar", f"files are related without {NEEDS}"))
    on_notice(
        Notice("related-files", _summary(added, Counter(kind for id_, kind in left.items() if id_ not in seen)))
    )
    whole = session.pick_in_order([row.id for row in added])
    limit = session.budget.effective
    if limit is None or whole.layout(over="fail").upper <= limit:
        return whole
    references = map(session.workspace.by_id.__getitem__, (row.id for row in added))
    outlined = {each.id for each in with_outline(session.workspace, references)}
    if outlined:
        told = plural(len(outlined), "related file")
        on_notice(Notice("related-files", f"{told} picked as outlines to fit the budget"))
    return session.pick_in_order([str(Target(row.id, OUTLINE)) if row.id in outlined else row.id for row in added])


def useful(rows: Iterable[Related]) -> tuple[list[Related], Counter[Kind]]:
    """The related files to add, most significant first, and the number of files of each kind left out.

    Imports and the tests named after a file are always added, of each other kind all or none.
    """
    rows = list(rows)
    sizes = Counter(row.kind for row in rows if not _is_sure(row))
    left = Counter({kind: size for kind, size in sizes.items() if size > MOST_OF_A_KIND})
    kept = [row for row in rows if _is_sure(row) or row.kind not in left]
    kept.sort(key=lambda row: (not row.is_named, _WORTH.index(row.kind)))
    return kept, left


def _is_sure(row: Related) -> bool:
    return row.kind == "imports" or row.is_named


def _picked_documents(session: Session) -> Iterator[str]:
    """The ids of documents in picks and query results. Commits, and files that are no documents, are skipped."""
    workspace = session.workspace
    for pick in session.picks:
        found: list[Reference | None] = []
        if isinstance(pick, Pick):
            found = [workspace.by_id.get(pick.id)]
        elif isinstance(pick, SnippetPick):
            found = [workspace.by_id.get(pick.document)]
        elif isinstance(pick, QueryPick):
            for item in session.answers[pick.definition].items:
                found += _documents_of(workspace, item)
        yield from (each.id for each in found if each is not None)


def _documents_of(workspace: Workspace, item: AnswerItem) -> list[Reference | None]:
    """The documents of an item: the changed files, or the document with its id. None for any other file."""
    if item.paths:
        return [workspace.by_path.get(path) for path in item.paths]
    return [workspace.by_id.get(Target.parse(item.id).document)]


def _step(session: Session, ids: Iterable[str], check: Check) -> tuple[list[Related], dict[str, Kind]]:
    """The useful documents one step away, each once, and the kinds of the documents left out, by id."""
    found: dict[str, Related] = {}
    out: dict[str, Kind] = {}
    for id_ in ids:
        rows = related(session.workspace, id_, session.budget.counter, check)
        kept, left = useful(rows)
        for row in kept:
            found.setdefault(row.id, row)
        out.update({row.id: row.kind for row in rows if row.kind in left and not _is_sure(row)})
    return list(found.values()), out


def _summary(added: Sequence[Related], left: Mapping[Kind, int]) -> str:
    tokens = plural(sum(row.tokens or 0 for row in added), "token")
    told = f"{plural(len(added), 'related file')} added, {tokens}" if added else "no related file to add"
    if left:
        kinds = ", ".join(f"{left[kind]:,} {_WORDS[kind]}" for kind in KINDS if kind in left)
        told += f"; left out, as over {MOST_OF_A_KIND} of a kind: {kinds}"
    return told
