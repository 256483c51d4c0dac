"""The words of the command line. Built without importing anything that a command needs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn

from ctxtui.cli.status import WRONG_USAGE
from ctxtui.version import __version__

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

Run = Callable[[argparse.Namespace], int]
FORMAT_NAMES = ("markdown", "xml", "json")
OVER_NAMES = ("fail", "cut", "fit")
SECRET_NAMES = ("redact", "keep", "fail")
SCOPE_NAMES = ("meta", "text", "entries", "prompt")
SEVERITY_NAMES = ("error", "warning", "info")
REPORT_NAMES = ("table", "json", "sarif", "markdown")
SHELL_NAMES = ("bash", "zsh")
TASK_NAMES = ("open", "blocked", "done", "not-done")
_STATUSES = """exit status:
  0 done  1 a check failed or a limit was passed  2 wrong usage or no terminal
  3 a named thing was not found  4 reading, writing or a service failed
  70 a bug  130 cancelled"""


class _Parser(argparse.ArgumentParser):
    """Reports wrong usage in one line with a way out; prints through the one door."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.color = False  # Python 3.14 colors its help, and the door lets no escapes through

    def error(self, message: str) -> NoReturn:
        _complain(f"{self.prog}: {message}", f"see {self.prog} --help")

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:  # noqa: ARG002
        """Print help or the version; wrong usage is told by `error`."""
        from ctxtui.cli.streams import put  # noqa: PLC0415 - only where something is printed

        put(message.removesuffix("\n"))


class _PrintCompletion(argparse.Action):
    """Print the script that completes the words of this parser in a shell, and exit."""

    def __call__(self, parser: argparse.ArgumentParser, _namespace: object, shell: object, _: object = None) -> None:
        from ctxtui.cli.completion import completion  # noqa: PLC0415 - only when asked for
        from ctxtui.cli.streams import write_stdout  # noqa: PLC0415

        write_stdout(completion(_whole_parser(), str(shell)).encode())
        parser.exit()


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The arguments of a command, with the function that runs it as `run`; exits on wrong usage."""
    words = list(words)
    first = _first_word(words)
    if first is not None and words[first] in _COMMANDS:
        name = words.pop(first)
        return _command_parser(name).parse_args(words)
    # `Path.exists` raises for what may not be looked up.
    if first is not None and not os.path.exists(words[first]):  # noqa: PTH110
        _refuse_word(words[first])
    return _app_parser().parse_args(words)


# Options whose value is a word of its own, which is no command.
_WITH_VALUE = frozenset(
    (
        "-C -r --recipe --budget --model --tokenizer --reserve --include --exclude --format --run --print"
        " --print-completion"
    ).split()
)


def _first_word(words: Sequence[str]) -> int | None:
    """Where the first word that is neither an option nor an option's value stands."""
    skip = False
    for position, word in enumerate(words):
        if skip:
            skip = False
        elif word == "--":
            return position + 1 if position + 1 < len(words) else None
        elif word.startswith("-") and word != "-":
            skip = word in _WITH_VALUE and not (word == "--print" and words[position + 1 : position + 2] == [])
            if word == "--print" and words[position + 1 : position + 2] not in (["ids"], ["paths"]):
                skip = False
        else:
            return position
    return None


def _refuse_word(word: str) -> NoReturn:
    close = get_close_matches(word, _COMMANDS, n=1)
    hint = f"did you mean `{close[0]}`?" if close else "see ctxtui --help"
    _complain(f"ctxtui: {word!r} is neither a command nor a folder", hint)


def _complain(message: str, hint: str) -> NoReturn:
    from ctxtui.cli.streams import complain  # noqa: PLC0415 - only when things fail
    from ctxtui.core.plain import plain_line  # noqa: PLC0415

    complain(f"{plain_line(message)}\n  {hint}")
    raise SystemExit(WRONG_USAGE)


def _app_parser() -> _Parser:
    commands = "\n".join(f"  {name:<10}{text}" for name, (text, _) in _COMMANDS.items())
    parser = _Parser(
        "ctxtui",
        usage="ctxtui [PATH] [options]\n       ctxtui COMMAND …",
        description="Browse the context files of a project, pick a payload under a token budget, export it.",
        epilog=f"commands (ctxtui COMMAND --help tells more):\n{commands}\n\n{_STATUSES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project's folder (default: the current one)")
    _app_options(parser)
    parser.set_defaults(run=_lazily("app", "run_app"))
    return parser


def _app_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--version", action="version", version=f"ctxtui {__version__}")
    parser.add_argument(
        "--print-completion", choices=SHELL_NAMES, action=_PrintCompletion, help="print a completion script"
    )
    parser.add_argument("-r", "--recipe", metavar="NAME", help="open with a saved recipe")
    parser.add_argument("--fresh", action="store_true", help="start empty, without the last selection")
    parser.add_argument(
        "--print",
        nargs="?",
        const="payload",
        choices=("payload", "ids", "paths"),
        dest="print_what",
        help="print the accepted payload, or its ids or paths, at the end",
    )
    parser.add_argument("--run", metavar="CMD", dest="command", help="give the accepted payload to CMD on its stdin")
    _project_options(parser)
    _budget_options(parser)
    parser.add_argument("--format", choices=FORMAT_NAMES, help="the export format")


def _whole_parser() -> _Parser:
    """One parser of all commands, which only completion needs; commands come before the project's folder."""
    parser = _Parser("ctxtui")
    _app_options(parser)
    commands = parser.add_subparsers()
    for name, (text, add) in _COMMANDS.items():
        add(commands.add_parser(name, help=text))
    return parser


def _command_parser(name: str) -> _Parser:
    text, add = _COMMANDS[name]
    parser = _Parser(f"ctxtui {name}", description=f"{text[0].upper()}{text[1:]}.")
    add(parser)
    return parser


def _lazily(module: str, function: str) -> Run:
    """A command that is imported when it runs."""

    def run(arguments: argparse.Namespace) -> int:
        from importlib import import_module  # noqa: PLC0415 - lazily, as the docstring says

        from ctxtui.cli.streams import log_to_stderr  # noqa: PLC0415

        log_to_stderr()
        status = getattr(import_module(f"ctxtui.cli.{module}"), function)(arguments)
        return int(status)

    return run


def _project_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-C", dest="directory", metavar="DIR", help="the project (default: the current folder)")
    parser.add_argument("--include", action="append", metavar="GLOB", help="list only what matches")
    parser.add_argument("--exclude", action="append", metavar="GLOB", help="leave out what matches")


def _budget_options(parser: argparse.ArgumentParser) -> None:
    _tokenizer_options(parser)
    parser.add_argument("--budget", metavar="N", help="the limit in tokens: 12000 or 12k")
    parser.add_argument("--reserve", metavar="N", help="kept free for the answer in the model's window")


def _tokenizer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="M", help="count for a model, within its window")
    parser.add_argument("--tokenizer", metavar="T", help="o200k_base (default), cl100k_base, heuristic")


def _payload_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--over", choices=OVER_NAMES, help="over the budget: fail (default), cut or fit")
    parser.add_argument("--format", choices=FORMAT_NAMES, help="the export format (default: markdown)")
    _secrets_option(parser)
    parser.add_argument("-o", dest="output", metavar="FILE", help="write to a file, whole or not at all")
    parser.add_argument("--copy", action="store_true", help="copy to the clipboard")
    _budget_options(parser)


def _secrets_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--secrets", choices=SECRET_NAMES, help="what becomes of secrets (default: redact)")


def _output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document: result and notices")
    parser.add_argument("-q", "--quiet", action="store_true", help="no narration on stderr")


def _add_ls(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project's folder")
    parser.add_argument("--ignored", action="store_true", help="list ignored files as well")
    _project_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)
    parser.set_defaults(run=_lazily("ls", "run_ls"))


def _add_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="+", metavar="ID[#SECTION]", help="documents, by id, path or ending")
    parser.add_argument("--section", action="append", metavar="NAME", help="show the text of these sections")
    parser.add_argument("--content", action="store_true", help="show the text without frontmatter")
    _project_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)
    parser.set_defaults(run=_lazily("show", "run_show"))


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", metavar="QUERY", help="words to look for")
    parser.add_argument("--in", dest="scope", choices=SCOPE_NAMES, default="meta", help="where (default: meta)")
    parser.add_argument("--domain", metavar="D", help="only this domain of a catalog")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most so many hits (default: 20)")
    _project_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)
    parser.set_defaults(run=_lazily("search", "run_search"))


def _add_build(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recipe", nargs="?", metavar="RECIPE", help="a saved recipe, by name or path")
    parser.add_argument(
        "--pick", action="append", metavar="ID[#SECTION]", help="add a document or section; - reads ids from stdin"
    )
    parser.add_argument("--tasks", choices=TASK_NAMES, help="narrow what is picked to some of its tasks")
    parser.add_argument("-0", dest="null", action="store_true", help="ids on stdin end with NUL, not a new line")
    parser.add_argument("--prompt", metavar="TEXT|@FILE", help="a prompt block")
    parser.add_argument("--prompt-position", choices=("first", "last", "both"), help="where it stands")
    _payload_options(parser)
    _project_options(parser)
    _output_options(parser)
    parser.set_defaults(run=_lazily("build", "run_build"))


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recipe", nargs="?", metavar="RECIPE", help="one recipe (default: all of the project)")
    _project_options(parser)
    _budget_options(parser)
    _output_options(parser)
    parser.set_defaults(run=_lazily("check", "run_check"))


def _add_load(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="where the search for .context begins")
    parser.add_argument("-C", dest="directory", metavar="DIR", help="the project (default: the current folder)")
    parser.add_argument("--budget", metavar="N", help="the limit in tokens: 12000 or 12k (default: 8000)")
    parser.add_argument(
        "--priority", nargs="+", action="extend", metavar="NAME", help="the files to load first, in order"
    )
    parser.add_argument("--context-dir", metavar="DIR", help="the name of the context directory (default: .context)")
    _tokenizer_options(parser)
    _output_options(parser)
    _secrets_option(parser)
    parser.set_defaults(run=_lazily("load", "run_load"))


def _add_protocol(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("domain", metavar="DOMAIN", help="a domain of the catalog")
    parser.add_argument("--project", metavar="DIR", help="whose code gives the signals (default: the project)")
    parser.add_argument("--catalog", metavar="DIR", help="the folder that holds the domains, where there are several")
    parser.add_argument("--trigger", action="append", metavar="T", help="a cross-domain trigger, such as auth_code")
    parser.add_argument("--max-files", type=int, default=6, metavar="N", help="the file budget (default: 6)")
    parser.add_argument("--build", action="store_true", help="print the payload of what is loaded")
    _payload_options(parser)
    parser.add_argument("-C", dest="directory", metavar="DIR", help="the project (default: the current folder)")
    _output_options(parser)
    parser.set_defaults(run=_lazily("protocol", "run_protocol_command"))


def _add_audit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project's folder")
    parser.add_argument("--fail-on", choices=SEVERITY_NAMES, help="exit 1 for findings as severe as this, or worse")
    parser.add_argument("--since", metavar="REF", help="what the changes since a git ref cost")
    parser.add_argument("--baseline", metavar="FILE", help="count only findings that this file does not know")
    parser.add_argument("--write-baseline", metavar="FILE", help="accept what is found now")
    parser.add_argument("--touch", metavar="FILE", help="what each agent reads in addition when FILE is touched")
    parser.add_argument(
        "--history", nargs="?", type=int, const=200, metavar="N", help="tokens over the last N commits"
    )
    parser.add_argument("--fix", action="store_true", help="write exact numbers where declared ones are wrong")
    parser.add_argument("--every", action="store_true", help="all findings and places, however long the table gets")
    parser.add_argument("--format", choices=REPORT_NAMES, default="table", help="table (default), json, sarif, …")
    _project_options(parser)
    _tokenizer_options(parser)
    _output_options(parser)
    parser.set_defaults(run=_lazily("audit", "run_audit_command"))


def _add_mcp(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="the project's folder; nothing outside is served")
    parser.add_argument("--http", type=int, metavar="PORT", help="HTTP on this loopback port (0: any free one)")
    parser.add_argument("--token-file", metavar="FILE", help="HTTP only: callers must send the token in FILE")
    parser.add_argument("--allow-store", action="store_true", help="let callers store business entries")
    _project_options(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="no narration on stderr")
    parser.set_defaults(run=_lazily("mcp", "run_mcp"))


def _add_retrieve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prompt", metavar="PROMPT", help="what is to be answered with the project's text")
    parser.add_argument("--provider", choices=("filesystem", "mcp"), default="filesystem", help="the engine")
    parser.add_argument(
        "--server", metavar="NAME|URL|COMMAND", help="the MCP engine (default: the only one configured)"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="at most so many snippets (default: 5)")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds to wait (default: as [mcp] says, or 15)")
    _project_options(parser)
    _output_options(parser)
    parser.set_defaults(run=_lazily("retrieve", "run_retrieve"))


def _add_entry(parser: argparse.ArgumentParser) -> None:
    doing = parser.add_subparsers(dest="what", required=True, metavar="query|add")
    query = doing.add_parser("query", help="entries that meet all filters, newest first")
    query.add_argument("--keywords", metavar="TEXT", help="found in the text, in any case")
    query.add_argument("--category", metavar="C", help="CustomerNote, MeetingNote, Decision, Lesson, …")
    query.add_argument("--tag", action="append", metavar="T", help="one of these tags")
    query.add_argument("--reference", metavar="CODE", help="the thread CTX-YYYY-MMDD-NNN")
    query.add_argument("--limit", type=int, metavar="N", help="at most so many")
    add = doing.add_parser("add", help="store an entry; its id is printed")
    add.add_argument("content", metavar="TEXT", help="the text; - reads it from stdin")
    add.add_argument("--category", required=True, metavar="C", help="CustomerNote, MeetingNote, Decision, …")
    add.add_argument("--tag", action="append", metavar="T", help="a tag; may be given again")
    add.add_argument("--reference", metavar="CODE", help="the thread CTX-YYYY-MMDD-NNN")
    add.add_argument("--id", metavar="ID", help="the entry's id (default: a new one)")
    add.add_argument("--replace", action="store_true", help="replace the entry with that id; its text is kept aside")
    add.add_argument("--created", metavar="TIME", help="when, such as 2026-02-26T10:00:00Z (default: now)")
    for each in (query, add):
        each.add_argument(
            "--in", dest="directory_name", metavar="DIR", help="the entries directory, where there are several"
        )
        _project_options(each)
        _output_options(each)
    parser.set_defaults(run=_lazily("entry", "run_entry"))


def _add_help(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="a page, or a command (default: list the pages)")
    parser.set_defaults(run=_lazily("help", "run_help"))


_COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "ls": ("list every context file with its exact tokens", _add_ls),
    "show": ("show what is known of a document, or its text", _add_show),
    "search": ("find documents by their metadata, or sections by their text", _add_search),
    "build": ("assemble a payload without the screen", _add_build),
    "check": ("tell what is stale, missing or too large in recipes", _add_check),
    "audit": ("tell what agents load, what it costs, and what is wrong", _add_audit),
    "mcp": ("serve the project to agents over the Model Context Protocol", _add_mcp),
    "protocol": ("walk the five loading steps of a catalog's domain, with reasons", _add_protocol),
    "entry": ("query business entries, or add one", _add_entry),
    "retrieve": ("find the passages that answer a prompt", _add_retrieve),
    "load": ("print a .context directory as one summary within a budget", _add_load),
    "help": ("show a page of the manual, or list the pages", _add_help),
}
COMMAND_NAMES = tuple(_COMMANDS)
