"""Sources: the ways to keep context in folders, behind one small protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from ctxtui.core.errors import ContextError
from ctxtui.core.files.look import Looks
from ctxtui.core.files.text import decode
from ctxtui.core.files.walk import Found
from ctxtui.core.markdown.light import headings
from ctxtui.core.markdown.scan import heading_name
from ctxtui.core.metadata.details import read_details
from ctxtui.core.metadata.frontmatter import Frontmatter, read_frontmatter
from ctxtui.core.metadata.head import whole_characters
from ctxtui.core.metadata.reference import NO_DETAILS, Details, Reference
from ctxtui.core.notices import OnNotice

# Priorities under a budget, best first; .context files are in between, in their own order.
CONSTITUTION, FIRST, ALWAYS, DEMAND, RECORD, NAVIGATION, LAZY, FILE = 0, 10, 30, 50, 55, 60, 70, 90


@dataclass(frozen=True, slots=True)
class Project:
    """The input of a source: the files not claimed yet, what they hold, a receiver of notices."""

    looks: Looks
    files: tuple[Found, ...]
    on_notice: OnNotice

    def begins_with(self, path: str, sign: bytes) -> bool:
        """Whether some bytes are among the first few hundred of a file."""
        seen = self.looks.beginning(path)
        return seen is not None and sign in seen[0][:512]

    def head(self, path: str) -> Head | None:
        """A file's metadata and its first lines, without reading more than necessary."""
        seen = self.looks.beginning(path)
        if seen is None:
            return None
        data, is_whole = seen
        try:
            text, _ = decode(data if is_whole else whole_characters(data), path)
        except ContextError:
            return None
        return Head(text, read_frontmatter(text, path))

    def details(self, path: str, head: Head) -> Details:
        """The metadata in a file's head; its problems become notices."""
        if head.frontmatter is None:
            return NO_DETAILS
        # Cursor's rules are `key: value` lines that only look like YAML; every other format means YAML.
        if not path.endswith(".mdc"):
            for notice in head.frontmatter.notices:
                self.on_notice(notice)
        return read_details(head.frontmatter.values, path, self.on_notice)


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file: its text as far as it was read, and its frontmatter."""

    text: str
    frontmatter: Frontmatter | None

    @property
    def title(self) -> str | None:
        """The text of the first H1 within the head."""
        body = self.text[self.frontmatter.body :] if self.frontmatter else self.text
        return next((heading_name(each.name) for each in headings(body) if each.level == 1), None)

    @property
    def first_line(self) -> str:
        """The first line of the body that is not blank."""
        body = self.text[self.frontmatter.body :] if self.frontmatter else self.text
        return next((line.strip() for line in body.splitlines() if line.strip()), "")


class Source(Protocol):
    """One way to keep context in a folder: its name, its hidden folders, and the scan."""

    @property
    def name(self) -> str:
        """Its name on screen and in JSON."""
        ...

    @property
    def hidden(self) -> frozenset[str]:
        """Names of hidden folders that this source scans."""
        ...

    def scan(self, project: Project) -> Iterable[Reference]:
        """The documents it claims among the remaining files."""
        ...


def by_folder(files: Iterable[Found]) -> dict[str, list[Found]]:
    """Files by the folder they are in, `""` for the root."""
    folders: dict[str, list[Found]] = {}
    for file in files:
        folders.setdefault(file.path.rpartition("/")[0], []).append(file)
    return folders


def stem(path: str) -> str:
    """A file's name without folder and extension."""
    return PurePosixPath(path).stem


def visible(files: Iterable[Found]) -> Iterator[Found]:
    """The files that no ignore rule hides."""
    return (file for file in files if not file.ignored)
