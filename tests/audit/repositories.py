"""Real git repositories, made commit by commit with fixed authors and dates and nobody's configuration."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxtui.audit.history.history import History, histories
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace

_WHO = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
}
# Each commit would start two more processes to look whether there is something to tidy.
_UNTIDIED = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false"}
_NOBODY = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"} | _UNTIDIED


class Repo:
    """A folder under version control."""

    def __init__(self, root: Path, seconds: int = 1_700_000_000) -> None:
        self.root = root
        self._seconds = seconds
        root.mkdir(parents=True, exist_ok=True)
        if not (root / ".git").exists():
            self.git("init", "--quiet", "--initial-branch=main")

    def copy(self, root: Path) -> Repo:
        """The repository as it is now in another folder, quicker than its commits again."""
        shutil.copytree(self.root, root, symlinks=True)
        return Repo(root, self._seconds)

    def git(self, *arguments: str, data: bytes | None = None) -> str:
        """Run git; it must succeed."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{self._seconds} +0000")
        environment = {**inherited, **_WHO, **_NOBODY, **dates}
        done = subprocess.run(
            ["git", "-C", str(self.root), *arguments], env=environment, input=data, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "replace").strip()

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write files, or remove those that are None."""
        for name, content in files.items():
            place = self.root / name
            if content is None:
                place.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Mapping[str, str | bytes | None] | None = None, subject: str = "change") -> str:
        """Write files and commit all that is there, an hour after the last commit; gives the commit's id."""
        self.write(files or {})
        self._seconds += 3600
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")


def history(workspace: Workspace, counter: TokenCounter, **options: Any) -> History:
    """The whole history of a project."""
    return list(histories(workspace, counter, **options))[-1]
