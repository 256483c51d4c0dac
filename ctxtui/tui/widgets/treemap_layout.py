"""The rectangles of a treemap: squarified, in whole cells, without overlap."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Final

from textual.geometry import Region

from ctxtui.session.shares import Share, main_source

# The height of a cell of the terminal divided by its width, about.
_CELL: Final = 2.0
# Tiles with fewer cells than this share one.
_LEAST_AREA: Final = 6
# The least size of a rectangle that shows its contents.
_OPEN_WIDTH: Final = 14
_OPEN_HEIGHT: Final = 4
_DEPTH: Final = 3


@dataclass(frozen=True, slots=True)
class Tile:
    """A share and its rectangle. `top` is the index of the outermost tile around it.

    The first line of an `is_open` tile is its name, the others show its contents. Neighboring tiles differ in
    `tone`, 0 or 1, as far as two tones allow.
    """

    share: Share
    box: Region
    top: int
    tone: int
    depth: int = 0
    is_open: bool = False


def squarify(sizes: Sequence[int], width: int, height: int) -> list[Region]:
    """Rectangles for sizes, largest first, that fill the room in proportion. In whole cells, some may be empty."""
    boxes: list[Region] = []
    x, y, w, h = 0.0, 0.0, float(width), float(height)
    left, place = sum(sizes), 0
    while place < len(sizes):
        row = _row(sizes[place:], w, h, left)
        total = sum(row)
        part = total / left if left else 1.0
        sums = [each / total if total else place / len(row) for place, each in enumerate([0, *accumulate(row)])]
        if w >= h * _CELL:
            boxes += [_box(x, y + h * start, x + w * part, y + h * end) for start, end in pairwise(sums)]
            x, w = x + w * part, w * (1 - part)
        else:
            boxes += [_box(x + w * start, y, x + w * end, y + h * part) for start, end in pairwise(sums)]
            y, h = y + h * part, h * (1 - part)
        left -= total
        place += len(row)
    return boxes


def _row(sizes: Sequence[int], width: float, height: float, whole: int) -> Sequence[int]:
    """The first of `sizes` that make the squarest row along the shorter edge. The room holds the sum `whole`."""
    area, short = width * height * _CELL, min(width, height * _CELL)
    if not whole or not area or not short:
        return sizes
    best, total = float("inf"), 0
    for count, size in enumerate(sizes):
        total += size
        thickness = total / whole * area / short
        worst = max(
            max(thickness / length, length / thickness) if length and thickness else float("inf")
            for length in (each * short / total if total else 0.0 for each in (sizes[0], size))
        )
        if worst > best:
            return sizes[:count]
        best = worst
    return sizes


def _box(x: float, y: float, right: float, bottom: float) -> Region:
    left, top = round(x), round(y)
    return Region(left, top, round(right) - left, round(bottom) - top)


def pieces(share: Share) -> list[Share]:
    """The parts of a share, largest first: its children, and its own text."""
    found = [child for child in share.children if child.tokens > 0]
    own = share.tokens - sum(child.tokens for child in found)
    if found and own > 0:
        rest = replace(share, name="own text", tokens=own, children=())
        insort(found, rest, key=lambda each: -each.tokens)
    return found


def lay_out(share: Share, width: int, height: int) -> list[Tile]:
    """The tiles of a share's parts, outer tiles before inner ones. Outermost tiles have depth 0."""
    return list(_tiles(share, Region(0, 0, width, height), 0, None)) if width > 0 and height > 0 else []


def _tiles(share: Share, box: Region, depth: int, top: int | None) -> Iterator[Tile]:
    """The tiles of a share's parts in a box, then the tiles in those. `top` is None for the outermost."""
    parts = pieces(share)
    placed = _placed(parts, box)
    inner: list[tuple[int, Share, Region]] = []
    for place, (part, at) in enumerate(placed):
        is_open = _is_open(part, at, depth)
        yield Tile(part, at, place if top is None else top, place % 2, depth, is_open)
        if is_open:
            inner.append((place if top is None else top, part, at))
    for place, part, at in inner:
        room = Region(at.x, at.y + 1, at.width, at.height - 1)
        yield from _tiles(part, room, depth + 1, place)


def _is_open(share: Share, box: Region, depth: int) -> bool:
    """Whether a tile shows its contents: a folder, or an outermost file, if its box is large enough."""
    is_large = box.width >= _OPEN_WIDTH and box.height >= _OPEN_HEIGHT
    is_whole = share.id.endswith("/") or (depth == 0 and bool(share.id))
    return is_large and is_whole and depth + 1 < _DEPTH and bool(pieces(share))


def _placed(parts: Sequence[Share], box: Region) -> list[tuple[Share, Region]]:
    """The parts with their boxes. Parts too small to be seen share one box, which is always large enough."""
    area, sums = box.width * box.height, [0, *accumulate(part.tokens for part in parts)]
    least = -(-sums[-1] * _LEAST_AREA // max(1, area))
    while True:
        # If all are small, some first parts are enlarged, as many as fit at four times the least visible size. The
        # others are reached through the rest.
        few = min(len(parts), max(1, area // (4 * _LEAST_AREA)))
        count = bisect_right(parts, -least, key=lambda part: -part.tokens) or few
        sizes = [max(part.tokens, least) for part in parts[:count]]
        rest = max(sums[-1] - sums[count], least)
        # The shared box is placed by its sum.
        place = sum(size >= rest for size in sizes)
        if count < len(parts):
            sizes.insert(place, rest)
        boxes = squarify(sizes, box.width, box.height)
        if all(each.width and each.height for each in boxes):
            break
        if least > sums[-1]:
            return [(_together(parts)[0], box)] if area else []
        least *= 2
    seen = list(parts[:count])
    seen[place:place] = _together(parts[count:])
    placed = zip(seen, boxes, strict=True)
    return [(part, at.translate(box.offset)) for part, at in placed]


def _together(parts: Sequence[Share]) -> Sequence[Share]:
    if len(parts) < 2:
        return parts
    return [Share("", f"{len(parts):,} more", sum(part.tokens for part in parts), tuple(parts), main_source(parts))]


def index_at(tiles: Sequence[Tile], x: int, y: int) -> int | None:
    """The index of the outermost tile at a cell, None beside the tiles."""
    return next((tile.top for tile in tiles if tile.depth == 0 and tile.box.contains(x, y)), None)


def neighbor(boxes: Sequence[Region], current: int, dx: int, dy: int) -> int | None:
    """The index of the nearest box in a direction, None without one. A longer shared edge decides between equals."""
    here = boxes[current]

    def rank(box: Region) -> tuple[int, int] | None:
        if dx:
            gap = box.x - here.right if dx > 0 else here.x - box.right
            shared = min(box.bottom, here.bottom) - max(box.y, here.y)
        else:
            gap = box.y - here.bottom if dy > 0 else here.y - box.bottom
            shared = min(box.right, here.right) - max(box.x, here.x)
        return (gap, -shared) if gap >= 0 and shared > 0 else None

    ranked = [(found, place) for place, box in enumerate(boxes) if (found := rank(box)) is not None]
    return min(ranked)[1] if ranked else None


def by_source(share: Share) -> Counter[str]:
    """The tokens of the documents in a share, by source."""
    found: Counter[str] = Counter()
    waiting = [share]
    while waiting:
        each = waiting.pop()
        if each.id and not each.id.endswith("/"):
            found[each.source] += each.tokens
        else:
            waiting += each.children
    return found
