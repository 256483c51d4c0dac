"""The differences between two states of a project by file: marks, lines and text, as git computes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from ctxtui.core.base.batches import grouped
from ctxtui.core.base.errors import invalid
from ctxtui.core.disk.git.changes import MARK_OF, STAGED, WORKING
from ctxtui.core.disk.git.git import SAFE_DIFF, Repository, open_repository
from ctxtui.core.text.decode import decode_as_written
from ctxtui.core.text.secrets import Copied, CopiedText

MAX_COMPARED: Final = 8 * 1024 * 1024
"""The most bytes of a file that is compared by lines. Larger files count as binary."""
# The patches by file. A changed line begins with a sign, so no line looks like a file's header.
_CHUNK: Final = re.compile(rb"^(?=diff --git |\* Unmerged path )", re.MULTILINE)
_INDEX: Final = re.compile(r"^index [0-9a-f]+\.\.[0-9a-f]+(?: \d+)?\n", re.MULTILINE)
_HUNK: Final = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_LINE: Final = re.compile(r"[^\n]*\n?")


@dataclass(frozen=True, slots=True)
class Between:
    """The two states to compare: by default the last commit and the working tree.

    `base` compares the commit where HEAD left that branch with the working tree, `span` two commits as `a..b`, or as
    `a...b` from their merge base, `staged` the last commit with the index.
    """

    base: str = ""
    span: str = ""
    staged: bool = False

    @staticmethod
    def named(word: str) -> Between:
        """The states for a word: `staged`, a range `a..b`, a base, or "" for the working tree."""
        if ".." in word:
            return Between(span=word)
        return Between(staged=True) if word == "staged" else Between(base=word)

    @property
    def words(self) -> str:
        """The two states in words: the range, `since BASE`, STAGED or WORKING."""
        return self.span or (f"since {self.base}" if self.base else STAGED if self.staged else WORKING)

    @property
    def is_on_disk(self) -> bool:
        """Whether the newer state is the working tree."""
        return not self.span and not self.staged


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The change of one file, by its new path below the project's folder.

    `mark` is one of `MARKS`. `added` and `removed` count lines, None for binary files. `lines` are the first and last
    line of each hunk in the newer file, from 1, with unchanged lines around it. A hunk that leaves none has the line
    before it. `text` is git's diff without hashes, empty for files in conflict. `old` is git's id of the old version.
    """

    path: str
    mark: str
    added: int | None = None
    removed: int | None = None
    lines: tuple[tuple[int, int], ...] = ()
    text: str = ""
    old: str = ""


def parts_of_range(span: str) -> tuple[str, str, str]:
    """Both ends of a range, HEAD if omitted, and its dots. Raises ContextError (invalid_request) for others."""
    dots = "..." if "..." in span else ".."
    ends = span.split(dots)
    if len(ends) != 2 or any(".." in end for end in ends) or not any(ends):
        raise invalid(f"not a range: {span!r}", hint="write main..HEAD")
    return ends[0] or "HEAD", dots, ends[1] or "HEAD"


def check_paths(paths: Sequence[str]) -> None:
    """Raise ContextError (invalid_request) for a path that is empty, absolute, or contains `..` or NUL."""
    for path in paths:
        if not path or "\0" in path or path.startswith("/") or ".." in PurePosixPath(path).parts:
            raise invalid(f"not a path of the project: {path!r}", hint="name files or folders below its root")


def read_diff(
    root: Path, between: Between, paths: Sequence[str] = (), context: int = 3, to_disk: bool = False
) -> tuple[FileDiff, ...]:
    """The changed files in `paths`, or all, in path order, with `context` lines around each change of their text.

    `to_disk` compares the older state with the working tree. Files that git does not track are missing:
    see `untracked`. Raises ContextError as `Repository.run` does, NotFound for an unknown ref.
    """
    repository = open_repository(root)
    options = (*SAFE_DIFF, "-z", "--raw", "--no-abbrev", "--numstat", "--patch", f"-U{context}", "--relative")
    output = repository.run_unfiltered(
        *("-c", f"core.bigFileThreshold={MAX_COMPARED}"),
        *("diff", *options, *_state_arguments(repository, between, to_disk), "--", *(paths or ["."])),
    )
    return tuple(_parse_diff(output))


def with_old_texts(root: Path, files: Sequence[FileDiff]) -> Iterator[tuple[FileDiff, str]]:
    """Changed files with the whole older text, empty for a new file, and if missing or above 16 MB.

    They come in another order. Raises ContextError as `Repository.run` does.
    """
    waiting = grouped((file.old, file) for file in files)
    for id_, data in open_repository(root).contents(id_ for id_ in waiting if id_.strip("0")):
        text = data.decode("utf-8", "replace")
        yield from ((file, text) for file in waiting.pop(id_, ()))
    yield from ((file, "") for each in waiting.values() for file in each)


def whole_versions(text: str, old: str) -> tuple[CopiedText, CopiedText]:
    """A file's older and newer text, from its diff and its `old` text. Each maps its lines to offsets in the diff."""
    older, newer = _VersionLines(), _VersionLines()
    before, place, at, left, right = _LINE.findall(old)[:-1], 0, 0, 0, 0
    for line in _LINE.findall(text)[:-1]:
        hunk = _HUNK.match(line) if not left and not right else None
        if hunk:
            left, right = int(hunk[2] or "1"), int(hunk[4] or "1")
            # For an addition, git names the line before it.
            start = max(place, int(hunk[1]) - (left > 0))
            for each in before[place:start]:
                older.add(each)
                newer.add(each)
            # A hunk's header repeats the beginning of a line above, which may contain part of a secret.
            older.repeat(line[hunk.end() + 1 :].rstrip("\n\ufffd"), at + hunk.end() + 1)
            place = start
        elif (left or right) and line[0] in "+- ":
            if line[0] != "+":
                older.add(line[1:], at + 1)
                place, left = place + 1, left - 1
            if line[0] != "-":
                newer.add(line[1:], at + 1)
                right -= 1
        at += len(line)
    for each in before[place:]:
        older.add(each)
        newer.add(each)
    return older.copied_text(), newer.copied_text()


class _VersionLines:
    """A version of a file, assembled from lines."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._size = 0
        self._copied: list[Copied] = []
        # The start of each line that no header has repeated yet, with the place of the previous header.
        self._above: list[tuple[str, int]] = []
        self._repeated = 0

    def add(self, line: str, at: int | None = None) -> None:
        """Append a line with its end. `at` is the offset of its first character in the diff, None for other lines."""
        self._above.append((line, self._size))
        self._lines.append(line)
        if at is not None:
            self._copied.append(Copied(at, self._size, self._size + len(line)))
        self._size += len(line)

    def repeat(self, heading: str, at: int) -> None:
        """Map the text behind a hunk's `@@`, at offset `at` of the diff, to the last line that begins with it."""
        if heading:
            found = (start for line, start in reversed(self._above) if line.startswith(heading))
            self._repeated = next(found, self._repeated)
            self._copied.append(Copied(at, self._repeated, min(self._repeated + len(heading), self._size)))
        self._above.clear()

    def copied_text(self) -> CopiedText:
        return CopiedText("".join(self._lines), self._copied)


def untracked(root: Path, paths: Sequence[str] = ()) -> tuple[str, ...]:
    """The files in `paths`, or all, that git neither tracks nor ignores. Raises as `read_diff` does."""
    options = ("--others", "--exclude-standard", "-z")
    output = open_repository(root).run("ls-files", *options, "--", *(paths or ["."]))
    listed = map(_decoded_path, output.split(b"\0"))
    return tuple(path for path in listed if path and not path.endswith("/"))


def _state_arguments(repository: Repository, between: Between, to_disk: bool) -> tuple[str, ...]:
    """The commits that `git diff` compares, after `--cached` for the index. Raises as `Repository.resolve` does."""
    if between.span:
        one, dots, other = parts_of_range(between.span)
        left, right = repository.resolve(one), repository.resolve(other)
        left = repository.merge_base(left, right) or left if dots == "..." else left
        return (left,) if to_disk else (left, right)
    if between.base:
        base = repository.resolve(between.base)
        return (repository.merge_base(base, repository.resolve("HEAD")) or base,)
    tip = repository.tip()
    return ("--cached", tip) if between.staged and not to_disk else (tip,)


def _parse_diff(output: bytes) -> Iterator[FileDiff]:
    """Parse the output of `--raw --numstat --patch -z`: three lists, one after the other."""
    entries: list[tuple[str, str, str]] = []
    position = 0
    while output.startswith(b":", position):
        modes, position = _read_word(output, position)
        _, _, id_, _, status = modes.split(b" ")
        letter = status[:1].decode("ascii", "replace")
        name, position = _read_word(output, position)
        if letter in "RC":
            name, position = _read_word(output, position)
        entries.append((letter, _decoded_path(name), id_.decode("ascii")))
    counts: dict[str, tuple[int | None, int | None]] = {}
    while position < len(output) and output[position] != 0:
        numbers, position = _read_word(output, position)
        added, removed, name = numbers.split(b"\t", 2)
        if not name:
            _, position = _read_word(output, position)
            name, position = _read_word(output, position)
        counts[_decoded_path(name)] = _line_count(added), _line_count(removed)
    chunks = iter(_CHUNK.split(output[position + 1 :])[1:])
    for letter, path, old in entries:
        # A file that becomes a link has two patches, a deletion and an addition.
        text = "".join(_patch_text(next(chunks, b""), path) for _ in range(2 if letter == "T" else 1))
        lines, text = (_changed_lines(text), text) if letter != "U" else ((), "")
        mark = MARK_OF.get(letter, letter)
        yield FileDiff(path, mark, *counts.get(path, (None, None)), lines, text, old)


def _read_word(output: bytes, position: int) -> tuple[bytes, int]:
    end = output.index(b"\0", position)
    return output[position:end], end + 1


def _line_count(count: bytes) -> int | None:
    return None if count == b"-" else int(count)


def _decoded_path(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _patch_text(chunk: bytes, path: str) -> str:
    text = chunk.decode("utf-8", "replace") if b"\0" in chunk else decode_as_written(chunk, path)[0]
    # Hashes cost tokens, tell a reader nothing, and are longer in larger repositories.
    return _INDEX.sub("", text, count=1)


def _changed_lines(text: str) -> tuple[tuple[int, int], ...]:
    """The first and last line of each hunk, as in `FileDiff.lines`."""
    found = []
    for _, _, first, count in _HUNK.findall(text):
        start, lines = int(first), int(count or "1")
        # For a deletion, git names the line before it.
        found.append((start, start + lines - 1) if lines else (max(start, 1), max(start, 1)))
    return tuple(found)
