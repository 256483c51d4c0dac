"""`ctxtui show`: a document's reference, its text, some of its sections, or related files."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from ctxtui.cli.output.as_json import print_json, reference_json
from ctxtui.cli.output.streams import put, require_stdout, write_redacted, write_stdout
from ctxtui.cli.project import Narrator, aligned, budget_of, narrated, open_project
from ctxtui.cli.status import DONE
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.target import OUTLINE, Target
from ctxtui.core.base.wording import plural
from ctxtui.core.payload.formats import full_line
from ctxtui.core.text.code.imports import lacks_import_grammar
from ctxtui.core.text.code.languages import why_no_symbols
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import has_headings, match_key
from ctxtui.core.text.metadata.reference import Declared, Reference
from ctxtui.core.text.projection import Shapes, project
from ctxtui.core.text.secrets import Cut
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.session.outlines import no_outline_error, outline_tokens, outlined_text
from ctxtui.workspace.related.related import NEEDS, related
from ctxtui.workspace.resolve import lines_meant, resolve, section_slug
from ctxtui.workspace.workspace import Workspace

_RELATED: Final[Shapes] = {"Related": "id kind path=reference.path tokens named=is_named"}


@narrated
def run_show(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Show references, or with `--content` and `--section` the text itself. Errors follow after all other files."""
    workspace, config = open_project(arguments, narrator)
    counter = budget_of(config, arguments).counter
    if arguments.related:
        return _run_related(workspace, arguments, counter, narrator)
    results: list[dict[str, Any]] = []
    failures: list[ContextError] = []
    for name in arguments.ids:
        try:
            result, text = _result_and_text(workspace, resolve(workspace, name), arguments, counter)
        except ContextError as error:
            # The other files are still shown.
            failures.append(error)
            continue
        results.append(result)
        reference = workspace.by_id[result["id"]]
        narrator.tell(workspace.document(reference).notices)
        if "sections" in result and (why := why_no_symbols(reference.path)) and not has_headings(reference.path):
            # The same for all files of a kind, so that it is printed once.
            narrator(Notice("no-grammar", why))
        if not arguments.json:
            _print(result, text)
    if arguments.json and results:
        print_json(results[0] if len(arguments.ids) == 1 else results, narrator.notices)
    workspace.reader.cache.flush()
    if failures:
        raise _joined_failure(failures)
    return DONE


def _joined_failure(failures: Sequence[ContextError]) -> ContextError:
    """The first failure, with the messages of the others, and the first hint, added to it."""
    first, *more = failures
    for each in more:
        first.message += f"; {each.message}"
    first.hint = first.hint or next((each.hint for each in more if each.hint), None)
    return first


def _run_related(
    workspace: Workspace, arguments: argparse.Namespace, counter: TokenCounter, narrator: Narrator
) -> int:
    """Print the files related to each document. Returns 0. Raises ContextError at the first unknown name."""
    if arguments.content or arguments.section:
        raise invalid("--related lists files instead of showing one", hint="leave out --content and --section")
    results = []
    for name in arguments.ids:
        id_ = _document_id(workspace, resolve(workspace, name).document)
        rows = project(related(workspace, id_, counter), _RELATED)
        results.append({"id": id_, **counter.described(), "related": rows})
        if lacks_import_grammar(workspace.by_id[id_].path):
            narrator(Notice("no-grammar", f"files are related without {NEEDS}"))
    if arguments.json:
        print_json(results[0] if len(results) == 1 else results, narrator.notices)
        return DONE
    for result in results:
        _print_related(result)
    sizes = {each["id"]: each["tokens"] or 0 for result in results for each in result["related"]}
    narrator.say(f"{plural(len(sizes), 'related file')}, {plural(sum(sizes.values()), 'token')}")
    return DONE


def _document_id(workspace: Workspace, owner: str) -> str:
    if owner not in workspace.by_id:
        raise invalid(f"{owner} is a folder", hint="name one of its documents: ctxtui ls")
    return owner


def _result_and_text(
    workspace: Workspace, target: Target, arguments: argparse.Namespace, counter: TokenCounter
) -> tuple[dict[str, Any], str | None]:
    """A document as JSON, and its text: an outline, sections and lines, or with `--content` the body.

    Without any of them, the JSON is a reference and the text is None.
    """
    owner, slug = target
    reference = workspace.by_id[_document_id(workspace, owner)]
    document = workspace.document(reference)
    lines = lines_meant(workspace, target)
    found = [(f"lines {lines[0]}-{lines[1]}", slug, document.lines.span(*lines))] if lines else []
    slugs = [slug] if slug and slug != OUTLINE and not lines else []
    for each in (*slugs, *(section_slug(workspace, owner, name) for name in arguments.section or ())):
        part = document.parts[document.position(each) or 0]
        found.append((part.name, part.slug, (part.start, part.end)))
    if arguments.outline or slug == OUTLINE:
        return _outline_result(document, reference, _merged(span for *_, span in found), counter)
    if found:
        cuts = [(name, slug, Cut.of(document.text, [span])) for name, slug, span in found]
        return _sections_result(reference, cuts, arguments, counter)
    if not arguments.content:
        return _reference_result(workspace, reference, document, counter), None
    text = document.body
    return {
        "id": owner,
        "title": reference.title,
        "content": text,
        "estimatedTokens": _token_counting(arguments, counter)(text),
        "metadata": dict(reference.details.values),
    }, text


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, those that overlap as one: a section may be named beside one that is nested in it."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _token_counting(arguments: argparse.Namespace, counter: TokenCounter) -> Callable[[str], int]:
    """The counter for `--json`, else `len`, since text shows no numbers and building an encoder takes long."""
    return counter.count if arguments.json else len


def _sections_result(
    reference: Reference, found: Sequence[tuple[str, str, Cut]], arguments: argparse.Namespace, counter: TokenCounter
) -> tuple[dict[str, Any], str]:
    """The sections or lines in `found` (name, slug, text) as JSON with tokens, and their joined texts."""
    count = _token_counting(arguments, counter)
    return {
        "id": reference.id,
        "title": reference.title,
        "sections": [
            {"name": name, "slug": slug, "content": cut.redacted(), "tokens": count(cut.text)}
            for name, slug, cut in found
        ],
        "totalTokens": sum(count(cut.text) for *_, cut in found),
        "metadata": dict(reference.details.values),
    }, "".join(cut.text for *_, cut in found)


def _outline_result(
    document: Document, reference: Reference, in_full: Sequence[tuple[int, int]], counter: TokenCounter
) -> tuple[dict[str, Any], str]:
    """A file's outline as JSON and as text, with the ranges `in_full` complete. Raises ContextError without one."""
    text = outlined_text(document, in_full)
    if text is None:
        raise no_outline_error(reference.path)
    return {
        "id": reference.id,
        "title": reference.title,
        "content": text,
        "tokens": counter.count(document.text),
        "outlineTokens": counter.count(text),
    }, text


def _reference_result(
    workspace: Workspace, reference: Reference, document: Document, counter: TokenCounter
) -> dict[str, Any]:
    """All metadata and sizes. A declared section that no heading has is under `declaredWithoutHeading`."""
    outline = outline_tokens(document, counter, workspace.reader.cache)
    declared = {match_key(section.name): section for section in reference.details.sections}
    sizes = workspace.reader.part_sizes(document, counter)
    sections = []
    for part, size in zip(document.parts, sizes, strict=True):
        claim = declared.pop(match_key(part.name), None) if part.level else None
        sections.append(
            {
                "name": part.name,
                "slug": part.slug,
                "level": part.level,
                "line": part.line + 1,
                "tokens": size,
                **_declared_json(claim),
            }
        )
    return reference_json(reference) | {
        "tokens": workspace.tokens(reference, counter),
        **({} if outline is None else {"outlineTokens": outline}),
        **counter.described(),
        "sections": sections,
        "declaredWithoutHeading": [{"name": claim.name, **_declared_json(claim)} for claim in declared.values()],
        "metadata": dict(reference.details.values),
    }


def _declared_json(claim: Declared | None) -> dict[str, Any]:
    if claim is None:
        return {"estimatedTokens": None, "keywords": []}
    return {"estimatedTokens": claim.estimated_tokens, "keywords": list(claim.keywords)}


def _print(result: dict[str, Any], text: str | None) -> None:
    if text is not None:
        write_stdout(full_line(text).encode())
        return
    fields = [
        (key, ", ".join(map(str, value)) if isinstance(value, list) else str(value))
        for key, value in result.items()
        if key not in ("sections", "metadata", "declaredWithoutHeading") and value not in (None, [], "")
    ]
    put("\n".join(aligned([(key, plain_line(value)) for key, value in fields])))
    rows = [
        (
            f"  {'  ' * max(0, section['level'] - 1)}{plain_line(section['name'])}",
            f"{section['tokens']:,}",
            "" if section["estimatedTokens"] is None else f"declared {section['estimatedTokens']:,}",
        )
        for section in result["sections"]
    ]
    if rows:
        put("sections\n" + "\n".join(aligned(rows, {1})))
    for section in result["declaredWithoutHeading"]:
        put(f"  {plain_line(section['name'])}: declared, but no heading of that name")


def _print_related(result: dict[str, Any]) -> None:
    """Print kind, id and tokens of related files: aligned for a terminal, tab-separated to a pipe."""
    sized = ((each, "" if each["tokens"] is None else str(each["tokens"])) for each in result["related"])
    rows = [(each["kind"], plain_line(each["id"]), tokens) for each, tokens in sized]
    if not require_stdout().isatty():
        write_redacted("".join("\t".join(row) + "\n" for row in rows))
    elif rows:
        put("\n".join(aligned([("KIND", "ID", "TOKENS"), *rows], {2})))
