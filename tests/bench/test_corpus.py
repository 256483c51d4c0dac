"""The benchmark corpus: deterministic, of realistic sizes and density, and a workspace."""

from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.core.tokens.by_name import get_counter
from tests.bench.corpus import LARGEST, SMALLEST, generate


def _files(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    for name, seed in (("one", 7), ("two", 7), ("three", 8)):
        generate(tmp_path / name, 50, seed)

    one = _files(tmp_path / "one")
    assert one == _files(tmp_path / "two")
    assert one.values() != _files(tmp_path / "three").values()


def test_sizes_and_density_are_those_of_real_documentation(tmp_path: Path) -> None:
    generate(tmp_path, 300)

    texts = _files(tmp_path).values()
    sizes = [len(text) for text in texts]
    assert SMALLEST <= min(sizes) < max(sizes) <= LARGEST
    assert 6_500 < sum(sizes) / len(sizes) < 9_500
    together = "\n".join(text.decode() for text in texts)
    assert 3.8 <= len(together) / get_counter().count(together) <= 4.3


def test_it_opens_as_a_workspace_with_agent_files_a_context_directory_and_plain_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    generate(tmp_path / "corpus", 50)

    workspace = Workspace.open(tmp_path / "corpus")

    assert workspace.notices == ()
    sources = [reference.source for reference in workspace.references]
    assert {name: sources.count(name) for name in sources} == {"agents": 1, ".context": 4, "files": 50}
    assert max(part.level for each in workspace.references for part in workspace.document(each).parts) == 4
