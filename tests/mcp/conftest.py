"""Fixtures of the server's tests: one project, and one server of it for each transport and worker."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxtui.core.base.notices import Notice
from ctxtui.mcp.project import Project
from tests.mcp.mcp_helpers import FILES, TOKEN, Session, http_server, over_http, over_stdio, write


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with every source; tests only read it."""
    return write(tmp_path_factory.mktemp("shop"), FILES)


@pytest.fixture(scope="session")
def stdio_session(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A client of a server over stdio."""
    with over_stdio(tmp_path_factory.mktemp("home"), path=shop) as session:
        yield session


@pytest.fixture(scope="session")
def guarded(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server over HTTP that wants the token."""
    home = tmp_path_factory.mktemp("home")
    (home / "token").write_text(f"{TOKEN}\n")
    with http_server(home, path=shop, token_file=home / "token") as (url, _):
        yield url


@pytest.fixture(scope="session")
def http_session(guarded: str) -> Iterator[Session]:
    """A client of the server over HTTP."""
    with over_http(guarded) as session:
        yield session


@pytest.fixture(params=["stdio", "http"])
def served(request: pytest.FixtureRequest) -> Session:
    """A client of the shop's server over either transport."""
    session: Session = request.getfixturevalue(f"{request.param}_session")
    return session


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Project]:
    """A project of one's own, served in memory."""
    told: list[Notice] = []
    project = Project(tmp_path, told.append)
    yield project
    project.close()
