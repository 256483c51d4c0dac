"""One search over everything: names, metadata, symbols, headings, text and meaning, in one ranked list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import Target
from ctxtui.core.text.code.languages import language_of
from ctxtui.core.text.markdown.document import FRONTMATTER
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.retrieval.index.index import OnReached
from ctxtui.session.queries.prompt_search import Passages, PromptSearch
from ctxtui.workspace.search import Hit, Searcher, initials, squeezed
from ctxtui.workspace.workspace import Workspace

# The relevance of a name that is the query, begins with it, contains it, or has its initials.
_EQUAL, _BEGINS, _CONTAINS, _INITIALS = 1.0, 0.9, 0.7, 0.65
_SYMBOL: Final = 0.98
_METADATA: Final = 0.92
_PASSAGE: Final = 0.88
# A hit that matches in several ways is worth a little more for each.
_ALSO: Final = 0.02
_MOST_FILES: Final = 60
_MOST_NAMES: Final = 50
_FEWEST_LETTERS: Final = 2


def search_everywhere(
    workspace: Workspace, query: str, prompter: PromptSearch, on_reached: OnReached | None = None
) -> Passages:
    """Everything that a query finds in the project, best first. Each hit says in `matched_on` how.

    The first call indexes the project, and `on_reached` receives its progress. Raises RetrievalError.
    """
    return with_names(Searcher(workspace), query, prompter.find_in_all(workspace, query, on_reached), prompter)


def with_names(searcher: Searcher, query: str, passages: Passages, prompter: PromptSearch) -> Passages:
    """The `passages` of a query, and the files, metadata, symbols and headings that match it, best first.

    A searcher that is kept indexes the metadata once for all queries.
    """
    workspace = searcher.workspace
    wanted = squeezed(query)
    hits: dict[str, Hit] = {}
    found = list(_by_name(searcher.paths, wanted))
    found += (replace(hit, relevance=round(hit.relevance * _METADATA, 4)) for hit in searcher.meta(query))
    if len(wanted) >= _FEWEST_LETTERS:
        found += _by_symbol(workspace, query, wanted, passages.hits, prompter)
    for hit in (*found, *map(_as_text, passages.hits)):
        hits[hit.id] = _joined_hit(hits[hit.id], hit) if hit.id in hits else hit
    ranked = sorted(hits.values(), key=lambda hit: (-hit.relevance, hit.id))
    return Passages(ranked, passages.notices, passages.reached)


def _by_name(paths: Iterable[tuple[Reference, str]], wanted: str) -> Iterator[Hit]:
    """Files with a name like `wanted`, the query as `squeezed`, or with a path that ends with it, best first."""
    if len(wanted) < _FEWEST_LETTERS:
        return
    found = []
    for reference, path in paths:
        name = reference.path.rpartition("/")[2]
        worth = _EQUAL if path.endswith(wanted) else _likeness(name.partition(".")[0] or name, wanted)
        if worth:
            found.append(Hit(reference.id, reference, worth, ("name",)))
    found.sort(key=lambda hit: (-hit.relevance, len(hit.id), hit.id))
    yield from found[:_MOST_NAMES]


def _likeness(name: str, wanted: str) -> float:
    """How much a name is like the squeezed query `wanted`, within 0..1, 0 if it does not contain it."""
    found = squeezed(name)
    if found.startswith(wanted):
        return _EQUAL if found == wanted else _BEGINS
    if wanted in found:
        return _CONTAINS
    return _INITIALS if _FEWEST_LETTERS < len(wanted) < len(name) and initials(name) == wanted else 0.0


def _by_symbol(
    workspace: Workspace, query: str, wanted: str, passages: Iterable[Hit], prompter: PromptSearch
) -> Iterator[Hit]:
    """Symbols and headings named like `wanted`, the squeezed query, in files of passages and of `paths_headed`."""
    ids = [hit.reference.id for hit in passages]
    paths = prompter.paths_headed(workspace, query)
    ids += [workspace.by_path[path].id for path in paths if path in workspace.by_path]
    for id_ in islice(dict.fromkeys(ids), _MOST_FILES):
        reference = workspace.by_id[id_]
        try:
            document = workspace.document(reference)
        except ContextError:
            continue
        is_code = language_of(reference.path) is not None
        for part in document.parts:
            worth = _likeness(part.name, wanted) if part.is_named else 0.0
            if worth:
                line = part.line + 1
                what = ("symbol",) if is_code else ("heading",)
                relevance = round(worth * _SYMBOL, 4)
                shown = document.own_text(part).strip().partition("\n")[0]
                yield Hit(str(Target(id_, part.slug)), reference, relevance, what, line, shown, name=part.slug)


def _as_text(hit: Hit) -> Hit:
    """A hit in the text, ranked below equal hits by name. A hit in metadata becomes one on the whole document."""
    # Metadata says what the whole document is about.
    id_ = hit.reference.id if Target.parse(hit.id).section == FRONTMATTER else hit.id
    return replace(hit, id=id_, relevance=round(hit.relevance * _PASSAGE, 4), matched_on=("text",))


def _joined_hit(one: Hit, other: Hit) -> Hit:
    """One hit for two with the same id, more relevant than both, at the line of the better one or else the other."""
    first, second = (one, other) if one.relevance >= other.relevance else (other, one)
    about = tuple(dict.fromkeys((*first.matched_on, *second.matched_on)))
    place = first if first.line is not None else second
    return replace(
        place,
        relevance=min(1.0, round(first.relevance + _ALSO, 4)),
        matched_on=about,
        terms=first.terms or second.terms,
    )
