"""Nothing that an editor saves while a file is rewritten is lost, at whatever moment it saves."""

import sys

import pytest

from tests.fuzz.editor_saves import SAVES, WRITERS, Writer, lost

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")


# Each writer with each way to save, in the plain run with one of them by turns.
_TRIED = [
    pytest.param(writer, how, marks=() if (turn + number) % 2 else (pytest.mark.heavy,), id=f"{writer.name}-{how}")
    for turn, writer in enumerate(WRITERS)
    for number, how in enumerate(SAVES)
]


@pytest.mark.parametrize(("writer", "how"), _TRIED)
def test_a_save_between_the_check_and_the_change_survives(writer: Writer, how: str) -> None:
    assert lost(writer, how) == []
