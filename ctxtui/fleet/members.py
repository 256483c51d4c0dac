"""Find the repositories of a fleet: from lists, folders and addresses, each once with a unique name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.core.base.errors import ContextError, NotFound, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.open_at import exists, is_folder
from ctxtui.core.disk.remote.address import is_address, read_address
from ctxtui.core.disk.root import read_file
from ctxtui.fleet.results.schema import is_results
from ctxtui.fleet.types import Member, Outcome

FROM_STDIN: Final = "-"
"""The word for a list on standard input."""

_LONGEST_LIST: Final = 64 * 1024 * 1024
# The search for repositories goes this many folders deep.
_DEEPEST: Final = 8
_MARK: Final = ".git"
_LONGEST_REASON: Final = 300
_SHOWN: Final = 5


class Fleet(NamedTuple):
    """The repositories to audit. `wrong` are invalid lines of lists, `beside` folders that hold no repository."""

    members: tuple[Member, ...]
    wrong: tuple[Outcome, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return len(self.members) + len(self.wrong)

    @property
    def unmarked(self) -> int:
        """The number of members that are folders without `.git`."""
        places = (Path(each.place) for each in self.members)
        return sum(is_folder(place) and not exists(place / _MARK) for place in places)

    @property
    def notices(self) -> Iterator[Notice]:
        yield from (Notice("wrong-line", each.error) for each in self.wrong)
        if self.beside:
            names = f"{', '.join(self.beside[:_SHOWN])}{' …' * (len(self.beside) > _SHOWN)}"
            folders = plural(len(self.beside), "folder")
            yield Notice("no-repository", f"{folders} without a repository left out: {plain_line(names)}")

    @property
    def digest(self) -> bytes:
        """The identity of the set of repositories, regardless of order."""
        known = sorted((*self.members, *(each.member for each in self.wrong)))
        return blake2b(repr(known).encode(), digest_size=16).digest()


class _Line(NamedTuple):
    """A repository as the user named it: the word, where it is written, and the folder for a relative path."""

    word: str
    origin: str
    base: Path


def find_members(words: Sequence[str], stdin: str = "") -> Fleet:
    """The repositories of lists, folders and addresses, and of the list `stdin` for `-`.

    A list has one path or address a line, and paths are relative to the folder of the list. A folder without `.git`
    stands for the repositories below it, if there are any. Empty lines and lines that begin with `#` are ignored.
    A line that names no repository is kept with its reason. Raises NotFound for an unknown word, ContextError
    (invalid_request) for a file that is no list, and if there is neither a repository nor a wrong line.
    """
    found: dict[tuple[str, ...], Member] = {}
    used_names: set[str] = set()
    wrong: dict[str, Outcome] = {}
    for line in (line for word in words for line in _named_lines(word, stdin)):
        try:
            key, place, names = _identity(line)
        except ContextError as error:
            name = plain_line(line.origin)
            wrong[name] = Outcome(Member(name, ""), plain_line(f"{name}: {error.message}")[:_LONGEST_REASON])
            continue
        if key not in found:
            name = next(name for name in names if name not in used_names)
            used_names.add(name)
            found[key] = Member(name, place)
    if not found and not wrong:
        raise invalid(f"no repository in {', '.join(map(plain_line, words))}", hint=_HINT)
    # The same folder may be named through a link and without it.
    real = [Path(os.path.realpath(each.place)) for each in found.values()]
    beside = (each for word in words if is_folder(Path(word)) for each in _folders_beside(Path(word), real))
    return Fleet(tuple(found.values()), tuple(wrong.values()), tuple(beside))


_HINT: Final = "name a list with a path or an address on each line, or a folder with repositories"


def _named_lines(word: str, stdin: str) -> Iterator[_Line]:
    """The repositories that a word of the command line stands for. Raises NotFound for an unknown word."""
    if word == FROM_STDIN:
        yield from _list_lines(stdin, "standard input", Path())
    elif is_folder(place := Path(word)):
        for path in _member_paths(place):
            yield _Line(path, os.path.join(word, path) if path else word, place)  # noqa: PTH118 - only shown
    elif exists(place):
        yield from _list_lines(_list_text(place), word, place.parent)
    elif is_address(word):
        yield _Line(word, word, Path())
    else:
        raise NotFound(f"{plain_line(word)} does not exist", hint=_HINT)


def _list_text(place: Path) -> str:
    """The text of a list without its mark. Raises ContextError (invalid_request) for results and binary files."""
    if is_results(place):
        raise invalid(f"{place} holds results, not a list", hint=f"ctxtui fleet report {place} shows them")
    data = read_file(place, _LONGEST_LIST).data
    if b"\0" in data:
        raise invalid(f"{place} is not a list but a binary file", hint=_HINT)
    return os.fsdecode(data.removeprefix(b"\xef\xbb\xbf"))


def _list_lines(text: str, origin: str, base: Path) -> Iterator[_Line]:
    """The repositories of a list. A folder without `.git` stands for those below it, if there are any."""
    for number, line in enumerate(text.split("\n"), 1):
        word = line.strip()
        if not word or word.startswith("#"):
            continue
        place = base / word
        below = sorted(_repository_paths(place, "")) if is_folder(place) and not exists(place / _MARK) else []
        for path in [f"{word.rstrip('/')}/{each}" for each in below] or [word]:
            yield _Line(path, f"{origin}:{number}", base)


def _identity(line: _Line) -> tuple[tuple[str, ...], str, Iterator[str]]:
    """A key, which is equal for the same repository, its folder or address, and possible names, best first.

    Raises ContextError if a word is neither an address nor a path.
    """
    if is_address(line.word) and not exists(line.base / line.word):
        address = read_address(line.word)
        shown = f"{address.shown}//{address.folder}" if address.folder else address.shown
        return address, line.word, _possible_names(shown, address.url)
    if plain_line(line.word) != line.word:
        raise invalid("the path has a sign that cannot be shown; rename the folder")
    # Symbolic links keep their name.
    place = os.path.abspath(line.base / line.word)  # noqa: PTH100
    return (os.path.realpath(place),), place, _possible_names(_path_below(Path(place), line.base), place)


def _path_below(place: Path, base: Path) -> str:
    above = Path(os.path.abspath(base))  # noqa: PTH100
    if place == above:
        return place.name or "/"
    return place.relative_to(above).as_posix() if place.is_relative_to(above) else place.as_posix()


def _possible_names(*names: str) -> Iterator[str]:
    yield from names
    yield from (f"{names[-1]} ({number})" for number in count(2))


def _member_paths(folder: Path) -> list[str]:
    """The paths below a folder that contain `.git`, else its visible subfolders. For a repository itself, ""."""
    if exists(folder / _MARK):
        return [""]
    return sorted(_repository_paths(folder, "")) or sorted(
        name for name in _subfolders(folder) if not name.startswith(".")
    )


def _folders_beside(folder: Path, members: Iterable[Path]) -> list[str]:
    """The subfolders of a folder, except hidden ones, that neither are nor hold one of the members' real paths."""
    base = Path(os.path.realpath(folder))
    places = [each.relative_to(base) for each in members if each.is_relative_to(base)]
    # A repository stands for itself.
    names = [] if Path() in places else _subfolders(folder)
    return sorted({name for name in names if name[0] != "."} - {place.parts[0] for place in places if place.parts})


def _repository_paths(folder: Path, path: str) -> Iterator[str]:
    """Paths, with `path` in front, of the folders below `folder` with `.git`. Enters no repository and no link."""
    for name in _subfolders(folder):
        below = f"{path}{name}"
        if exists(folder / name / _MARK):
            yield below
        elif below.count("/") < _DEEPEST:
            yield from _repository_paths(folder / name, f"{below}/")


def _subfolders(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [each.name for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError:
        return []
