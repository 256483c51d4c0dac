"""Plain files: text that no other source claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from sys import intern

from ctxtui.core.base.notices import Notice
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.content import MAX_BYTES
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.listing import PLAIN
from ctxtui.core.documents.source import Project
from ctxtui.core.text.decode import never_text
from ctxtui.core.text.metadata.reference import LAST, Reference, encode_id
from ctxtui.workspace.large_data import reasons


def plain_reference(file: Found) -> Reference:
    path = file.path
    name = intern(path.rpartition("/")[2])
    return Reference(encode_id(path), path, PLAIN, name, file.stamp, LAST, ignored=file.ignored)


class PlainSource:
    """Plain files, the source asked last: ignored files only on request, large data at the end."""

    name = PLAIN

    def __init__(self, with_ignored: bool = False) -> None:
        self._with_ignored = with_ignored

    def scan(self, project: Project) -> Iterable[Reference]:
        files = [file for file in project.files if self._with_ignored or not file.ignored]
        reason = reasons(project.read_cache.content)
        large: list[Reference] = []
        skipped: Counter[str] = Counter()
        for file in files:
            if ending := never_text(file.path):
                skipped[ending] += 1
                continue
            if file.stamp.size > MAX_BYTES:
                size = f"{file.stamp.size / 1_048_576:,.0f} MB"
                project.on_notice(Notice("too-large", f"too large to read ({size}); not listed", file.path))
                continue
            why = reason(file.path, file.stamp.size)
            if why is None:
                yield plain_reference(file)
            else:
                large.append(replace(plain_reference(file), large=why))
        yield from large
        if skipped:
            project.on_notice(_binary_notice(skipped))


def _binary_notice(skipped: Counter[str]) -> Notice:
    kinds = ", ".join(f"{count} .{suffix}" for suffix, count in skipped.most_common(5))
    files = plural(skipped.total(), "binary file is", "binary files are")
    return Notice("binary-files", f"{files} not listed ({kinds})")
