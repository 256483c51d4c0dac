"""Folders of a project that become links out of it while it is open: nothing outside is shown or written."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui import ContextError, Workspace
from ctxtui.core.base.notices import Notice
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.entries import ContextQuery
from ctxtui.mcp.project import Catalogs
from ctxtui.session.queries.entry_book import EntryBook, EntryDraft
from ctxtui.session.queries.questions import answer
from ctxtui.workspace.detect import Detector
from ctxtui.workspace.links import related_links
from tests.conftest import Project

Ask = Callable[[], object]
HEURISTIC = get_counter("heuristic")
PYTHON = (
    "---\nid: python/{id}\ntitle: {title}\ntype: {kind}\nestimatedTokens: 9\nloadingStrategy: always\n"
    "crossDomainTriggers: [auth]\n---\n# {title}\n"
)
CROSS = "# Cross\n\n| Primary | Trigger | To Load | Score |\n|---|---|---|---|\n| Any | auth {title} | `security/{title}` | 0.9 |\n"
ENTRY = "---\nentryId: {id}\ncategory: Decision\ncreatedAt: '2026-01-01T00:00:00Z'\n---\nText of {id}.\n"


def _library(title: str) -> dict[str, str]:
    return {
        "library/loading_protocol.md": f"# {title}\n",
        "library/cross_domain.md": CROSS.format(title=title),
        "library/python/index.md": PYTHON.format(id="index", title=title, kind="index"),
        f"library/python/{title}.md": PYTHON.format(id=title, title=title, kind="pattern"),
        f"library/security/{title}.md": PYTHON.format(id=title, title=title, kind="pattern"),
        f"notes/{title}.md": ENTRY.format(id=title),
        f"notes/{title}2.md": ENTRY.format(id=f"{title}2"),
    }


def _askers(root: Path) -> dict[str, Ask]:
    """What shows something of a catalog or of entries, ready before anything is swapped."""
    workspace = Workspace.open(root, on_notice=lambda _: None)
    notices: list[Notice] = []
    book = EntryBook(workspace, "notes", notices.append)
    detector, catalogs = Detector(workspace, HEURISTIC), Catalogs(root)
    catalogs.refreshed_names()
    domain = detector.domains[0]
    ours = workspace.by_path["library/python/ours.md"]

    def served() -> object:
        with catalogs.use("library", notices.append) as provider:
            return provider.get_catalog(), provider.search("theirs"), provider.search("ours")

    def queried(definition: str) -> Ask:
        return lambda: asyncio.run(answer(workspace, definition, "here", HEURISTIC))

    return {
        "detect": lambda: detector.detect(domain),
        "related links": lambda: related_links(workspace, ours),
        "mcp": served,
        "book": lambda: (asyncio.run(book.find(ContextQuery())), tuple(notices)),
        "filter": queried('{"entries": {"keywords": "Text"}, "from": "notes"}'),
        "board": queried('{"context": "all", "from": "notes"}'),
        "add": lambda: asyncio.run(book.add(EntryDraft("New text.", "Decision"))),
    }


def _said(ask: Ask) -> str:
    try:
        return repr(ask())
    except ContextError as error:
        return repr((error.message, error.hint))


@pytest.mark.parametrize("is_warm", [True, False])
def test_a_swapped_folder_shows_nothing_from_outside(project: Project, is_warm: bool) -> None:
    root, outside = project(_library("ours")), project(_library("theirs"))
    before = sorted(outside.rglob("*"))
    askers = _askers(root)
    if is_warm:
        said = {name: _said(ask) for name, ask in askers.items() if name != "add"}
        assert not {name: each for name, each in said.items() if "ours" not in each}
    for folder in ("library", "notes"):
        (root / folder).rename(root / f"{folder}-away")
        (root / folder).symlink_to(outside / folder)
    said = {name: _said(ask) for name, ask in askers.items()}
    assert not [name for name, each in said.items() if "theirs" in each], said
    assert sorted(outside.rglob("*")) == before
