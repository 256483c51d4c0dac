"""The benchmarks' corpus: deterministic, of realistic kinds and sizes, and a workspace; copies differ in words only."""

import io
import re
import tarfile
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.core.tokens.by_name import get_counter
from tests.bench import generated, real
from tests.bench.corpus import described, generate, write, write_texts
from tests.bench.prose import LARGEST
from tests.bench.real import Content, Tree

SKILL = """---
name: pack
description: Packs several boxes before transport begins
---
# Pack several boxes

Read [the guide](guide.md) before anything else happens, then call `pack_boxes` with
whatever remains below tools/pack/run.py or at https://example.org/several/boxes.

**Last Updated**: whenever several people agree about everything

```python
def pack(several, boxes): return everything
```
"""
PROSE = "Whatever several people agree about remains before anything else happens below everything.\n"
TOPIC = "---\nid: {0}/index\ndomain: {0}\nestimatedTokens: 100\n---\n# All of {0}\n\n" + PROSE


@pytest.fixture
def found(tmp_path: Path) -> dict[str, Tree]:
    """A project with a skill, code and a link in an archive, and a catalog in a folder, as read from the disk."""
    place = tmp_path / "corpora"
    _archive(
        place / "agents" / "tools.tar.gz",
        {
            "AGENTS.md": b"# Tools\n\n" + PROSE.encode(),
            "CLAUDE.md": "AGENTS.md",
            "gone.md": "nowhere.md",
            ".claude/skills/pack/SKILL.md": SKILL.encode(),
            ".claude/skills/pack/guide.md": b"# Guide\n\n" + PROSE.encode(),
            ".claude/skills/pack/run.py": b"",
            "package.json": b'{"name": "tools", "description": "several boxes before transport begins"}\n',
            "picture.png": b"",
        },
    )
    topics = {f"context/{name}/index.md": TOPIC.format(name) for name in ("boxes", "people")}
    write_texts(place / "catalog", {"context/loading_protocol.md": "# Protocol\n", **topics}.items())
    return real.projects(place)


def _archive(file: Path, contents: Mapping[str, Content]) -> None:
    file.parent.mkdir(parents=True)
    with tarfile.open(file, "w:gz") as tar:
        for path, content in contents.items():
            member = tarfile.TarInfo(f"tools/{path}")
            if isinstance(content, str):
                member.type, member.linkname = tarfile.SYMTYPE, content
                tar.addfile(member)
            else:
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))


def _tree(found: dict[str, Tree], files: int) -> dict[str, Content]:
    return dict(real.tree(found, files, lambda path: f"# {path}\n".encode()))


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real, "FILES_PER_CATALOG", 8)


@pytest.mark.usefixtures("often")
def test_real_projects_come_whole_first_and_then_again_in_folders_of_their_own(found: dict[str, Tree]) -> None:
    tree = _tree(found, 32)
    assert len([path for path, content in tree.items() if isinstance(content, bytes)]) == 32
    assert tree["projects/tools/.claude/skills/pack/SKILL.md"] == SKILL.encode()
    assert tree["projects/tools/.claude/skills/pack/run.py"] == b"# projects/tools/.claude/skills/pack/run.py\n"
    assert tree["projects/tools-2/CLAUDE.md"] == "AGENTS.md"
    assert not {path for path in tree if path.endswith((".png", "gone.md"))}
    projects = {path.split("/")[1] for path in tree}
    assert projects >= {"tools", "tools-2", "tools-3", "catalog", "catalog-2", "catalog-3"}
    smaller = _tree(found, 11)
    assert {path: tree[path] for path in smaller} == smaller


@pytest.mark.usefixtures("often")
def test_no_text_of_a_copy_repeats_and_its_structure_stays(found: dict[str, Tree]) -> None:
    found["tools"] |= {f"notes/{number}.md": _notes(number).encode() for number in range(40)}
    tree = _tree(found, 120)
    texts = [content for content in tree.values() if isinstance(content, bytes) and content]
    assert [text for text, times in Counter(texts).items() if times > 1] in ([], [b"# Protocol\n"])
    copy = tree["projects/tools-2/.claude/skills/pack/SKILL.md"]
    assert isinstance(copy, bytes)
    before, after = SKILL.split("\n"), copy.decode().split("\n")
    changed = [number for number, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert {2, 6} <= set(changed) <= {2, 6, 7, 9, 12}
    kept = ("name: pack", "](guide.md)", "`pack_boxes`", "tools/pack/run.py", "**Last Updated**:", "```python")
    assert [each for each in (*kept, "https://example.org/several/boxes") if each not in copy.decode()] == []


def _notes(number: int) -> str:
    """Words enough that each finds another one of its length."""
    words = re.findall(r"\w{4,}", PROSE.lower())
    return f"# Notes\n\n{' '.join(words[number % 5 :])} {' '.join(f'{word[:-1]}{chr(97 + number % 26)}' for word in words)}\n"


@pytest.mark.usefixtures("often")
def test_copies_of_catalogs_are_catalogs_without_duplicate_ids(found: dict[str, Tree], tmp_path: Path) -> None:
    write(tmp_path / "corpus", _tree(found, 32).items())
    workspace = Workspace.open(tmp_path / "corpus")
    ids = [reference.id for reference in workspace.references if reference.source == "catalog"]
    assert len(ids) == len(set(ids)) > 9
    assert [notice for notice in workspace.notices if notice.code == "duplicate-id"] == []


def test_a_folder_without_projects_is_told() -> None:
    with pytest.raises(SystemExit, match="holds no projects; name another folder in CTXTUI_CORPORA"):
        _tree({}, 10)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    for name, seed in (("one", 7), ("two", 7), ("three", 8)):
        generate(tmp_path / name, 50, seed)
    one, two, three = (dict(real.read(tmp_path / name)) for name in ("one", "two", "three"))
    assert one == two
    assert list(one.values()) != list(three.values())


def test_generated_sizes_and_density_are_those_of_real_documentation() -> None:
    texts = [text for path, text in islice(generated.tree(300), 300) if path.endswith(".md")]
    sizes = [len(text) for text in texts]
    assert max(sizes) <= LARGEST * 1.1
    assert 6_000 < sum(sizes) / len(sizes) < 9_500
    together = "\n".join(text.decode() for text in texts)
    assert 3.6 <= len(together) / get_counter().count(together) <= 4.3


def test_a_generated_corpus_has_every_kind_of_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    generate(tmp_path / "corpus", 700)
    workspace = Workspace.open(tmp_path / "corpus")
    sources = Counter(reference.source for reference in workspace.references)
    assert (sources.total(), sources["catalog"]) == (700, 81)
    assert min(sources["agents"], sources["files"]) > 200
    assert sources[".context"] >= 4
    assert Counter(notice.code for notice in workspace.notices)["frontmatter-yaml"] in range(1, 20)
    told = described(tmp_path / "corpus")
    assert told.startswith("700 files, ")
    assert re.findall(r"(\S+) (?:[1-9]|\d\d)\.\d %", told)[-1] in (".context", "catalogs")
