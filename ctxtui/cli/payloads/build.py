"""`ctxtui build`: a payload from a recipe or picks, without the screen."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ctxtui.cli.output.streams import read_stdin
from ctxtui.cli.payloads.payload import deliver_payload
from ctxtui.cli.payloads.picked import asks_git, picked_session
from ctxtui.cli.project import Narrator, configured, narrated, open_configured
from ctxtui.core.base.errors import NotFound, invalid
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near, plural, some
from ctxtui.core.disk.open_at import is_anything
from ctxtui.workspace.choose import Named, named_by
from ctxtui.workspace.workspace import Workspace

_MOST_NAMES: Final = 5
_STATUS: Final = re.compile(r"(?P<letters>(?! {2})[ MTADRCU?!]{2}) (?P<name>.+)", re.DOTALL)
_BRANCH: Final = "## "
_RENAMED: Final = re.compile(r'(?:"(?:[^"\\]|\\.)*"|.+?) -> (.+)', re.DOTALL)
_ESCAPE: Final = re.compile(rb"\\(?:([0-7]{3})|(.))", re.DOTALL)
_LETTERS: Final = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}

Entry = tuple[str, ...]
"""A line of a list: its possible meanings, the literal name first."""


def read_list(text: str, with_nul: bool) -> list[Entry]:
    """Entries of a list by line, or by NUL `with_nul`: each as it is, and as the name in a line of git's status."""
    lines = [line if with_nul else line.removesuffix("\r") for line in text.split("\0" if with_nul else "\n")]
    lines = [line for line in lines if line.strip()]
    status = list(_status(lines, with_nul))
    entries = status if None not in status else [(line, line) for line in lines]
    return [_entry(*entry) for entry in entries if entry is not None]


def _status(lines: Sequence[str], with_nul: bool) -> Iterator[tuple[str, str] | None]:
    """Lines of git's status, each with its path, the new one of a move. None for any line but that of the branch."""
    rest = iter(lines)
    for line in rest:
        found = _STATUS.fullmatch(line)
        if found is None:
            if not line.startswith(_BRANCH):
                yield None
            continue
        name, is_moved = found["name"], not {"R", "C"}.isdisjoint(found["letters"])
        if is_moved and with_nul:
            next(rest, None)
        elif is_moved and (moved := _RENAMED.fullmatch(name)):
            name = moved[1]
        yield line, name


def _entry(line: str, name: str) -> Entry:
    name = _unquoted(name)
    return tuple(dict.fromkeys((line, name, name.replace("\\", "/"))))


def _unquoted(name: str) -> str:
    """A name without git's quotes around special characters and letters beyond ASCII."""
    if len(name) < 2 or not name.startswith('"') or not name.endswith('"'):
        return name
    data = name[1:-1].encode("utf-8", "surrogateescape")
    plain = _ESCAPE.sub(
        lambda match: bytes([int(match[1], 8) & 255]) if match[1] else _LETTERS.get(match[2], match[2]), data
    )
    return os.fsdecode(plain)


def words_to_pick(
    workspace: Workspace, given: Sequence[str | Entry], on_notice: OnNotice, has_other: bool = False
) -> list[str]:
    """The words to pick by: given words as they are, and of each line of a list the name that exists.

    One notice tells the lines without such a name. In a list only `*` makes a pattern, and a folder beside names
    inside it is ignored, because `find` prints both. Raises NotFound if no word is left and there is no other pick.
    """
    found: list[str | Named] = []
    unknown: list[str] = []
    root = workspace.root
    top = next((folder for folder in (root, *root.parents) if is_anything(folder / ".git")), root)
    # From the top of the repository to the project.
    above = "" if top == root else f"{root.relative_to(top).as_posix()}/"
    for each in given:
        named = next(_existing(workspace, each, above), None) if isinstance(each, tuple) else each
        if named is not None:
            found.append(named)
        elif "*" in each[0] or each[0].startswith("!"):
            found.append(each[0])
        else:
            unknown.append(each[-1])
    if unknown:
        _tell_or_refuse(workspace, unknown, bool(found) or has_other, on_notice)
    names = [each for each in found if isinstance(each, Named)]
    has_folder = any(each.is_folder for each in names)
    inside = {str(parent) for each in names for parent in Path(each.place).parents} if has_folder else frozenset()
    usual = (each for each in found if isinstance(each, str) or not each.is_folder or each.place not in inside)
    return [each if isinstance(each, str) else each.word for each in usual]


def _existing(workspace: Workspace, entry: Entry, above: str) -> Iterator[Named]:
    """The documents, sections or folders of an entry's names, below the root or with the prefix `above` cut off."""
    for start in ("", above):
        for name in entry:
            if name.startswith(start):
                word = f"{workspace.root}/{name[len(start) :]}" if start else name
                found = named_by(workspace, word)
                if found is not None:
                    yield found


def _tell_or_refuse(workspace: Workspace, unknown: Sequence[str], is_any_left: bool, on_notice: OnNotice) -> None:
    """Tell the unknown names of a list in one notice, or raise NotFound if no pick is left."""
    shown = some(list(map(plain_line, unknown)), _MOST_NAMES)
    if is_any_left:
        message = f"{plural(len(unknown), 'name')} of the list left out, as nothing listed has such a name: {shown}"
        on_notice(Notice("not-listed", message))
        return
    hint = near(unknown[0], workspace.by_id) or "ctxtui ls lists what can be picked"
    raise NotFound(
        f"no document {shown}" if len(unknown) == 1 else f"no document has a name of the list: {shown}", hint=hint
    )


@narrated
def run_build(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Assemble a payload and write it if the budget and secrets allow."""
    if arguments.named and arguments.recipe:
        raise invalid(f"two recipes: {arguments.recipe} and {arguments.named}", hint="name one, with or without -r")
    if arguments.template and arguments.format:
        raise invalid("a template is a format", hint="give --template or --format")
    arguments.recipe = arguments.recipe or arguments.named
    place, config = configured(arguments, narrator)
    given = _picks_and_entries(arguments)
    workspace = open_configured(place, config, arguments, narrator)
    has_other = bool(arguments.recipe) or arguments.task is not None or asks_git(arguments)
    names = words_to_pick(workspace, given, narrator, has_other)
    session = picked_session(workspace, config, arguments, names, narrator)
    if session.selection.is_empty:
        raise invalid("nothing to build", hint="name a recipe, or --pick ID, --task TEXT or --diff")
    return deliver_payload(session, arguments, narrator)


def _picks_and_entries(arguments: argparse.Namespace) -> list[str | Entry]:
    """The values of `--pick`, with the lines of standard input in place of each `-`."""
    given: list[str | Entry] = []
    for word in arguments.pick or ():
        given += read_list(read_stdin(), arguments.null) if word == "-" else [word]
    return given
