"""What is measured inside a process of its own: `python -m tests.bench.probes NAME FOLDER` prints JSON."""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

# Set by the parent just before it starts the process; the clock is the machine's, so both may read it.
STARTED = "CTXTUI_BENCH_STARTED"

Answer = dict[str, float]
COMMITS, RECENT = 200, 10


def percentile(values: list[float], share: float) -> float:
    """The value that so large a share of the values does not pass."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def listing(folder: str) -> list[str]:
    """The ids of the documents that are counted; below the project's folder an id is a path."""
    from ctxtui import Workspace

    workspace = Workspace.open(folder, on_notice=lambda _: None)
    return [f"{each.id}\0{workspace.root / each.path}" for each in workspace.references if not each.large]


def reference(listed: str) -> Answer:
    """REF: one thread of plain tiktoken over the listed files; the time is that of the whole process."""
    from tests.plain import plain_encoding

    encoder = plain_encoding("o200k_base")
    tokens = size = 0
    files = Path(listed).read_text("utf-8").splitlines()
    for file in files:
        data = Path(file).read_bytes()
        size += len(data)
        tokens += len(encoder.encode(data.decode("utf-8", "replace"), disallowed_special=()))
    return {"files": len(files), "bytes": size, "tokens": tokens}


def count(folder: str) -> Answer:
    """All counts of a workspace, from the start of the process until every one is known."""
    start = float(os.environ[STARTED])
    from ctxtui import Workspace
    from ctxtui.core.tokens.by_name import get_counter
    from ctxtui.workspace.counting import count_all

    imported = time.monotonic()
    counter = get_counter()
    workspace = Workspace.open(folder)
    opened = time.monotonic()
    count_all(workspace, counter)
    entries = [workspace.reader.known_entry(each, counter) for each in workspace.references if not each.large]
    tokens = sum(counter.total(entry.counts.units) for entry in entries if entry)
    end = time.monotonic()
    times = {"importing": imported - start, "opening": opened - imported, "counting": end - opened}
    return {"seconds": end - start, **times, "tokens": tokens, "unknown": sum(entry is None for entry in entries)}


def toggle(folder: str) -> Answer:
    """Times of one toggle and the exact meter after it, with 50 and with 1,000 picks (p95, seconds)."""
    from random import Random

    from ctxtui import Workspace
    from ctxtui.core.tokens.by_name import get_counter
    from ctxtui.workspace.counting import count_all

    workspace = Workspace.open(folder)
    count_all(workspace, get_counter())
    random = Random(7)
    ids = [each.id for each in workspace.references]
    random.shuffle(ids)
    answer: Answer = {}
    for picks in (50, 1_000):
        session = workspace.session(budget=10_000_000)
        for id_ in ids[:picks]:
            session = session.pick(id_)
        session.layout()
        files = ids[-100:]
        parts = {id_: workspace.document(workspace.by_id[id_]).parts for id_ in files}
        sections = [f"{id_}#{random.choice(parts[id_]).slug}" for id_ in files]
        for what, targets in (("file", files), ("section", sections)):
            times = []
            for target in [*targets, *targets]:
                start = time.perf_counter()
                session = session.toggle(target)
                session.layout()
                times.append(time.perf_counter() - start)
            answer[f"{what}_{picks}"] = percentile(times, 0.95)
            answer[f"{what}_{picks}_max"] = max(times)
    return answer


def history(folder: str) -> Answer:
    from ctxtui import Workspace
    from ctxtui.audit.history.history import histories
    from ctxtui.core import get_counter

    workspace = Workspace.open(folder, on_notice=lambda _: None)
    *_, found = histories(workspace, get_counter(), max_commits=COMMITS)
    seconds = time.monotonic() - float(os.environ[STARTED])
    return {"seconds": seconds, "commits": len(found.commits), "jumps": len(found.jumps())}


def since(folder: str) -> Answer:
    from ctxtui import Workspace
    from ctxtui.audit.history import since_ref
    from ctxtui.core import get_counter
    from ctxtui.workspace.counting import count_all

    workspace, counter = Workspace.open(folder, on_notice=lambda _: None), get_counter()
    count_all(workspace, counter)
    found = since_ref.since(workspace, counter, f"HEAD~{RECENT}")
    seconds = time.monotonic() - float(os.environ[STARTED])
    return {"seconds": seconds, "files": len(found.files), "tokens": found.tokens}


PROBES: tuple[Callable[[str], Answer | list[str]], ...] = (listing, reference, count, toggle, history, since)

if __name__ == "__main__":
    print(json.dumps({probe.__name__: probe for probe in PROBES}[sys.argv[1]](sys.argv[2])))
