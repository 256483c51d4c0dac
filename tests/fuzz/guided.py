"""`python -m tests.fuzz.guided DOOR [--minutes N]`: inputs for one reader, led by the code that they reach.

It needs `pip install atheris`, which has wheels for few versions of Python. What it finds is told and saved as by
`python -m tests.fuzz`; it stops at the first crash.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from random import Random

from tests.fuzz.cases import save
from tests.fuzz.mutators import mutated


def main() -> int:
    """Follow the coverage of one reader; 1 when something crashed."""
    try:
        import atheris
    except ImportError:
        print("guided inputs need atheris: .venv/bin/pip install atheris")
        return 2
    with atheris.instrument_imports(include=["ctxtui"]):
        from tests.fuzz.doors import DOORS
    from tests.fuzz.judging import Found, judge, settle
    from tests.fuzz.work import make, smallest

    parser = argparse.ArgumentParser("python -m tests.fuzz.guided")
    parser.add_argument("door", choices=[name for name, door in DOORS.items() if not door.is_project])
    parser.add_argument("--minutes", type=float, default=2.0, help="how long (default: 2)")
    arguments = parser.parse_args()
    door = DOORS[arguments.door]
    folder = Path(tempfile.mkdtemp(prefix="ctxtui-fuzz-"))
    settle(folder)

    def one(data: bytes) -> None:
        text = data.decode("utf-8", "surrogatepass" if arguments.door == "selection" else "replace")
        found = judge(door, text, folder / "p").crash
        if found is not None:
            small = smallest(door, text, Found(found, 0, text), folder / "p")
            print(
                f"{found.door}: {found.signature}, saved as {save(door.name, small.given)}\n{found.trace}", flush=True
            )
            os._exit(1)

    def change(data: bytes, most: int, seed: int) -> bytes:
        text = data.decode("utf-8", "replace")
        return mutated(Random(seed), text).encode("utf-8", "surrogatepass")[:most]

    corpus = folder / "corpus"
    corpus.mkdir()
    for at in range(300):
        (corpus / str(at)).write_bytes(str(make(door, 1, at)).encode("utf-8", "surrogatepass"))
    options = [
        f"-max_total_time={arguments.minutes * 60:.0f}",
        "-max_len=4096",
        "-timeout=0",
        "-handle_alrm=0",
        "-rss_limit_mb=0",
    ]
    atheris.Setup([sys.argv[0], str(corpus), *options], one, custom_mutator=change)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
