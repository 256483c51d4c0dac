"""Other tools that pack a folder for a model, measured beside us where they are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.counts import Corpus
from tests.bench.processes import Run, middle, whole
from tests.bench.table import Row

# tiktoken looks for a vocabulary under the hash of its address, and downloads it if it is not there.
_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
_LEAST = 0.5  # the share of the corpus that a pack must hold to be one


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool: how to install it, what it is called with, and how it tells its version."""

    name: str
    install: str
    arguments: Callable[[str, str], tuple[str, ...]]
    version: tuple[str, ...]


PEERS = (
    Peer(
        "repomix",
        "npm install -g repomix",
        lambda folder, output: (folder, "-o", output, "--quiet", "--token-count-encoding", "o200k_base"),
        ("--version",),
    ),
    Peer("gitingest", "pipx install gitingest", lambda folder, output: (folder, "-o", output), ()),
)


def measure(corpora: Sequence[Corpus], places: Sequence[str]) -> Iterator[Row]:
    """Every tool over every folder, cold and warm; a tool that is not installed gives one row that says how to."""
    path = os.pathsep.join([*places, os.environ.get("PATH", "")])
    for peer in PEERS:
        program = shutil.which(peer.name, path=path)
        if program is None:
            yield Row(peer.name, "", f"not installed: `{peer.install}`, or name its folder after `--peers`", True)
            continue
        for corpus in corpora:
            yield from _rows(f"{peer.name} {_version(program, peer)}".strip(), peer, program, corpus)


def _rows(name: str, peer: Peer, program: str, corpus: Corpus) -> Iterator[Row]:
    with TemporaryDirectory(prefix="ctxtui-peers-") as place:
        output = Path(place, "packed.xml")
        vocabulary = _vocabulary(Path(place, "tiktoken"))

        def pack(home: Mapping[str, str]) -> Run:
            # Caches that a tool keeps in the temporary folder last as long as the home does.
            scratch = Path(home["XDG_CACHE_HOME"]).parent
            environment = {**home, "TMPDIR": str(scratch), "HOME": str(scratch), "TIKTOKEN_CACHE_DIR": vocabulary}
            return whole((program, *peer.arguments(str(corpus.folder), str(output))), environment)

        cold, warm = corpus.beside(pack, 2 if corpus.is_small else 1)
        share = output.stat().st_size / corpus.counted["bytes"]
    for when, runs in (("cold", cold), ("warm", warm)):
        run = middle(runs)
        measured = corpus.shown(run) if share >= _LEAST else f"only {share:.0%} of the text was packed"
        yield Row(f"{name}: pack and count everything, {when}, {corpus.size}", "", measured, True, run.raw)


def _vocabulary(folder: Path) -> str:
    """A folder in which tiktoken finds its vocabulary, so that nothing is downloaded."""
    folder.mkdir()
    data = files("ctxtui.core.tokens") / "data" / "o200k_base.tiktoken"
    (folder / sha1(_ADDRESS.encode(), usedforsecurity=False).hexdigest()).write_bytes(data.read_bytes())
    return str(folder)


def _version(program: str, peer: Peer) -> str:
    if not peer.version:
        return ""
    told = subprocess.run([program, *peer.version], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\d+(?:\.\d+)+", told)
    return found[0] if found else ""
