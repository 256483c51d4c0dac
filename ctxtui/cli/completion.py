"""`ctxtui --print-completion SHELL`: completion of commands, options, files, recipes and topics, from the parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

import shtab

from ctxtui.core.base.manual import TOPICS

# Names of a project's files are never expanded by the shell, as `compgen -W` would.
_RECIPES: Final = {
    "bash": """_ctxtui_recipes() {
  local file
  for file in .ctxtui/recipes/"$1"*.yaml; do
    [[ -e $file ]] && file=${file##*/} && printf '%s\\n' "${file%.yaml}"
  done
}""",
    "zsh": "_ctxtui_recipes() { compadd -- .ctxtui/recipes/*.yaml(N:t:r) }",
    "fish": """function _ctxtui_recipes
  for file in .ctxtui/recipes/*.yaml
    string replace -r '^.*/' '' -- $file | string replace -r '\\.yaml$' ''
  end
end""",
}
# A list, a folder, or the command below this one.
_FLEETS: Final = {
    "bash": '_ctxtui_fleets() { compgen -W "report" -- "$1"; compgen -f -- "$1"; }',
    "zsh": "_ctxtui_fleets() { compadd -- report; _files }",
    "fish": "function _ctxtui_fleets; echo report; __fish_complete_path (commandline -ct); end",
}


def _calls(function: str) -> dict[str, str]:
    return {"bash": function, "zsh": function, "fish": f"({function})"}


# An id may be given as a path, so the shell's own completion of files works.
_BY_METAVAR: Final = {
    "DIR": shtab.DIRECTORY,
    "PATH": shtab.DIRECTORY,
    "FILE": shtab.FILE,
    "LIST|FOLDER|-": _calls("_ctxtui_fleets"),
    "ID[#SECTION]": shtab.FILE,
    "RECIPE": _calls("_ctxtui_recipes"),
}


def completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script that completes a parser's words and commands in `bash`, `zsh` or `fish`. Changes the parser."""
    for action in _actions(parser):
        is_recipe = "--recipe" in action.option_strings
        how = _BY_METAVAR.get("RECIPE" if is_recipe else str(action.metavar))
        if how is not None:
            action.complete = how  # type: ignore[attr-defined]  # where shtab looks for it
        elif action.metavar == "TOPIC":
            # A command, too, but the parser is made for completion alone.
            action.choices = TOPICS
    return shtab.complete(parser, shell, preamble=f"{_RECIPES[shell]}\n{_FLEETS[shell]}\n")


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All arguments of a parser and of its subcommands, at any depth."""
    for action in parser._actions:  # argparse has no public way to list them
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)
