"""The visible rows of the Audit screen: rows of open groups, or filter matches with their headings."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.tui.audit.row import AuditRow, drawn, longest_names, told_lines
from ctxtui.tui.filtering import Filter, fold, read_filter
from ctxtui.tui.widgets.item_rows import Drawn


class Folds:
    """The groups that the user opened or closed, and whether rows are sorted by tokens."""

    def __init__(self) -> None:
        self.by_tokens = False
        self._toggled: set[str] = set()
        self._longest = longest_names(())
        self._is_filtered = False

    def is_open(self, group: AuditRow) -> bool:
        """Whether a group is open, if no filter is active."""
        return group.is_open ^ (group.group in self._toggled)

    def fold(self, rows: Sequence[AuditRow], row: AuditRow | None, is_open: bool | None) -> AuditRow | None:
        """Open or close the group at a row, or toggle it for None. On another row, close its group.

        Returns the group, or None if nothing changed.
        """
        if row is None or self._is_filtered:
            return None
        group = row
        if not row.group and is_open is False and row.within:
            group = next(each for each in rows if each.group == row.within[-1])
        if not group.group or is_open is self.is_open(group):
            return None
        self._toggled ^= {group.group}
        return group

    def kept(self, rows: Sequence[AuditRow], typed: str) -> list[AuditRow]:
        """The rows to show: rows of open groups, or filter matches with their headings."""
        self._longest, self._is_filtered = longest_names(rows), not read_filter(typed).is_empty
        rows = unfolded(by_tokens(rows) if self.by_tokens else rows, typed)
        if self._is_filtered:
            return rows
        opened = {row.group for row in rows if row.group and self.is_open(row)}
        return [row for row in rows if opened.issuperset(row.within)]

    def first(self, rows: Sequence[AuditRow]) -> int:
        """The first row with content, or that acts or opens."""
        wanted = (row.is_leaf or bool(row.act) or (bool(row.group) and not self._is_filtered) for row in rows)
        return next((place for place, is_wanted in enumerate(wanted) if is_wanted), 0)

    def lines(self, row: AuditRow, width: int) -> Sequence[Drawn]:
        """The lines of a row, `width` columns wide. A group has a sign for open or closed."""
        is_open = self._is_filtered or self.is_open(row)
        sign = ("▾ " if is_open else "▸ ") if row.group else ""
        return told_lines(row, width, sign) if row.told else [drawn(row, width, self._longest, sign)]


def unfolded(rows: Sequence[AuditRow], typed: str) -> list[AuditRow]:
    """All rows, or filter matches with their headings."""
    sought = read_filter(typed)
    return list(rows) if sought.is_empty else found(rows, sought)


def found(rows: Sequence[AuditRow], sought: Filter) -> list[AuditRow]:
    """The rows that match a filter by their own text and their headings, and these headings."""
    words = {row.group: row.text for row in rows if row.group}
    held = [
        sought.holds(fold(" ".join((*(words.get(group, "") for group in row.within), row.found_by))))
        and not (row.heads or (sought.is_paths_only and not row.is_leaf))
        for row in rows
    ]
    needed = {group for row, is_held in zip(rows, held, strict=True) if is_held for group in row.within}
    any_held = any(held)
    return [
        row
        for row, is_held in zip(rows, held, strict=True)
        if is_held or row.group in needed or (row.heads and any_held)
    ]


def by_tokens(rows: Sequence[AuditRow]) -> list[AuditRow]:
    below: dict[tuple[str, ...], list[AuditRow]] = {}
    for row in rows:
        below.setdefault(row.within, []).append(row)

    def ordered(within: tuple[str, ...]) -> list[AuditRow]:
        some = sorted(below.get(within, ()), key=lambda row: (row.is_leaf or bool(row.group), -row.tokens))
        return [each for row in some for each in (row, *(ordered((*within, row.group)) if row.group else ()))]

    return ordered(())
