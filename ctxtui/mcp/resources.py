"""Resources: the project's documents, the current payloads of its recipes, and the manual, by URI."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final
from urllib.parse import quote, unquote

from mcp.types import Resource

from ctxtui.core.base.errors import ContextError, NotFound, invalid
from ctxtui.core.base.manual import TOPICS, page
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.target import OUTLINE, Target
from ctxtui.core.documents.listing import PLAIN
from ctxtui.core.text.code.outline import elided_pieces
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import has_markdown_text
from ctxtui.core.text.secrets import Cut
from ctxtui.mcp.payload_tools import recipe_text
from ctxtui.mcp.project import Project
from ctxtui.mcp.results import bounded_text
from ctxtui.session.outlines import gaps_beside, no_outline_error
from ctxtui.session.saved.recipe import recipe_names
from ctxtui.workspace.resolve import lines_meant, resolve
from ctxtui.workspace.workspace import Workspace

_SCHEME: Final = "ctxtui://"
TEMPLATES: Final = (
    (f"{_SCHEME}document/{{+id}}", "document", "A document by its id, or a section: ID#SECTION"),
    (f"{_SCHEME}recipe/{{name}}", "recipe", "The current payload of a saved recipe"),
    (f"{_SCHEME}manual/{{topic}}", "manual", f"How ctxtui works: {', '.join(TOPICS)}"),
)


def list_resources(project: Project) -> list[Resource]:
    """The recipes, without a size, then the documents of every source but plain files, which can be read by id."""
    workspace = project.workspace()
    try:
        names = recipe_names(workspace.reader.root)
    except ContextError as error:
        names = []
        project.tell_once(Notice("unreadable-folder", f"{error.message}; no recipes are listed"))
    recipes = [
        Resource(uri=f"{_SCHEME}recipe/{quote(name)}", name=name, title=f"recipe {name}", mime_type="text/markdown")
        for name in names
    ]
    documents = [
        Resource(
            uri=f"{_SCHEME}document/{quote(each.id)}",
            name=_short_text(each.id),
            title=_short_text(each.title),
            mime_type=_mime(each.path),
            size=each.stamp.size,
        )
        for each in workspace.references
        if each.source != PLAIN
    ]
    return recipes + documents


def read_resource(project: Project, uri: str) -> tuple[str, str]:
    """The text of a resource, as `bounded_text`, and its media type. Raises NotFound, ContextError if unreadable."""
    for kind, read in _KINDS.items():
        if uri.startswith(f"{_SCHEME}{kind}/"):
            text, mime = read(project, uri.removeprefix(f"{_SCHEME}{kind}/"))
            return bounded_text(text), mime
    raise NotFound("no such resource", hint=" or ".join(uri for uri, _, _ in TEMPLATES))


def _document(project: Project, target: str) -> tuple[str, str]:
    """The text and media type of a document, or of the part that a quoted `ID#SECTION` means."""
    workspace = project.workspace()
    named = Target(*map(unquote, Target.parse(target)))
    owner, slug = resolve(workspace, str(named), workspace.root)
    if owner not in workspace.by_id:
        raise invalid("a folder is not a resource", hint="read one of its documents")
    reference = workspace.by_id[owner]
    document = workspace.document(reference)
    text = _part(workspace, document, Target(owner, slug)) if slug else document.text
    return text, _mime(reference.path)


def _part(workspace: Workspace, document: Document, target: Target) -> str:
    """The outline, the lines or the section that a target means. Raises ContextError without an outline."""
    pieces: Iterable[tuple[int, int] | str]
    if target.section == OUTLINE:
        gaps = gaps_beside(document, ())
        if gaps is None:
            raise no_outline_error(document.path)
        pieces = elided_pieces(document.text, gaps)
    elif lines := lines_meant(workspace, target):
        pieces = [document.lines.span(*lines)]
    else:
        part = document.parts[document.position(target.section) or 0]
        pieces = [(part.start, part.end)]
    return Cut.of(document.text, pieces).redacted()


def _recipe(project: Project, name: str) -> tuple[str, str]:
    return recipe_text(project.workspace(), unquote(name), project.secrets), "text/markdown"


_KINDS: Final[Mapping[str, Callable[[Project, str], tuple[str, str]]]] = {
    "document": _document,
    "recipe": _recipe,
    "manual": lambda _, topic: (page(unquote(topic)), "text/markdown"),
}


def _mime(path: str) -> str:
    return "text/markdown" if has_markdown_text(path) else "text/plain"


def _short_text(text: str) -> str:
    return bounded_text(text)[:300]
