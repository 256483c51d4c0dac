"""The corpus that the benchmarks measure with: real projects where they are, generated ones otherwise."""

import posixpath
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import mkdtemp

from platformdirs import user_cache_path

from tests.bench import generated, real
from tests.bench.prose import Writer
from tests.bench.real import Content

_RULES = ("corpus.py", "real.py", "generated.py", "prose.py", "words.py")


def corpus_of(files: int) -> Path:
    """A folder of that many files, made once for each version of the rules and of the real projects; only to be read."""
    kind = "real" if real.CORPORA.is_dir() else "generated"
    rules = b"".join(Path(__file__).with_name(name).read_bytes() for name in _RULES)
    contents = _real(files) if kind == "real" else generated.tree(files)
    return made_once(f"{kind}-{files}", rules, lambda place: write(place, contents))


def made_once(name: str, rules: bytes, make: Callable[[Path], None]) -> Path:
    """A folder in the cache that is made for each version of the rules and of the real projects."""
    digest = sha256(rules)
    for file in sorted(real.CORPORA.glob("agents/*.tar.gz")):
        digest.update(f"{file.name} {file.stat().st_size}".encode())
    place = user_cache_path("ctxtui-bench") / f"{name}-{digest.hexdigest()[:8]}"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        made = Path(mkdtemp(prefix=place.name, dir=place.parent))
        make(made)
        made.rename(place)
    return place


def generate(folder: Path, files: int, seed: int = 7) -> None:
    """Write a generated project of that many files; the same arguments give the same bytes."""
    write(folder, generated.tree(files, seed))


def _real(files: int) -> Iterator[tuple[str, Content]]:
    writer = Writer(Random(7))
    return real.tree(real.projects(), files, lambda path: writer.code(path).encode())


def write(folder: Path, contents: Iterable[tuple[str, Content]]) -> None:
    for path, content in contents:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            file.symlink_to(content)
        else:
            file.write_bytes(content)


def write_texts(folder: Path, texts: Iterable[tuple[str, str]]) -> None:
    write(folder, ((path, text.encode()) for path, text in texts))


def described(folder: Path) -> str:
    """What a corpus consists of, in one paragraph for people."""
    files = [file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()]
    sizes = [file.stat().st_size for file in files]
    kinds = Counter(_kind(file.relative_to(folder).as_posix()) for file in files)
    shares = ", ".join(f"{kind} {100 * times / len(files):.1f} %" for kind, times in kinds.most_common())
    each = f"{sum(sizes) / len(files) / 1e3:.1f} kB each, the largest {max(sizes) / 1e3:.0f} kB"
    return f"{len(files):,} files, {sum(sizes) / 1e6:.1f} MB ({each}): {shares}"


def _kind(path: str) -> str:
    name, ending = posixpath.basename(path), posixpath.splitext(path)[1]
    folders = path.split("/")
    for kind, is_it in (
        ("skills", name == "SKILL.md"),
        (".context", ".context" in folders),
        ("catalogs", "/context/" in path),
        ("agents' files", not {"agents", "commands", "rules"}.isdisjoint(folders[:-1]) and ending in (".md", ".mdc")),
        ("agents' files", name in ("AGENTS.md", "CLAUDE.md", "GEMINI.md")),
        ("Markdown", ending in (".md", ".mdx", ".mdc", ".txt")),
        ("manifests", ending in (".json", ".yaml", ".yml", ".toml")),
    ):
        if is_it:
            return kind
    return "code"


if __name__ == "__main__":
    target = Path(sys.argv[1])
    shutil.copytree(corpus_of(int(sys.argv[2])), target, symlinks=True, dirs_exist_ok=True)
    print(described(target))
