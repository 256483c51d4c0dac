"""The parser of the command line, built without importing modules that a command needs."""

from __future__ import annotations

import argparse
import os
import textwrap
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from ctxtui.cli.options import BUDGET, COMMANDS, FORMAT, PROJECT, RESTORING, add_options, lazily, run_option
from ctxtui.cli.output.streams import complain, put, write_stdout
from ctxtui.cli.status import WRONG_USAGE
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near
from ctxtui.core.disk.remote.address import is_address
from ctxtui.core.tokens.fast import engines
from ctxtui.version import __version__

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

SHELL_NAMES = ("bash", "zsh", "fish")
_FIRST = ("ls", "build", "audit", "start")
_USAGE = "ctxtui [PATH] [options]\n       ctxtui COMMAND …"
_DESCRIPTION = "Browse the context files of a project, pick a payload under a token budget, export it."
_STATUSES = """exit status:
  0 done  1 a check failed or a limit was exceeded  2 wrong usage or no terminal
  3 a named thing was not found  4 reading, writing or a service failed
  70 a bug  130 cancelled"""


class _Parser(argparse.ArgumentParser):
    """Reports wrong usage in one line with a hint. Prints through `cli/output/streams.py`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.color = False  # Python 3.14 colors its help, and the streams let no escapes through

    def error(self, message: str) -> NoReturn:
        _exit_wrong_usage(f"{self.prog}: {message}", f"see {self.prog} --help")

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:  # noqa: ARG002
        """Print help or the version to standard output, whatever `file` is. `error` reports wrong usage."""
        put(message.removesuffix("\n"), has_ids=True)  # no secrets to look for


class _PrintFirstHelp(argparse.Action):
    """Print what a newcomer needs of the help, and exit."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        first = "\n".join(f"  {name:<8}{COMMANDS[name].about}" for name in _FIRST if name in COMMANDS)
        more = textwrap.fill(", ".join(name for name in COMMANDS if name not in _FIRST), 72)
        put(
            f"usage: {_USAGE}\n\n{_DESCRIPTION}\n\n"
            f"  ctxtui  open the app: all files as a tree and a map, and what agents load\n{first}\n\n"
            f"more commands:\n{textwrap.indent(more, '  ')}\n\n"
            "options: -r RECIPE  --budget 12k  --model M  --format F  -C DIR  --version\n\n"
            "  ctxtui COMMAND --help   the options of a command\n"
            "  ctxtui --help-all       all commands and options\n"
            "  ctxtui help             the manual"
        )
        parser.exit()


class _PrintVersion(argparse.Action):
    """Print the version and the token-counting engines, and exit."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        put(f"ctxtui {__version__} ({engines()})", has_ids=True)  # no secrets to look for
        parser.exit()


class _PrintCompletion(argparse.Action):
    """Print the completion script of this parser for a shell, and exit."""

    def __call__(self, parser: argparse.ArgumentParser, _namespace: object, shell: object, _: object = None) -> None:
        from ctxtui.cli.completion import completion  # noqa: PLC0415 - only when asked for

        write_stdout(completion(_whole_parser(), str(shell)).encode())
        parser.exit()


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The arguments of a command, with its function as `run`. Exits on wrong usage."""
    words = _with_joined_numbers(words)
    first = _first_word_index(words)
    if first is not None and words[first] in COMMANDS:
        parser = _parser_of_command(words.pop(first), words, first)
        # Words after `--` are never options. The second parse of mixed words would forget that.
        has_many = any(each.nargs in ("+", "*") for each in parser._actions if not each.option_strings)
        is_mixed = has_many and "--" not in words
        return parser.parse_intermixed_args(words) if is_mixed else parser.parse_args(words)
    word = None if first is None else words[first]
    # `Path.exists` raises for paths without permission.
    if word is not None and not (os.path.exists(word) or is_address(word) or word.startswith("file://")):  # noqa: PTH110
        hint = near(word, COMMANDS, quote="`") or "see ctxtui --help"
        _exit_wrong_usage(f"ctxtui: {word!r} is neither a command nor a folder", hint)
    return _app_parser().parse_args(words)


def _with_joined_numbers(words: Sequence[str]) -> list[str]:
    """The words of a command line, with a negative number joined to the option before it: `--budget=-5`."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] in ("--budget", "--reserve") and word[:1] == "-" and word[1:2].isdigit():
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def _parser_of_command(name: str, words: list[str], first: int) -> _Parser:
    """The parser of a command such as `fleet report`, whose second word is taken out of `words`, else of `name`.

    Only options of the longer command may stand between `name`, which was the word at `first`, and its second word.
    """
    for longer in (each for each in COMMANDS if each.startswith(f"{name} ")):
        parser = _command_parser(longer)
        place = _first_word_index(words, parser)
        if place is not None and f"{name} {words[place]}" == longer:
            known = {option for action in parser._actions for option in action.option_strings}
            if all(word.partition("=")[0] in known for word in words[first:place] if word.startswith("-")):
                del words[place]
                return parser
    return _command_parser(name)


def _first_word_index(words: Sequence[str], parser: _Parser | None = None) -> int | None:
    """The index of the first word that is neither an option of the parser nor an option's value, None without one.

    By default, the parser is that of the app, which is made only for an option.
    """
    skip = False
    for position, word in enumerate(words):
        if skip:
            skip = False
        elif word == "--":
            return position + 1 if position + 1 < len(words) else None
        elif word.startswith("-") and word != "-":
            option = next((each for each in (parser or _app_parser())._actions if word in each.option_strings), None)
            skip = option is not None and option.nargs != 0
            if option is not None and option.nargs == "?":
                skip = words[position + 1 : position + 2] in [[each] for each in option.choices or ()]
        else:
            return position
    return None


def _exit_wrong_usage(message: str, hint: str) -> NoReturn:
    complain(f"{plain_line(message)}\n  {hint}")
    raise SystemExit(WRONG_USAGE)


@cache
def _app_parser() -> _Parser:
    commands = "\n".join(f"  {name:<14}{each.about}" for name, each in COMMANDS.items())
    parser = _Parser(
        "ctxtui",
        usage=_USAGE,
        description=_DESCRIPTION,
        epilog=f"commands (ctxtui COMMAND --help shows more):\n{commands}\n\n{_STATUSES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument("-h", "--help", action=_PrintFirstHelp, nargs=0, help="show the first words of this help")
    parser.add_argument("--help-all", action="help", help="show this help message and exit")
    parser.add_argument(
        "path",
        nargs="?",
        metavar="PATH",
        help="the project's folder (default: the current one), https://HOST/REPO, or results of a fleet",
    )
    _app_options(parser)
    parser.set_defaults(run=lazily("app.run_app"))
    return parser


def _app_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--version", action=_PrintVersion, nargs=0, help="print the version, and what counts tokens")
    parser.add_argument(
        "--print-completion", choices=SHELL_NAMES, action=_PrintCompletion, help="print a completion script"
    )
    add_options(parser, RESTORING)
    parser.add_argument(
        "--print",
        nargs="?",
        const="payload",
        choices=("payload", "ids", "paths"),
        dest="print_what",
        help="print the accepted payload, or its ids or paths, at the end",
    )
    run = run_option("hand the accepted payload to an agent by its name, or pipe it to CMD")
    add_options(parser, (run, *PROJECT, *BUDGET, FORMAT))


def _whole_parser() -> _Parser:
    """One parser with the options of the app and of all commands, for completion only."""
    parser = _Parser("ctxtui")
    _app_options(parser)
    commands = parser.add_subparsers()
    parsers: dict[str, argparse.ArgumentParser] = {}
    for name, each in COMMANDS.items():
        above, _, below = name.partition(" ")
        if not below:
            parsers[name] = commands.add_parser(name, help=each.about, conflict_handler="resolve")
        # Completion of a subcommand also offers its parent's options.
        add_options(parsers[above], each.options)
    return parser


def _command_parser(name: str) -> _Parser:
    command = COMMANDS[name]
    parser = _Parser(f"ctxtui {name}", description=f"{command.about[0].upper()}{command.about[1:]}.")
    add_options(parser, command.options)
    parser.set_defaults(run=lazily(command.runs))
    return parser
