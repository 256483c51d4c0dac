"""Sizes of one file under one row: in the units of limits, and the tokens of what enters and of what a limit cuts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from ctxtui.agents.costs import Charge, Entry, Loss, Passed
from ctxtui.agents.project.files import Files
from ctxtui.agents.project.frontmatter import find_block
from ctxtui.agents.project.globs import below_head
from ctxtui.agents.types import AT_START, Limit, Row, RowLoad
from ctxtui.core.text.decode import Lines, line_starts
from ctxtui.core.text.markdown.light import Span, comments

Count = Callable[[str], int]
CountFile = Callable[[str], int | None]


def with_configured_max(limit: Limit, files: Files) -> Limit:
    """A limit with the number that the project's configuration sets, the same if it sets none."""
    value = files.value(limit.set_in) if limit.set_in else None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return replace(limit, max=value)
    return limit


def size_of(text: str, unit: str, count: Count | None = None) -> int | None:
    """The size of a text in bytes of UTF-8, characters, lines, or tokens, None without the counter for tokens."""
    if unit == "bytes":
        return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    if unit == "chars":
        return len(text)
    if unit == "lines":
        starts = line_starts(text)
        return len(starts) - (starts[-1] == len(text))
    return count(text) if unit == "tokens" and count else None


def limited_size(limit: Limit, row: Row, path: str, files: Files, count: Count | None = None) -> int | None:
    """The size of the part that a limit is about, in its unit. None if this one file does not determine it."""
    if limit.of == "depth":
        return below_head(row.files, path).count("/")
    if limit.of in ("file", "body"):

        def size(text: str) -> int | None:
            block = find_block(text) if limit.of == "body" else None
            return size_of(text[block.body :] if block else text, limit.unit, count)

        return files.fact(path, f"{limit.unit} of its {limit.of}", size, None)
    if not files.is_readable(path):
        return None
    keys = limit.of.split("+")
    meta = files.meta(path, row) or {}
    values = [meta[key] for key in keys if key in meta]
    if limit.unit != "chars" or not values:
        return None
    return sum(len(value) if isinstance(value, str) else sum(map(len, value)) for value in values)


def cut_at(text: str, limit: Limit) -> int:
    """The offset in characters at which a limit cuts a text. The text's length if it does not cut it."""
    if limit.then not in ("cut", "cut_line"):
        return len(text)
    offset = min(_cut_offset(text, limit), len(text))
    if limit.then == "cut_line" and offset < len(text):
        return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1 or offset
    return offset


def bytes_within(text: str, room: int) -> int:
    """The number of whole characters from the start that fit into `room` bytes of UTF-8."""
    if text.isascii():
        return min(len(text), room)
    return len(text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore"))


def _cut_offset(text: str, limit: Limit) -> int:
    """The offset in characters at which a limit ends, which may lie behind the text."""
    if limit.unit == "bytes":
        return bytes_within(text, limit.max)
    if limit.unit == "lines":
        starts = line_starts(text)
        return starts[limit.max] if limit.max < len(starts) else len(text)
    return limit.max if limit.unit == "chars" else len(text)


class Scales:
    """Counts the tokens of each distinct text and each file once. A file that cannot be read has None."""

    def __init__(self, files: Files, count: Count, count_file: CountFile | None) -> None:
        # No function refers to this object, as reference cycles are collected rarely.
        counted: Count = cache(lambda text: count(text) if text else 0)

        def whole(path: str) -> int | None:
            text = files.text(path)
            return None if text is None else counted(text)

        self.files, self.text = files, counted
        self.file: CountFile = cache(count_file or whole)


class SharedBytes:
    """The remaining bytes that the files of a row share, in loading order."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}

    def take(self, row: Row, room: int, text: str) -> int:
        """Take a file's bytes from the row's rest (at first `room`), and return how many of its characters fit."""
        left = self._left.setdefault(row.id, room)
        if text.strip():
            self._left[row.id] = max(left - (size_of(text, "bytes") or 0), 0)
        return bytes_within(text, left)


def weigh(found: RowLoad, scales: Scales, shared: SharedBytes, entry: Entry | None = None) -> Charge:
    """The charge of one load. Reads the file only if the row or a limit needs it."""
    load, row, files = found.load, found.row, scales.files
    if load.moment == "never":
        return charge_of(found, 0, (), entry=entry)
    is_plain = load.moment == "reference" or not (row.strip or row.limits)
    text = None if is_plain else files.text(load.path)
    if text is None:
        return charge_of(found, scales.file(load.path), entry=entry)
    # The stretches are offsets in the displayed text.
    text = text.removeprefix("\ufeff")
    limit, end = _first_cut(found, text, shared, files)
    kept, lost = _divide(text, list(_removed_spans(found, text, files)), end)
    is_whole = kept == [Span(0, len(text))]
    tokens = scales.file(load.path) if is_whole else scales.text("".join(text[start:stop] for start, stop in kept))
    losses = tuple(_losses(text, lost, limit, scales)) if limit and lost else ()
    return charge_of(found, tokens, tuple(kept), losses, tuple(_exceeded_limits(found, scales)), entry)


def charge_of(
    found: RowLoad,
    tokens: int | None = None,
    kept: tuple[Span, ...] | None = None,
    lost: tuple[Loss, ...] = (),
    passed: tuple[Passed, ...] = (),
    entry: Entry | None = None,
) -> Charge:
    """The charge of a load, without tokens if its moment is not requested."""
    load, row = found
    own = (load.path, load.moment, load.reason, row, tokens, kept, lost, passed, entry)
    return Charge(*own, scopes=load.scopes, imported_by=load.imported_by, use=load.use, package=load.package)


def _removed_spans(found: RowLoad, text: str, files: Files) -> Iterator[Span]:
    """The ranges that the agent removes, in order. Of an imported file, it removes only comments."""
    load, row = found
    own = not load.imported_by
    start, end = 0, len(text)
    block = files.block(load.path, row) if own and "frontmatter" in row.strip else None
    if block and not files.is_torn(load.path, row):
        start = block.body - block.is_marked
    if own and "space" in row.strip:
        start = len(text) - len(text[start:].lstrip())
        end = max(start, len(text.rstrip()))
    if start:
        yield Span(0, start)
    if "comments" in row.strip:
        clipped = (Span(max(span.start, start), min(span.end, end)) for span in comments(text))
        yield from (span for span in clipped if span.start < span.end)
    if end < len(text):
        yield Span(end, len(text))


def _first_cut(found: RowLoad, text: str, shared: SharedBytes, files: Files) -> tuple[Limit | None, int]:
    """The limit that cuts the text first, and the offset of the cut. None and the text's length without a cut."""
    row = found.row
    ends = [(cut_at(text, limit), limit) for limit in row.limits if limit.of == "file" and limit.hard]
    chain = row.limit("chain", "cut")
    if chain and found.load.moment in AT_START:
        chain = with_configured_max(chain, files)
        ends.append((shared.take(row, chain.max, text), chain))
    end, limit = min(ends, key=lambda cut: cut[0], default=(len(text), None))
    return limit, end


def _divide(text: str, removed: Sequence[Span], end: int) -> tuple[list[Span], list[Span]]:
    """The ranges outside the `removed` ones, as two lists: before the offset `end`, and from it on."""
    edges = [0, *(edge for span in removed for edge in span), len(text)]
    rest = [Span(start, stop) for start, stop in list(pairwise(edges))[::2] if start < stop]
    kept = [Span(start, min(stop, end)) for start, stop in rest if start < end]
    lost = [Span(max(start, end), stop) for start, stop in rest if stop > end]
    return kept, lost


def _losses(text: str, spans: Sequence[Span], limit: Limit, scales: Scales) -> Iterator[Loss]:
    lines = Lines.of(text)
    for span in spans:
        yield Loss(span, scales.text(text[span.start : span.end]), lines.at(span.start) + 1, limit)


def _exceeded_limits(found: RowLoad, scales: Scales) -> Iterator[Passed]:
    """The limits of the row that a file exceeds. For an imported file, only those on whole texts count."""
    load, row = found
    for limit in row.limits:
        if load.imported_by and limit.of not in ("file", "body"):
            continue
        if limit.unit == "tokens" and (scales.file(load.path) or 0) <= limit.max:
            continue
        size = limited_size(limit, row, load.path, scales.files, scales.text)
        if size is not None and size > limit.max:
            yield Passed(limit, size)
