"""Cases for finding: fixes from a repository's history, with the message as the task and the change as the truth."""

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.code.languages import has_grammar, is_data, language_of
from ctxtui.core.text.markdown.document import Document
from ctxtui.workspace.related.tests import is_test

_LOOKED_AT = 4_000
_MOST_FILES, _MOST_FUNCTIONS = 4, 8
_FEWEST_WORDS = 4
# Files with a language that ctxtui has no grammar for are cases by file alone.
_OTHER_CODE = re.compile(r".*\.(?:rb|php|kt|kts|swift|scala|lua|ex|exs|dart|m|mm|vue|svelte|sh|pl)", re.IGNORECASE)
_NOT_OURS = re.compile(
    r"(?:.*/)?(?:vendor(?:ed)?|third[_-]party|node_modules|dist|build|deps|external|generated|fixtures?|testdata"
    r"|examples?|playgrounds?|benchmarks?|__snapshots__)/.*|.*(?:\.min\.|\.g\.|_pb2?\.|\.pb\.|\.generated\.|\.lock).*",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"(?:signed-off-by|co-authored-by|reviewed-by|tested-by|acked-by|reported-by|change-id|cc|fixes|closes|refs?"
    r"|piperorigin-revid|resolves|see)\b[^a-z]*:.*|\(cherry picked from .*|-{3,}",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://\S+|\S+@\S+|\(?(?:gh-|pr )?#\d+\)?", re.IGNORECASE)
_PATH = re.compile(r"[\w.@~-]*(?:/[\w.@~-]+)+/?")
_FILE = re.compile(r"(?:[\w.@~-]*/)*[\w-]+\.(?:[a-z]{1,4}|java|lock|json|yaml)\b(?!\()")
_NO_FIX = re.compile(r"(?:merge|revert|bump|release|prepare|version|v?\d+\.\d+)\b.*", re.IGNORECASE)
_BETWEEN = re.compile(r"\((?:code|end)[^.]*\)$")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+")


@dataclass(frozen=True, slots=True)
class Function:
    """A changed function: its lines before the change, from 1, the end included."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Case:
    """A fix of a repository. `parent` is the state that the task is asked of."""

    parent: str
    task: str
    files: tuple[str, ...]
    tests: tuple[str, ...]
    functions: tuple[Function, ...]


def git(folder: Path, *words: str) -> str:
    output = subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True).stdout
    return output.decode("utf-8", "replace")


def is_source(path: str) -> bool:
    is_code = language_of(path) is not None or _OTHER_CODE.fullmatch(path) is not None
    return is_code and not is_data(path) and not is_test(path) and not _NOT_OURS.fullmatch(path)


def cases(folder: Path, count: int) -> list[Case]:
    """Cases spread evenly over the latest history, oldest first."""
    found = list(_fixes(folder))
    step = max(1.0, len(found) / (count * 1.3))
    spread = [found[int(place * step)] for place in range(min(len(found), int(count * 1.3)))]
    made = [case for fix in spread if (case := _case(folder, *fix))]
    return made[:count][::-1]


def _fixes(folder: Path) -> Iterator[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    """The commits that change a few source files and a test, with the task, newest first."""
    form = ("--no-renames", "--name-status", "-z", "--format=%x01%H%x02%B%x02")
    log = git(folder, "log", "--no-merges", f"-n{_LOOKED_AT}", *form)
    for record in log.split("\x01")[1:]:
        commit, message, names = record.split("\x02", 2)
        words = names.strip("\0\n").split("\0")
        changed = [path for state, path in zip(words[::2], words[1::2], strict=False) if state.strip() == "M"]
        files = tuple(path for path in changed if is_source(path))
        tests = tuple(path for path in changed if is_test(path) and not _NOT_OURS.fullmatch(path))
        task = task_of(message, words[1::2])
        is_telling = len(re.findall(r"[^\W\d_]{2,}", task)) >= _FEWEST_WORDS and not _NO_FIX.match(task)
        if tests and 1 <= len(files) <= _MOST_FILES and len(words) <= 40 and is_telling:
            yield commit, task, files, tests


def task_of(message: str, changed: Iterable[str] = ()) -> str:
    """A message without trailers, addresses, names of files, and paths that lead to the changed files."""
    places = "\n".join(f"/{path}".lower() for path in changed)
    lines = (line for line in message.splitlines() if not _TRAILER.match(line.strip()))
    text = _FILE.sub(" ", _ADDRESS.sub(" ", "\n".join(lines)))
    text = _PATH.sub(lambda found: " " if f"/{found[0].strip('./').lower()}" in places else found[0], text)
    return re.sub(r"[ \t]+", " ", text).strip()[:4_000]


def _case(folder: Path, commit: str, task: str, files: tuple[str, ...], tests: tuple[str, ...]) -> Case | None:
    parent = git(folder, "rev-parse", f"{commit}^").strip()
    functions = tuple(each for path in files for each in _functions(folder, parent, commit, path))
    if len(functions) > _MOST_FUNCTIONS or (not functions and any(map(has_grammar, files))):
        return None
    return Case(parent, task, files, tests, functions)


def _functions(folder: Path, parent: str, commit: str, path: str) -> Iterator[Function]:
    """The innermost symbols that a commit changed in a file, where they were before."""
    if not has_grammar(path):
        return
    document = Document(path, git(folder, "show", f"{parent}:{path}"), Stamp(0, 0, 0))
    hunks = _HUNK.findall(git(folder, "diff", "-U0", parent, commit, "--", path))
    lines = {line for start, size in hunks for line in range(int(start), int(start) + max(1, int(size or 1)))}
    for part in document.parts:
        if part.level and not part.children and not _BETWEEN.search(part.slug):
            first = document.text.count("\n", 0, part.start) + 1
            last = first + document.text[part.start : part.end].rstrip().count("\n")
            if not lines.isdisjoint(range(first, last + 1)):
                yield Function(path, first, last)


class Checkout:
    """A clone of a local repository, moved from state to state. Its objects are hard links where possible."""

    def __init__(self, source: Path, place: Path) -> None:
        self.folder = place
        if not place.is_dir():
            subprocess.run(["git", "clone", "-q", "--no-checkout", str(source), str(place)], check=True)

    def move(self, commit: str) -> None:
        git(self.folder, "reset", "-q", "--hard", commit)
        git(self.folder, "clean", "-qfdx")


def rank_of(found: Iterable[str], wanted: Iterable[str]) -> int | None:
    """The place of the first wanted item, from 1."""
    known = frozenset(wanted)
    return next((place for place, each in enumerate(found, 1) if each in known), None)
