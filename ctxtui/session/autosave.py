"""Autosave: the last selection of a project, kept in the state folder so that nothing is ever lost."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from platformdirs import user_state_path

from ctxtui.core.errors import ContextError
from ctxtui.core.root import write_atomic
from ctxtui.session.recipe_yaml import Recipe, dump_recipe, parse_recipe
from ctxtui.session.session import Session

_KEPT = 5


@dataclass(frozen=True, slots=True)
class Saved:
    """An earlier selection, and the recipe it came from or was saved as."""

    recipe: Recipe
    name: str | None


class Autosave:
    """Writes this process's selection of a project; each process has a file of its own."""

    def __init__(self, root: Path) -> None:
        key = blake2b(os.fsencode(root), digest_size=12).hexdigest()
        self._folder = user_state_path("ctxtui") / "selections" / key
        self._root = root
        self._file = self._folder / f"{time.time_ns()}-{os.getpid()}.yaml"

    def save(self, session: Session, name: str | None) -> None:
        """Write the selection atomically; raises ContextError (unavailable) where that is impossible."""
        head = json.dumps({"root": str(self._root), "recipe": name}, ensure_ascii=True)
        write_atomic(self._file, f"# {head}\n{dump_recipe(session)}".encode(), mode=0o600)

    def restore(self) -> Saved | None:
        """The selection saved last by any process, skipping damaged ones; None where there is none."""
        for file in self._newest_first():
            with suppress(OSError, ContextError, ValueError):
                text = file.read_text("utf-8")
                head = json.loads(text.partition("\n")[0].removeprefix("# "))
                name = head.get("recipe") if isinstance(head, dict) else None
                return Saved(parse_recipe(text, str(file)), name if isinstance(name, str) else None)
        return None

    def tidy(self) -> None:
        """Remove all but the newest selections of processes that have ended."""
        for file in self._newest_first()[_KEPT:]:
            if file != self._file and not _is_running(file):
                with suppress(OSError):
                    file.unlink()

    def _newest_first(self) -> list[Path]:
        files = []
        with suppress(OSError):
            files = [(file.stat().st_mtime_ns, file) for file in self._folder.glob("*.yaml")]
        return [file for _, file in sorted(files, reverse=True)]


def _is_running(file: Path) -> bool:
    try:
        process = int(file.stem.partition("-")[2])
        if process == os.getpid():
            return False
        os.kill(process, 0)
    except (ProcessLookupError, ValueError):
        return False
    except OSError:
        return True
    return True
