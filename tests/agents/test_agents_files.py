"""The files of a project as rules see them: their texts take no memory for good."""

import tracemalloc

from ctxtui.agents.files import Files

_FILES, _SIZE = 40, 1_000_000


def test_texts_are_not_held_beyond_a_few_megabytes() -> None:
    paths = [f"{number}.md" for number in range(_FILES)]
    files = Files(lambda path: path.rjust(_SIZE), paths)
    tracemalloc.start()
    try:
        read = [len(files.text(path) or "") for path in paths * 2]
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert read == [_SIZE] * 2 * _FILES
    assert held < 8 * _SIZE


def test_a_small_file_is_read_once() -> None:
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return None if path == "gone.md" else "text"

    files = Files(read, ("a.md", "gone.md"))
    assert [files.text(path) for path in ("a.md", "gone.md", "other.md") * 2] == ["text", None, None] * 2
    assert asked == ["a.md", "gone.md"]
