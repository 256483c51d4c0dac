"""What is measured of the audit inside a process of its own: `python -m tests.bench.audit_probe NAME FOLDER` prints JSON.

It imports little by itself: what is measured is the whole process.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from tests.bench.probes import STARTED, Answer

COMMITS, RECENT = 200, 10


def report(folder: Path, start: float) -> Answer:
    """An audit with plain files, and the sums."""
    from ctxtui import Workspace
    from ctxtui.audit import Settings
    from ctxtui.audit.known_audit import known_audit
    from ctxtui.core import get_counter

    imported = time.monotonic()
    counter, settings = get_counter(), Settings(with_plain=True)
    workspace = Workspace.open(folder, on_notice=lambda _: None)
    opened = time.monotonic()
    result, sums = known_audit(workspace, counter, settings)
    end = time.monotonic()
    parts = {"importing": imported - start, "opening": opened - imported, "auditing": end - opened}
    return {"seconds": end - start, **parts, "tokens": sums.tokens, "findings": len(result.findings)}


def history_of(folder: Path, start: float) -> Answer:
    """The costs over the last commits."""
    from ctxtui import Workspace
    from ctxtui.audit.history.history import history
    from ctxtui.core import get_counter

    workspace = Workspace.open(folder, on_notice=lambda _: None)
    found = history(workspace, get_counter(), max_commits=COMMITS)
    return {"seconds": time.monotonic() - start, "commits": len(found.commits), "jumps": len(found.jumps())}


def since_then(folder: Path, start: float) -> Answer:
    """What changed since a recent commit."""
    from ctxtui import Workspace
    from ctxtui.audit import Settings
    from ctxtui.audit.history.since_ref import since
    from ctxtui.core import get_counter
    from ctxtui.workspace.count import count_all

    workspace, counter = Workspace.open(folder, on_notice=lambda _: None), get_counter()
    count_all(workspace, counter)
    found = since(workspace, counter, f"HEAD~{RECENT}", settings=Settings(with_plain=True))
    return {"seconds": time.monotonic() - start, "files": len(found.files), "tokens": found.tokens}


if __name__ == "__main__":
    probes = {"report": report, "history": history_of, "since": since_then}
    print(json.dumps(probes[sys.argv[1]](Path(sys.argv[2]), float(os.environ[STARTED]))))
