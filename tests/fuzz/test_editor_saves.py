"""Nothing that an editor saves while a file is rewritten is lost, at whatever moment it saves."""

import sys

import pytest

from tests.fuzz.editor_saves import SAVES, WRITERS, Writer, lost

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")


@pytest.mark.parametrize("how", SAVES)
@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.name)
def test_a_save_between_the_check_and_the_change_survives(writer: Writer, how: str) -> None:
    assert lost(writer, how) == []
