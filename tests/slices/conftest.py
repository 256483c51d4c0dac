"""Both boards, so that what holds for one is shown for the other."""

from pathlib import Path

import pytest

from ctxtui.slices import Board, EntryBoard, InMemoryBoard


@pytest.fixture(params=["memory", "entries"])
def board(request: pytest.FixtureRequest, tmp_path: Path) -> Board:
    return InMemoryBoard() if request.param == "memory" else EntryBoard(tmp_path / "context")
