"""Rules about metadata: wrong token numbers, missing sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from ctxtui.audit.context import Audited
from ctxtui.audit.declared import Claim, Number, file_drift, find_numbers, is_off, piece_tokens, read_claims
from ctxtui.audit.types import Finding, Fix, Remedy
from ctxtui.core.base.wording import nearest, plural
from ctxtui.core.text.decode import Lines
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER

# Comparing names is slow, and nobody reads thousands of hints.
_COMPARED = 200


def token_drift(audited: Audited) -> Iterator[Finding]:
    """Declared token numbers that are wrong by more than both drift thresholds."""
    settings = audited.settings
    for reference, _ in audited.facts():
        details = reference.details
        if details.declared_tokens is None and not details.sections:
            continue
        key = ("drift", reference.path, reference.stamp, audited.counter, settings.drift_share, settings.drift_tokens)
        yield from _kept_findings(audited, key, reference, partial(_drifts, audited))


def _kept_findings(
    audited: Audited, key: tuple[object, ...], reference: Reference, check: Callable[[Document], Iterator[Finding]]
) -> tuple[Finding, ...]:
    """The findings of a check about a document, kept under `key` while the project is open. Empty if unreadable."""

    def findings() -> tuple[Finding, ...]:
        document = audited.document(reference)
        return tuple(check(document)) if document else ()

    kept: tuple[Finding, ...] = audited.workspace.reader.derived.get(key, findings)
    return kept


def _drifts(audited: Audited, document: Document) -> Iterator[Finding]:
    """Findings about the numbers of the file and of its sections that are wrong by the exact count, too."""
    reader, counter, settings = audited.workspace.reader, audited.counter, audited.settings
    # Computed only on demand, because few declared numbers are wrong.
    numbers = cache(lambda: {number.place: number for number in find_numbers(document)})
    exact = counter if counter.exact else get_counter(DEFAULT_TOKENIZER)
    drift = file_drift(reader, document, counter, settings)
    # A number that is right by the exact count is not wrong for a model whose count is estimated.
    if drift is not None and (exact is counter or file_drift(reader, document, exact, settings)):
        yield _drift_finding(document, audited, None, *drift, numbers().get(None))
    for claim in read_claims(document):
        wanted = claim.declared.estimated_tokens
        if claim.span is None or wanted is None:
            continue
        tokens = piece_tokens(reader, document, counter, *claim.span)
        by_count = tokens if exact is counter else piece_tokens(reader, document, exact, *claim.span)
        if is_off(wanted, tokens, settings) and is_off(wanted, by_count, settings):
            yield _drift_finding(document, audited, claim, wanted, tokens, numbers().get(claim.place))


def _drift_finding(
    document: Document, audited: Audited, claim: Claim | None, declared: int, tokens: int, number: Number | None
) -> Finding:
    """The finding about a wrong number of a section, or of the file without `claim`. Its tokens are the difference.

    It has a fix if the counter is exact and the place of the `number` is known.
    """
    what = f"section “{claim.declared.name}” declares" if claim else "declares"
    off = f" ({(tokens - declared) / declared:+,.0%})".replace("%", " %") if declared else ""
    message = f"{what} {plural(declared, 'token')} and has {tokens:,}{off}"
    fixes = (_number_fix(document, number, tokens),) if number and audited.counter.exact else ()
    path, line, subject = document.path, fixes[0].line if fixes else 1, claim.title if claim else "file"
    off_by, evidence = abs(tokens - declared), audited.measured
    remedy = Remedy(f"set estimatedTokens to {tokens:,}", steps=fixes) if fixes else Remedy("")
    return Finding("token-drift", "warning", message, path, line, off_by, evidence, None, subject, remedy)


def _number_fix(document: Document, number: Number, tokens: int) -> Fix:
    lines, text = Lines.of(document.text), document.text
    line = lines.at(number.start)
    start, end = lines.start(line), lines.start(line + 1)
    before = text[start:end].rstrip("\r\n")
    after = f"{text[start : number.start]}{tokens}{text[number.end : end]}".rstrip("\r\n")
    title = f"Set estimatedTokens to {tokens:,}"
    return Fix(document.path, line + 1, title, before, after, number.start, number.end, str(tokens), document.digest)


def missing_sections(audited: Audited) -> Iterator[Finding]:
    """Declared sections without a matching heading."""
    for reference, _ in audited.facts():
        if reference.details.sections:
            key = ("sections", reference.path, reference.stamp)
            yield from _kept_findings(audited, key, reference, _missing_headings)


def _missing_headings(document: Document) -> Iterator[Finding]:
    known = [part.name for part in document.parts if part.level]
    for claim in read_claims(document):
        if claim.span is not None:
            continue
        name = claim.declared.name
        likely = nearest(name, known[:_COMPARED])
        message = f"declares the section “{name}”, but the file has no such heading"
        offset = max(document.text.find(name, 0, document.body_start), 0)
        line, tokens = document.text.count("\n", 0, offset) + 1, claim.declared.estimated_tokens or 0
        remedy = Remedy(f"write “{likely[0]}”", hint=likely[0]) if likely else Remedy("")
        more = ("compared without numbering, anchors and case", None, claim.title, remedy)
        yield Finding("missing-section", "warning", message, document.path, line, tokens, *more)
