"""A package index to install from, this repository as others get it, and a project with a finding."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.audit.repositories import Repo
from tests.conftest import REPOSITORY

# A subagent without a description is dropped: an error.
REJECTED: Mapping[str, str] = {
    "CLAUDE.md": "# Project\n\nRead @gone.md first.\n",
    ".claude/agents/reviewer.md": "---\nname: reviewer\n---\nReview.\n",
}


@pytest.fixture(scope="session")
def installing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of what installs the package and runs it: folders of its own, but the index of this machine."""
    home = tmp_path_factory.mktemp("installing")
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "CTXTUI_"))}
    folders = {f"XDG_{kind}_HOME": str(home / kind) for kind in ("CACHE", "STATE", "CONFIG", "DATA")}
    pip = Path.home() / ".config" / "pip" / "pip.conf"
    index = {"PIP_CONFIG_FILE": str(pip)} if pip.is_file() and "PIP_CONFIG_FILE" not in inherited else {}
    return {**inherited, **folders, **index, "GIT_CONFIG_GLOBAL": os.devnull}


@pytest.fixture(scope="session")
def _index(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skips the test if nothing can be installed here: what builds the package has to come from an index."""
    target = str(tmp_path_factory.mktemp("index"))
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", target, "hatchling"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        pytest.skip(f"no package index: {done.stderr.strip().splitlines()[-1:]}")


@pytest.fixture(scope="session")
def published(_index: None, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A clone of this repository, with the changes that are not committed yet."""
    listing = ["git", "-C", str(REPOSITORY), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listing, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("not in a git repository")
    names = [name for name in done.stdout.decode().split("\0") if name and (REPOSITORY / name).is_file()]
    repo = Repo(tmp_path_factory.mktemp("published") / "ctxtui")
    repo.commit({name: (REPOSITORY / name).read_bytes() for name in names})
    return repo
