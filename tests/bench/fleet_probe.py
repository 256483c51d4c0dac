"""Tasks without work through the window of a run, in a process of its own: `python -m tests.bench.fleet_probe COUNT`.

The repositories do not exist, so that what is left is what sending, keeping and taking back tasks takes. Prints JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time

from ctxtui.fleet.cluster import Where, connected
from ctxtui.fleet.examine import FleetOrder
from ctxtui.fleet.types import Member
from ctxtui.fleet.window import examined

_PAGE = os.sysconf("SC_PAGE_SIZE")
# A start is over once this share is done: what is imported and kept from then on is what grows.
_START = 0.1


def held() -> int:
    """The bytes that this process holds now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * _PAGE


def run(count: int) -> dict[str, float]:
    """Seconds, the most tasks that the scheduler knew at a time, and the memory of client and scheduler."""
    members = (Member(f"r{number}", f"/nonesuch/{number}") for number in range(count))
    done = tasks = 0
    held_by: list[tuple[int, int]] = []
    with connected(Where(workers=2)) as client:
        scheduler = client.cluster.scheduler
        begin, spent = time.perf_counter(), time.process_time()
        for found in examined(client, members, FleetOrder()):
            done += len(found)
            tasks = max(tasks, len(scheduler.tasks))
            held_by.append((done, held()))
        seconds, spent = time.perf_counter() - begin, time.process_time() - spent
    first = max(size for at, size in held_by if count * _START <= at <= count / 2)
    second = max(size for at, size in held_by if at > count / 2)
    return {
        "count": done,
        "seconds": seconds,
        "cpu": spent,
        "tasks": tasks,
        "batches": sum(1 for _ in held_by),
        "first": first,
        "second": second,
    }


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]))))
