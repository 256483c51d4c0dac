"""What a reader keeps in memory is bounded by its bytes, whatever the characters of its texts."""

import tracemalloc

from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project

_FILES, _CHARACTERS = 40, 400_000
_MOST = 16 * 1024 * 1024


def test_texts_are_kept_by_the_bytes_that_they_take(project: Project) -> None:
    # One character outside the basic plane makes all of them take four bytes.
    text = "\U0001f600" + "x" * _CHARACTERS
    workspace = Workspace.open(project({f"{number:02}.md": text for number in range(_FILES)}))
    tracemalloc.start()
    try:
        read = sum(len(workspace.document(each).text) for each in workspace.references)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert read == _FILES * (_CHARACTERS + 1)
    assert held < _MOST
