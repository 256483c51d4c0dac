"""Configuration files of a project: data only, from JSON with comments, TOML or YAML, within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from posixpath import join
from typing import Any

Read = Callable[[str], str | None]

MAX_NAMES = 200
"""The maximum number of names in one list, and of characters in each name."""


def parse(path: str, text: str) -> Any:
    """Parse a text by its file extension. Raises DataProblem."""
    # Each import takes milliseconds, and most projects need none.
    from ctxtui.core.text.data.jsonc import load_jsonc  # noqa: PLC0415
    from ctxtui.core.text.data.toml import load_toml  # noqa: PLC0415
    from ctxtui.core.text.data.yaml import load_yaml  # noqa: PLC0415

    if path.endswith(".toml"):
        return load_toml(text)
    return load_yaml(text)[0] if path.endswith((".yml", ".yaml")) else load_jsonc(text)


def parse_data(path: str, text: str) -> Mapping[str, Any]:
    """The mapping in a text. Invalid text gives an empty mapping."""
    from ctxtui.core.text.data.bounds import DataProblem  # noqa: PLC0415 - as above

    try:
        data = parse(path, text)
    except DataProblem:
        return {}
    return data if isinstance(data, dict) else {}


def file_of(ref: str) -> str:
    return ref.partition("#")[0]


def value_at(ref: str, read: Read, folder: str = "") -> Any:
    """Read the value of `FILE#key.path`, with the file in a folder. None if it does not exist."""
    file = file_of(ref)
    text = read(join(folder, file))
    return value_in(parse_data(file, text), ref) if text else None


def value_in(data: Mapping[str, Any], ref: str) -> Any:
    """The value of `FILE#key.path` in its file's data. None if it does not exist."""
    value: Any = data
    for key in ref.partition("#")[2].split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def spoken_ref(ref: str) -> str:
    file, _, keys = ref.partition("#")
    return f"`{keys}` in {file}"


def names_at(refs: Sequence[str], read: Read, folders: Sequence[str]) -> Iterator[tuple[str, str]]:
    """List items, or table keys not set to false, at each `FILE#key.path` in each folder, each with its file."""
    return names_in(refs, lambda ref, folder: value_at(ref, read, folder), folders)


def names_in(
    refs: Sequence[str], value: Callable[[str, str], Any], folders: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """The names at each `FILE#key.path` in each folder, with their files. `value` reads a key in a folder."""
    for folder in folders:
        for ref in refs:
            file = join(folder, file_of(ref))
            yield from ((name, file) for name in names_of(value(ref, folder)))


def names_of(value: Any) -> Iterator[str]:
    """The names in a string, a list or a table, at most `MAX_NAMES`."""
    if isinstance(value, Mapping):
        value = [key for key, wanted in value.items() if wanted is not False]
    for name in (value if isinstance(value, list) else [value])[:MAX_NAMES]:
        if isinstance(name, str) and 0 < len(name) <= MAX_NAMES:
            yield name
