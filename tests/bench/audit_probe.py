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
    from ctxtui.audit.history.since_ref import since
    from ctxtui.core import get_counter
    from ctxtui.workspace.count import count_all

    workspace, counter = Workspace.open(folder, on_notice=lambda _: None), get_counter()
    count_all(workspace, counter)
    found = since(workspace, counter, f"HEAD~{RECENT}")
    return {"seconds": time.monotonic() - start, "files": len(found.files), "tokens": found.tokens}


if __name__ == "__main__":
    probes = {"history": history_of, "since": since_then}
    print(json.dumps(probes[sys.argv[1]](Path(sys.argv[2]), float(os.environ[STARTED]))))
