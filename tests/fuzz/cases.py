"""Saved cases: inputs that once crashed, one file each, replayed by the tests ever after."""

import json
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from tests.fuzz.door import Input
from tests.fuzz.projects import Link

FOLDER: Final = Path(__file__).parent / "cases"


def save(door: str, given: Input, folder: Path = FOLDER) -> Path:
    """Write an input as `DOOR-hash.txt`, a project as `DOOR-hash.json`."""
    if isinstance(given, str):
        kind, data = "txt", given.encode("utf-8", "surrogatepass")
    else:
        files = {name: _value(content) for name, content in given.items()}
        kind, data = "json", f"{json.dumps(files, indent=1)}\n".encode()
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{door}-{blake2b(data, digest_size=5).hexdigest()}.{kind}"
    place.write_bytes(data)
    return place


def load(place: Path) -> tuple[str, Input]:
    door = place.stem.rpartition("-")[0]
    text = place.read_bytes().decode("utf-8", "surrogatepass")
    if place.suffix == ".txt":
        return door, text
    return door, {name: _content(value) for name, value in json.loads(text).items()}


def saved(folder: Path = FOLDER) -> Iterator[Path]:
    return iter(sorted(each for each in folder.glob("*-*.*") if each.suffix in (".txt", ".json")))


def _value(content: bytes | Link) -> object:
    if isinstance(content, Link):
        return {"link": content.target}
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"latin-1": content.decode("latin-1")}


def _content(value: Any) -> bytes | Link:
    if isinstance(value, str):
        return value.encode()
    return Link(value["link"]) if "link" in value else value["latin-1"].encode("latin-1")
