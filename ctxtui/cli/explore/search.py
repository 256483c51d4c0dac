"""`ctxtui search`: documents and sections that a query finds, best first, with what matched."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import Any

from ctxtui.catalog.types import to_json
from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import Progress, put
from ctxtui.cli.project import Narrator, aligned, narrated, open_project, require_domain, start_session
from ctxtui.cli.status import DONE
from ctxtui.core.base.errors import invalid
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.target import Target
from ctxtui.core.documents.listing import CATALOG
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.queries.prompt_search import PromptSearch
from ctxtui.session.queries.whole_search import search_everywhere
from ctxtui.session.session import Session
from ctxtui.workspace.search import Hit, Searcher, catalog_reference
from ctxtui.workspace.workspace import Workspace

_EXCERPT = 160


@narrated
def run_search(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Search everything, or one scope. Finding nothing is not an error."""
    if arguments.limit < 1:
        raise invalid(f"--limit {arguments.limit} shows nothing", hint="give 1 or more")
    workspace, config = open_project(arguments, narrator)
    session = start_session(workspace, config, arguments)
    if arguments.domain is not None:
        known = {reference.domain for reference in workspace.references} - {""}
        require_domain(arguments.domain, sorted(known))
    hits = _hits(workspace, " ".join(arguments.query), arguments, narrator)
    shown = hits[: arguments.limit]
    if arguments.json:
        short = {hit.id: session.tokens(hit.id) for hit in shown}
        result = short if arguments.short else [_hit_json(session, hit) for hit in shown]
        print_json(result, narrator.notices)
    elif shown:
        rows = [_row(session, hit) for hit in shown]
        put("\n".join(aligned(rows, {0, 2})))
    workspace.reader.flush()
    more = f" of {len(hits)}" if len(hits) > len(shown) else ""
    narrator.say(f"{len(shown)}{more} found" if hits else "nothing found")
    return DONE


def _hits(workspace: Workspace, query: str, arguments: argparse.Namespace, narrator: Narrator) -> list[Hit]:
    """All hits in the scope, best first. The search by meaning indexes the project and adds notices."""
    if arguments.scope not in (None, "prompt"):
        return Searcher(workspace).find(arguments.scope, query, arguments.domain)
    with closing(PromptSearch({})) as prompter, Progress("indexing", arguments.quiet) as progress:
        if arguments.scope is None:
            found = search_everywhere(workspace, query, prompter, progress.reach)
        else:
            found = prompter.find_in_all(workspace, query, progress.reach)
    narrator.tell(found.notices)
    return [hit for hit in found.hits if arguments.domain in (None, hit.reference.domain)]


def _hit_json(session: Session, hit: Hit) -> dict[str, Any]:
    return {
        "id": hit.id,
        "relevance": hit.relevance,
        "matchedOn": list(hit.matched_on),
        "line": hit.line,
        "section": hit.name,
        "excerpt": hit.excerpt,
        "tokens": session.tokens(hit.id),
        "reference": _reference_json(session.workspace, hit.reference),
    }


def _reference_json(workspace: Workspace, reference: Reference) -> dict[str, Any]:
    """A reference as JSON of the specification. Outside catalogs, empty values and assumed types are left out."""
    shown: dict[str, Any] = to_json(catalog_reference(workspace, reference))
    if reference.source == CATALOG:
        return shown
    said = {"type": reference.details.type, "loadingStrategy": reference.strategy}
    unsaid = {key for key, value in said.items() if not value}
    return {key: value for key, value in shown.items() if key not in unsaid and value not in ("", 0, [])}


def _row(session: Session, hit: Hit) -> tuple[str, ...]:
    tokens = session.tokens(hit.id)
    place = plain_line(hit.id if hit.line is None else f"{hit.id}:{hit.line}")
    size = "–" if tokens is None else f"{tokens:,}"
    told = f"{hit.name}: {hit.matching}" if Target.parse(hit.id).lines and hit.name else hit.matching
    return f"{hit.relevance:.2f}", place, size, ", ".join(hit.matched_on), plain_line(told)[:_EXCERPT]
