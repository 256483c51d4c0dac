"""What the tests of the audit begin with."""

from pathlib import Path

import pytest

from tests.audit.repositories import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A new repository without commits."""
    return Repo(tmp_path / "r")
