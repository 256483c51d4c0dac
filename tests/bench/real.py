"""The corpus made of real projects: their files once, then again with changed words, in folders of their own."""

import os
import posixpath
import re
import tarfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from itertools import count, cycle
from pathlib import Path
from random import Random
from typing import NamedTuple

CORPORA = Path(os.environ.get("CTXTUI_CORPORA") or Path(__file__).parents[3] / "shared" / "corpora")
"""Real projects: archives in `agents`, folders beside it. Their code files are empty."""

Content = bytes | str
"""The bytes of a file, or where a link leads."""
Tree = dict[str, Content]
Code = Callable[[str], bytes]
"""Makes the text of the code file with that path."""
_Group = tuple[str, str, list[str]]
"""A project, a folder of it, and the paths that belong to the folder."""

AT_ROOT = "everything-claude-code"
FILES_PER_CATALOG = 2_000
_CODE = frozenset(".py .ts .tsx .js .mjs .go .sh .kt .rs .html .css .yaml .json .toml".split())
_CODE_SHARE = 25  # one code file in so many is kept, and all of those that belong to skills
_CATALOG = "/loading_protocol.md"
_MARKDOWN = frozenset(".md .mdx .mdc .MD".split())
_NAVIGATION = frozenset("index.md loading_protocol.md cross_domain.md context_detection.md".split())
# A word of prose: whatever touches it must not make it part of a name, a path, a key or a field.
_WORD = re.compile(r"(?<![\w/.@#\\<*=:$%{\"'`~-])(?<!\]\()([^\W\d_]{4,})(?![\w/@*=:>{}\"'`~(\\-]|\.\w)")
_KEPT_LINE = re.compile(r"\s*(?:#|@|```|~~~|<)")
_CHANGED_KEY = re.compile(r"\s*(?:description|purpose|summary)\s*:")
_YAML_WORDS = frozenset("true false null none".split())


def projects(corpora: Path = CORPORA) -> dict[str, Tree]:
    """The files of every project by their paths, and their links; code files are empty."""
    archives = sorted((corpora / "agents").glob("*.tar.gz"))
    folders = sorted(each for each in corpora.iterdir() if each.is_dir() and each.name != "agents")
    found = {archive.name.removesuffix(".tar.gz"): dict(_unpacked(archive)) for archive in archives}
    return found | {folder.name: dict(read(folder)) for folder in folders}


def _unpacked(archive: Path) -> Iterator[tuple[str, Content]]:
    with tarfile.open(archive) as tar:
        for member in tar:
            path = posixpath.normpath(member.name).partition("/")[2]
            if path and member.issym():
                yield path, member.linkname
            elif path and (file := tar.extractfile(member) if member.isfile() else None):
                yield path, file.read()


def read(folder: Path) -> Iterator[tuple[str, Content]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink():
            yield file.relative_to(folder).as_posix(), file.read_bytes()


def tree(found: Mapping[str, Tree], files: int, code: Code) -> Iterator[tuple[str, Content]]:
    """That many files, then the links among them; the same arguments give the same bytes.

    A smaller corpus is a part of a larger one. Skills, `.context` directories and catalogs come whole.
    """
    vocabulary = _vocabulary(found.values())
    swap = lru_cache(2)(lambda copy: _swap(vocabulary, copy))
    written: set[str] = set()
    links: dict[str, str] = {}
    for taken in _order(found):
        content = found[taken.project][taken.path]
        if isinstance(content, str):
            links[taken.target] = content
            continue
        if len(written) == files:
            break
        written.add(taken.target)
        yield taken.target, taken.copied(content, swap(taken.copy)) if content else code(taken.target)
    yield from _leading(links, written)


def _leading(links: Mapping[str, str], written: set[str]) -> Iterator[tuple[str, str]]:
    there = written | {parent for path in written for parent in _parents(path)}
    for path, target in sorted(links.items()):
        if posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) in there:
            yield path, target


def _parents(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path


class _Taken(NamedTuple):
    """A file of a project in a copy of it; a catalog's domains are named otherwise in each copy, as ids come from them."""

    copy: int
    project: str
    path: str
    domains: re.Pattern[str] | None = None

    @property
    def target(self) -> str:
        folder = self.project if self.copy == 1 else f"{self.project}-{self.copy}"
        return ("" if folder == AT_ROOT else f"projects/{folder}/") + self._renamed(self.path)

    def copied(self, content: bytes, swap: Mapping[str, str]) -> bytes:
        changed = _copied(self.path, content, swap, self.copy)
        return self._renamed(changed.decode()).encode() if self.domains and swap else changed

    def _renamed(self, text: str) -> str:
        return self.domains.sub(rf"\g<0>-{self.copy}", text) if self.domains and self.copy > 1 else text


def _order(found: Mapping[str, Tree]) -> Iterator[_Taken]:
    """Every file of every copy, without end: whole groups in a mixed order, now and then a catalog."""
    groups: list[_Group] = [(project, *group) for project, files in found.items() for group in _groups(files).items()]
    catalogs = [group for group in reversed(groups) if any(path.endswith(_CATALOG) for path in group[2])]
    others = [group for group in groups if group not in catalogs]
    if not others:
        raise SystemExit(f"{CORPORA} holds no projects; name another folder in CTXTUI_CORPORA")
    turns = enumerate(cycle(catalogs), 1)
    done, due = 0, FILES_PER_CATALOG // 4
    for copy in count(1):
        for project, _, paths in sorted(others, key=lambda group: _rank(copy, *group[:2])):
            if catalogs and done >= due:
                turn, (catalog, root, its_paths) = next(turns)
                domains = _domains(root, its_paths)
                yield from (_Taken(turn, catalog, path, domains) for path in its_paths)
                done, due = done + len(its_paths), due + FILES_PER_CATALOG
            yield from (_Taken(copy, project, path) for path in paths)
            done += len(paths)


def _domains(root: str, paths: Iterable[str]) -> re.Pattern[str]:
    """Finds the names of a catalog's domains in paths and in the field `domain`."""
    inner = (path.removeprefix(f"{root}/") for path in paths)
    names = "|".join(sorted({path.partition("/")[0] for path in inner if "/" in path}))
    return re.compile(rf"(?<![\w-])(?:{names})(?=/)|(?<=^domain: )(?:{names})$", re.MULTILINE)


def _rank(copy: int, project: str, name: str) -> tuple[bool, str]:
    """The project at the root begins with what lies there; all else is mixed, differently in each copy."""
    is_first = project == AT_ROOT and not name and copy == 1
    return not is_first, sha256(f"{copy} {project} {name}".encode()).hexdigest()


def _groups(files: Tree) -> dict[str, list[str]]:
    """Paths by folder; what lies below a skill, a `.context` directory or a catalog stays together."""
    is_root = re.compile(rf"(?:.*/)?SKILL\.md|.*{_CATALOG}").fullmatch
    whole = {posixpath.dirname(path) for path in files if is_root(path)}
    whole |= {folder for path in files for folder in _parents(path) if posixpath.basename(folder) == ".context"}
    groups = defaultdict(list)
    for path in sorted(files, key=lambda path: (posixpath.basename(path) != "SKILL.md", path)):
        above = [folder for folder in _parents(path) if folder in whole]
        if files[path] or _is_wanted_code(path, bool(above)):
            groups[above[-1] if above else posixpath.dirname(path)].append(path)
    return groups


def _is_wanted_code(path: str, is_part: bool) -> bool:
    is_wanted = is_part or int(sha256(path.encode()).hexdigest()[:8], 16) % _CODE_SHARE == 0
    return is_wanted and posixpath.splitext(path)[1] in _CODE


def _vocabulary(trees: Iterable[Tree]) -> list[list[str]]:
    """All words of prose, those together that are as long and about as frequent, and written with the same capitals."""
    contents = (content for tree in trees for content in tree.values() if isinstance(content, bytes))
    words = Counter(word for content in contents for word in _WORD.findall(content.decode("utf-8", "replace")))
    alike = defaultdict(list)
    for word, times in sorted(words.items()):
        if word.lower() not in _YAML_WORDS:
            alike[len(word), times.bit_length(), word.islower(), word.istitle(), word.isascii()].append(word)
    return list(alike.values())


def _swap(vocabulary: list[list[str]], copy: int) -> Mapping[str, str]:
    """Another word for each word in a copy; none in the first."""
    if copy == 1:
        return {}
    random, swap = Random(copy), {}
    for words in vocabulary:
        mixed = random.sample(words, len(words))
        swap.update(zip(mixed, mixed[1:] + mixed[:1], strict=True))
    return swap


def _copied(path: str, content: bytes, swap: Mapping[str, str], copy: int) -> bytes:
    """The content with other words; structure, headings, metadata, names and links stay."""
    if not swap:
        return content
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content
    name, ending = posixpath.basename(path), posixpath.splitext(path)[1]
    if ending not in _MARKDOWN:
        return _swapped(text, swap).encode()
    parts, run = [], []
    for line, is_kept in _lines(text, is_navigation=name in _NAVIGATION):
        if is_kept and run:
            parts.append(_swapped("".join(run), swap))
            run = []
        (parts if is_kept else run).append(line)
    changed = "".join([*parts, _swapped("".join(run), swap)])
    return (changed if changed != text else f"{text}\n<!-- copy {copy} -->\n").encode()


def _lines(text: str, is_navigation: bool) -> Iterator[tuple[str, bool]]:
    """The lines of a Markdown file, and whether each must stay as it is."""
    lines = text.splitlines(keepends=True)
    end = _end_of_frontmatter(lines)
    yield from ((line, not _CHANGED_KEY.match(line)) for line in lines[:end])
    yield from ((line, bool(_KEPT_LINE.match(line)) or (is_navigation and "|" in line)) for line in lines[end:])


def _end_of_frontmatter(lines: list[str]) -> int:
    """The number of lines that hold metadata, as far as a closing line or, without one, an empty line."""
    if not lines or lines[0].strip() != "---":
        return 0
    closing = (number for number, line in enumerate(lines[1:], 2) if line.strip() == "---")
    empty = (number for number, line in enumerate(lines[1:], 1) if not line.strip())
    return next(closing, next(empty, 0))


def _swapped(text: str, swap: Mapping[str, str]) -> str:
    parts = _WORD.split(text)
    parts[1::2] = [swap.get(word, word) for word in parts[1::2]]
    return "".join(parts)
