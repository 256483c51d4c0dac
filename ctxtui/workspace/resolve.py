"""Names that people type for documents and sections: ids, paths, suffixes of either."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from pathlib import Path

from ctxtui.core.base.errors import Binary, ContextError, NotFound, invalid
from ctxtui.core.base.target import OUTLINE, Target
from ctxtui.core.base.wording import near
from ctxtui.core.disk.open_at import exists, is_folder
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.metadata.reference import Reference, composed, encode_id
from ctxtui.workspace.listing import require_listed
from ctxtui.workspace.workspace import Workspace


def resolve(workspace: Workspace, name: str, directory: Path | None = None) -> Target:
    """The document, folder, part or lines that a typed name means.

    Tried in order: the id of a document, a path relative to `directory` (the current directory), a path below the
    root, the same two paths for a folder, the suffix of an id or path. Raises NotFound with the closest names, and
    ContextError (invalid_request) naming the candidates if a name is ambiguous.
    """
    for id_of in (resolve_exact, _folder_id, _id_by_ending):
        for document, section in _readings(name):
            owner = id_of(workspace, document, directory)
            if owner is not None:
                return _target_within(workspace, owner, section)
    for path in filter(None, _paths(workspace, name, directory)):
        require_listed(workspace.reader.root, workspace.scope, path, name)
    *_, (named, _) = _readings(name)
    raise NotFound(f"no document {named}", hint=near(named, workspace.by_id))


def _target_within(workspace: Workspace, owner: str, section: str) -> Target:
    """The target of a section, an outline or lines as typed. Raises as `resolve` does."""
    if not section:
        return Target(owner)
    if section == OUTLINE and owner in workspace.by_id:
        return Target(owner, OUTLINE)
    lines = lines_meant(workspace, Target(owner, section))
    return Target.of_lines(owner, *lines) if lines else Target(owner, section_slug(workspace, owner, section))


def lines_meant(workspace: Workspace, target: Target) -> tuple[int, int] | None:
    """The first and last line (from 1) of a target of lines in a document, else None.

    A section with a slug such as `L10` is no lines. Raises ContextError for lines that the document does not have.
    """
    reference = workspace.by_id.get(target.document) if target.lines else None
    if reference is None or target.lines is None:
        return None
    document = workspace.document(reference)
    if document.position(target.section) is not None:
        return None
    require_lines(document, reference.id, *target.lines)
    return target.lines


def require_lines(document: Document, id_: str, first: int, last: int) -> None:
    """Raise ContextError (invalid_request) unless a document has lines `first` to `last`, from 1, both included.

    The place behind the last line end, which editors number too, may only be the last one.
    """
    starts = document.lines.starts
    count = len(starts) - (starts[-1] == len(document.text))
    if not 1 <= first <= last <= len(starts) or first > count:
        raise invalid(f"{id_} has no lines {first}-{last}", hint=f"it has {count:,}")


def resolve_section(workspace: Workspace, name: str, directory: Path | None) -> Target | None:
    """The section of an existing document that a typed name means. None if the name is not `DOCUMENT#SECTION`.

    Raises as `resolve` does for a section that the document does not have.
    """
    for document, section in _readings(name):
        if section and resolve_exact(workspace, document, directory) is not None:
            return resolve(workspace, name, directory)
    return None


def _readings(name: str) -> Iterator[tuple[str, str]]:
    """Splits of a name into document and section, the longest document first: file names may contain `#`."""
    yield name, ""
    place = -1 if name.endswith("/") else name.rfind("#")
    while place > 0:
        if place < len(name) - 1:
            yield name[:place], name[place + 1 :]
        place = name.rfind("#", 0, place)


def _id_by_ending(workspace: Workspace, name: str, _directory: Path | None) -> str | None:
    ids = [reference.id for reference in workspace.references if _has_ending(reference, name)]
    if len(ids) > 1:
        shown = ", ".join(ids[:8]) + (" …" if len(ids) > 8 else "")
        raise invalid(f"{name} is ambiguous", hint=f"one of {shown}")
    return ids[0] if ids else None


def resolve_exact(workspace: Workspace, name: str, directory: Path | None = None) -> str | None:
    """The id of the document with that id, or that path from `directory` or the root, or None."""
    if name in workspace.by_id:
        return workspace.by_id[name].id
    # A file may have the name of the folder in another normalization.
    if name.endswith("/") and _folder_id(workspace, name, directory) is not None:
        return None
    references = (document_at(workspace, path) for path in _paths(workspace, name, directory))
    return next((each.id for each in references if each is not None), None)


def _folder_id(workspace: Workspace, name: str, directory: Path | None) -> str | None:
    """The id of the folder with that path from `directory` or the root, or None. The root has none."""
    folders = (folder_at(workspace, path) for path in _paths(workspace, name, directory))
    return next((f"{folder}/" for folder in folders if folder), None)


def _paths(workspace: Workspace, name: str, directory: Path | None) -> list[str]:
    """A name as paths below the root: from `directory` (the current directory), if inside, then from the root."""
    return list(dict.fromkeys(path for path in (below_root(workspace, name, directory), name) if path is not None))


def folder_at(workspace: Workspace, place: str) -> str | None:
    """The folder with documents at a path below the root, in any Unicode normalization, or None. "" is the root."""
    folder = "" if place.rstrip("/") in ("", ".") else place.rstrip("/")
    if not folder or folder in workspace.folders:
        return folder
    alike = composed(folder)
    return None if folder.isascii() else next((each for each in workspace.folders if composed(each) == alike), None)


def document_at(workspace: Workspace, path: str) -> Reference | None:
    """The document with a path below the root or an id, in any Unicode normalization, or None."""
    if path in workspace.by_path or path.isascii():
        return workspace.by_path.get(path)
    alike = composed(path)
    every = (each for each in workspace.references if alike in map(composed, (*each.paths, each.id)))
    return next(every, None)


def below_root(workspace: Workspace, name: str, directory: Path | None) -> str | None:
    """A path relative to `directory` (the current directory) as a path below the root, "." for the root.

    None outside, and for an empty name. The file need not exist. Links are resolved only to find a way into the root.
    """
    if not name or "\0" in name:
        return None
    # Thousands of words may be paths, and a `Path` for each is slow.
    root = str(workspace.root).rstrip(os.sep) + os.sep
    place = os.path.normpath(os.path.join(directory or os.getcwd(), name)) + os.sep  # noqa: PTH109, PTH118
    if not place.startswith(root):
        if not os.path.lexists(place.removesuffix(os.sep)):
            return None
        place = os.path.realpath(place) + os.sep
    return (place[len(root) : -1].replace(os.sep, "/") or ".") if place.startswith(root) else None


def resolve_folder(workspace: Workspace, name: str, directory: Path | None = None) -> str:
    """The path below the root (`""`) of a folder, named relative to `directory` (by default the current) or the root.

    Raises NotFound if it does not exist, ContextError (invalid_request) if it is a file or outside the project.
    """
    below = (below_root(workspace, name or ".", each) for each in (directory, workspace.root))
    places = [place for place in below if place is not None]
    found = next((place for place in places if is_folder(workspace.root / place)), None)
    if found is not None and workspace.reader.root.resolve(found):
        return "" if found == "." else found
    if any(exists(workspace.root / place) for place in places):
        raise invalid(f"{name} is a file, not a folder", hint="name a folder of the project")
    if places:
        raise NotFound(f"there is no folder {name} in {workspace.root.name}", hint="name a folder of the project")
    raise invalid(f"{name} lies outside the project", hint=f"name a folder in {workspace.root}")


def _has_ending(reference: Reference, name: str) -> bool:
    if not name:
        return False
    wanted = (f"/{composed(name)}", f"/{composed(encode_id(name))}")
    spelled = (f"/{reference.id}", f"/{reference.path}", f"/{posixpath.splitext(reference.path)[0]}")
    return any(composed(each).endswith(ending) for each in spelled for ending in wanted)


def why_missing(workspace: Workspace, id_: str) -> str:
    """The reason why a pick is missing, in words that follow its name. Reads the document."""
    target = Target.parse(id_)
    reference = workspace.by_id.get(target.document)
    try:
        document = None if reference is None else workspace.document(reference)
    except Binary:
        return "is binary"
    except ContextError:
        document = None
    why = document.why_undivided if document and target.section else ""
    return f"cannot be found: {why}" if why else "is gone or cannot be read"


def section_slug(workspace: Workspace, owner: str, section: str) -> str:
    """The slug of the part with a slug, a name or a path of names (`A/B`). Raises as `resolve` does."""
    if owner not in workspace.by_id:
        raise NotFound(f"{owner} is a folder; it has no sections")
    document = workspace.document(workspace.by_id[owner])
    found = document.find(section)
    if not found:
        known = {part.slug: part for part in document.parts}
        hint = near(section, known) or (f"it has {', '.join(list(known)[:8])}" if known else "it has no sections")
        hint = document.why_undivided or hint
        raise NotFound(f"no section {section} in {owner}", hint=hint)
    if len(found) > 1:
        hint = "one of " + ", ".join(str(Target(owner, part.slug)) for part in found)
        raise invalid(f"{section} names {len(found)} sections of {owner}", hint=hint)
    return found[0].slug
