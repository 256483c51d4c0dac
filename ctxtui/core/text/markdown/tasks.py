"""Tasks: the check-boxes of a Markdown text with title, fields, tags, status and lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ctxtui.core.text.markdown.inline_fields import before_fields, find_fields, find_tags, without_last_tags
from ctxtui.core.text.markdown.list_items import Bullet, Items
from ctxtui.core.text.markdown.scan import Heading

TODO: Final = "todo"
DONE: Final = "done"
BLOCKED: Final = "blocked"

_BLOCKED_HEADING = re.compile(r"\W*blocked(?:\s+(?:tasks?|items?|work|issues?|by|on)\b.*|\s*[^\w\s].*)?\s*", re.I)
_BLOCKED_FIELDS = frozenset({"blocked by", "blocked on", "blocked"})
_NOTHING = frozenset({"", "-", "–", "—", "none", "nothing", "nobody", "no", "n/a"})


@dataclass(frozen=True, slots=True)
class Task:
    """A check-box: its title without fields and tags, its `**Key**: value` fields, its tags without `#`, its status.

    The status is `todo`, `done` or `blocked`. `bullet` is its position among all bullets, `parent` that of its parent
    among the tasks. `lines` are its own lines, from 0, without nested tasks.
    """

    title: str
    fields: Mapping[str, str]
    tags: tuple[str, ...]
    status: str
    bullet: int
    parent: int | None
    lines: tuple[int, ...]

    @property
    def line(self) -> int:
        return self.lines[0]


def read_tasks(items: Items, headings: Sequence[Heading]) -> tuple[Task, ...]:
    """The tasks among the list items, in order. `headings` decide which are blocked."""
    owners = _box_owners(items.bullets)
    positions = _box_positions(items.bullets)
    number = {bullet: place for place, bullet in enumerate(positions)}
    lines: dict[int, list[int]] = {}
    for line, each in enumerate(items.lines):
        owner = None if each.bullet is None else owners[each.bullet]
        if owner is not None:
            lines.setdefault(owner, []).append(line)
    heading_lines = [heading.line for heading in headings]
    blocked_from = [False, *_blocked_headings(headings)]

    def task(place: int) -> Task:
        bullet = items.bullets[place]
        own = [items.lines[line] for line in lines[place]]
        fields = find_fields(own, has_title=True)
        tags = all_tags(line.text for line in own)
        is_below = blocked_from[bisect_left(heading_lines, bullet.line)]
        above = None if bullet.parent is None else owners[bullet.parent]
        return Task(
            without_last_tags(before_fields(bullet.text)) or bullet.text,
            fields,
            tags,
            _status(bullet, fields, tags, is_below),
            place,
            None if above is None else number[above],
            tuple(lines[place]),
        )

    return tuple(task(place) for place in positions)


def line_owners(items: Items, lines: Sequence[str]) -> list[int | None]:
    """For each line, the position of its task among all tasks, or None. Indented code belongs to the task above."""
    tasks = _box_owners(items.bullets)
    places: dict[int | None, int | None] = {None: None}
    places |= {bullet: place for place, bullet in enumerate(_box_positions(items.bullets))}
    found = [None if each.bullet is None else places[tasks[each.bullet]] for each in items.lines[: len(lines)]]
    is_indented = False
    indented = set[int]()
    for number in range(len(found) - 1, 0, -1):
        # A blank line is like the line after it.
        is_indented = lines[number][0] in " \t" if lines[number].strip() else is_indented
        if is_indented and items.lines[number].kind == "code":
            indented.add(number)
    for number in sorted(indented):
        found[number] = found[number - 1]
    return found


def _box_positions(bullets: Sequence[Bullet]) -> list[int]:
    return [position for position, bullet in enumerate(bullets) if bullet.box]


def _box_owners(bullets: Sequence[Bullet]) -> list[int | None]:
    """For every bullet, the position of the nearest check-box, its own or an ancestor's, None without one."""
    owners: list[int | None] = []
    for place, bullet in enumerate(bullets):
        above = None if bullet.parent is None else owners[bullet.parent]
        owners.append(place if bullet.box else above)
    return owners


def _status(bullet: Bullet, fields: Mapping[str, str], tags: Sequence[str], is_below_blocked: bool) -> str:
    if bullet.box == "x":
        return DONE
    blockers = (value for key, value in fields.items() if key.casefold() in _BLOCKED_FIELDS)
    is_blocked = (
        is_below_blocked
        or any(tag.partition(":")[0].casefold() == BLOCKED for tag in tags)
        or any(value.strip(" .").casefold() not in _NOTHING for value in blockers)
    )
    return BLOCKED if is_blocked else TODO


def _blocked_headings(headings: Sequence[Heading]) -> Iterator[bool]:
    """For each heading, whether it or an ancestor, except the title, says that the tasks below it are blocked."""
    above: list[tuple[int, bool]] = []
    for heading in headings:
        while above and above[-1][0] >= heading.level:
            above.pop()
        is_named = BLOCKED in find_tags(heading.name) or _BLOCKED_HEADING.fullmatch(without_last_tags(heading.name))
        is_blocked = bool((above and above[-1][1]) or (heading.level > 1 and is_named))
        above.append((heading.level, is_blocked))
        yield is_blocked


def all_tags(texts: Iterable[str]) -> tuple[str, ...]:
    """The distinct tags of some texts, in order."""
    return tuple(dict.fromkeys(tag for text in texts for tag in find_tags(text)))
