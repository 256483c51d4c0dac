"""The rule about commands that the manifests of the project do not define."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import takewhile
from typing import Final, NamedTuple

from ctxtui.agents.project.configuration import value_at
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import is_fixture, is_sample
from ctxtui.audit.rules.phrases import short_list
from ctxtui.audit.rules.references.called import missing_skills
from ctxtui.audit.rules.remedies import replace_on_line
from ctxtui.audit.text.commands import SCRIPT, Command, commands_of, says_around
from ctxtui.audit.text.near import near_name
from ctxtui.audit.text.scripts import Names, Scripts
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.text.markdown.light import body_start
from ctxtui.core.text.metadata.reference import Reference

# Scripts of nearly every project. A skill that names them may be for any.
_USUAL: Final = frozenset("build check clean coverage dev fix format fmt install lint start test typecheck".split())
_KIND: Final = {"make": "target", "just": "recipe", "tox": "environment", "nox": "session", "pre-commit": "hook"}
_TASKS: Final = ("deno", "task", "poe")
_RUNNER: Final = "bun test"
# Words that lead into another folder.
_LEADS = re.compile(
    r"\bcd[ \t]|[ \t](?:-C|-F|-w|--(?:filter|prefix|cwd|dir|directory|workspace|working-directory))\b"
)
_FOLDER = re.compile(r"(?:\bcd|[ \t](?:-C|--(?:prefix|cwd|dir|directory|working-directory)))[ \t=]+([^\s;&|`]+)")
_WORD: Final = re.compile(r"[\w.-]+")
# Options of pytest that a plugin brings.
_PLUGINS: Final[Mapping[str, str]] = {"-n": "pytest-xdist", "--cov": "pytest-cov", "--reruns": "pytest-rerunfailures"}
_OPTION: Final = "-n|--cov|--reruns"
# Ends at the next `pytest`, so that a long line is read once.
_RUNS: Final = re.compile(
    rf"(?:^|[`$\s])(pytest(?:[ ](?!(?:{_OPTION}|pytest)\b)[^\s`;&|]+)*[ ]({_OPTION})(?=[ =]\S)[^`;&|\n]*)"
)
# Files that may name the packages of a project.
_MANIFEST: Final = re.compile(
    r"(?:^|/)(?:[\w.-]*requirements[\w.-]*|pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py|Pipfile(?:\.lock)?"
    r"|(?:uv|poetry|pdm)\.lock|[\w.-]*env[\w.-]*\.ya?ml|Dockerfile[\w.-]*|pixi\.\w+)$|(?:^|/)requirements/|^\.github/"
)


class MissingCommand(NamedTuple):
    """A command that no manifest beside or above its text defines. `meant` is the command probably meant, or empty.

    `manifest` is the nearest one, or the tool that has a command of this name itself. `homes` define it further down.
    """

    reference: Reference
    command: Command
    manifest: str
    meant: str
    homes: tuple[str, ...] = ()


def missing_commands(audited: Audited) -> Iterator[Finding]:
    """Commands in code that run scripts, targets or tasks that the project does not define.

    Also names of missing skills, and options of pytest whose plugin is missing.
    """
    scripts, firsts = Scripts(audited), dict[frozenset[tuple[str, str]], str]()
    for reference in audited.instructions():
        defined, missing = _judged(scripts, reference, audited)
        is_skill = audited.skill_of(reference.path) is not None or "skills" in reference.path.split("/")
        is_own = not is_skill and not audited.read_unasked.isdisjoint(reference.paths)
        lacking = {(each.command.tool, each.command.name) for each in missing}
        unusual = {(tool, name) for tool, name in lacking if tool in _KIND and name not in _USUAL}
        if not is_own:
            # A skill for any project names usual scripts, of which some happen to exist.
            missing = [
                each
                for each in missing
                if not each.homes and (len(lacking) < defined or (each.command.tool, each.command.name) in unusual)
            ]
        # Files for several agents repeat one text.
        same = frozenset((each.manifest, each.command.written) for each in missing)
        first = firsts.setdefault(same, reference.path)
        yield from (_finding(audited, each, is_own, f"{first}: {each.manifest}") for each in missing)
    yield from missing_skills(audited)
    yield from missing_plugins(audited)


def _judged(scripts: Scripts, reference: Reference, audited: Audited) -> tuple[int, list[MissingCommand]]:
    """The number of valid commands with unusual names in a file, and the places of its missing commands.

    If the first command of a name in a folder is not missing, neither are the others.
    """
    missing, known = list[MissingCommand](), dict[tuple[str, str, str], bool]()
    commands = commands_of(audited, reference)
    text = audited.text(reference.path) or "" if commands else ""
    # The metadata of a rule name the folder that it is for.
    scope = frozenset(_WORD.findall(text[: body_start(text)].lower()))
    for command in commands:
        key = command.tool, command.name, command.folder
        above = [] if command.tool == SCRIPT else scripts.above(command.tool, audited.real_if_listed(reference.path))
        if not above or key in known:
            continue
        verdict = _judge(scripts, reference, command, audited, above, scope)
        if isinstance(verdict, MissingCommand):
            missing.append(verdict)
        else:
            known[key] = verdict
    return len({key[:2] for key, is_valid in known.items() if is_valid and key[1] not in _USUAL}), missing


def _judge(
    scripts: Scripts,
    reference: Reference,
    command: Command,
    audited: Audited,
    above: list[str],
    scope: frozenset[str],
) -> MissingCommand | bool:
    """The missing command. Else whether a manifest is known to have it, False if that is unclear.

    `above` are the manifests above its text, `scope` the words of the text's metadata.
    """
    tool, name = command.tool, command.name
    is_elsewhere = _leads_out(scripts, command) or _is_other_program(scripts, command, audited, above)
    if is_elsewhere or scripts.all_of(tool).is_open:
        return False
    homes = scripts.homes(tool, name)
    there = _entered_manifests(scripts, reference, command)
    if there and not command.is_loose and command.written != _RUNNER:
        meant = _meant_name(command, (scripts.names_in(tool, place) for place in there))
        return not set(there).isdisjoint(homes) or MissingCommand(reference, command, there[0], meant)
    if command.written == _RUNNER:
        bodies = [str(value_at(f"{home}#scripts.test", audited.text)) for home in homes]
        is_other = bodies and not any(_RUNNER in body for body in bodies)
        return MissingCommand(reference, command, "bun", "bun run test") if is_other else False
    if homes and tool == "npm" and command.is_loose:
        return MissingCommand(reference, command, "npm", f"npm run {name}")
    if homes and (set(above).intersection(homes) or _concerns_homes(command, homes, scope)):
        return True
    if below := [each for each in homes if each.startswith(f"{posixpath.dirname(above[0])}/".lstrip("/"))]:
        return MissingCommand(reference, command, above[0], "", tuple(below))
    meant = _meant_name(command, (scripts.names_in(tool, place) for place in above))
    return False if command.is_loose and not meant else MissingCommand(reference, command, above[0], meant)


def _entered_manifests(scripts: Scripts, reference: Reference, command: Command) -> list[str]:
    """The manifests in the folder that a command's own line enters, from the root or from the folder of its text."""
    bases = ("", posixpath.dirname(reference.path)) if command.folder else ()
    entered = {posixpath.normpath(posixpath.join(base, command.folder)) for base in bases}
    return [each for each in scripts.manifests(command.tool) if posixpath.dirname(each) in entered]


def _concerns_homes(command: Command, homes: list[str], scope: frozenset[str]) -> bool:
    """Whether the text around a command enters a folder, or it or `scope` names one of the manifests in `homes`."""
    folders = {part for home in homes for part in posixpath.dirname(home).lower().split("/")}
    is_named = not (folders.isdisjoint(scope) and folders.isdisjoint(_words(command.about)))
    return is_named or says_around(_LEADS, command.about)


@lru_cache(maxsize=1)
def _words(about: str) -> frozenset[str]:
    return frozenset(_WORD.findall(about.lower()))


@lru_cache(maxsize=1)
def _folders_entered(about: str) -> frozenset[str]:
    return frozenset(posixpath.normpath(each).strip("./") for each in _FOLDER.findall(about))


def _leads_out(scripts: Scripts, command: Command) -> bool:
    """Whether the text around a command enters a folder without a manifest, such as a built or cloned one."""
    there = [f"/{posixpath.dirname(each)}" for each in scripts.manifests(command.tool)]
    wanted = _folders_entered(command.about)
    return any(each and not any(f"{place}/".endswith(f"/{each}/") for place in there) for each in wanted)


def _is_other_program(scripts: Scripts, command: Command, audited: Audited, above: list[str]) -> bool:
    """Whether the tool runs something else by this name: for `make` a file, for others a dependency's program."""
    if command.tool == "make":
        return any(audited.exists(posixpath.join(posixpath.dirname(each), command.name)) for each in above)
    return command.is_loose and command.name in scripts.programs


def _meant_name(command: Command, manifests: Iterable[Names]) -> str:
    """The name that a command probably means, from the first manifest with a similar one, else empty."""
    parts = _sorted_parts(command.name)
    for each in manifests:
        same = next((name for name in sorted(each.names) if _sorted_parts(name) == parts), "")
        # The name of a program is often like that of a script.
        if meant := same or ("" if command.is_loose else near_name(command.name, each.names)):
            return meant
    return ""


def _sorted_parts(name: str) -> list[str]:
    return sorted(re.split("[-_.:]", name.lower()))


def _finding(audited: Audited, missing: MissingCommand, is_own: bool, cause: str) -> Finding:
    """The finding about a missing command: a warning if the manifest is beside a text that `is_own`, else a note."""
    reference, command, manifest, meant, homes = missing
    kind = _KIND.get(command.tool, "task" if command.tool in _TASKS else "script")
    where = f", only {homes[0]} has" if len(homes) == 1 else f", {len(homes)} below have" if homes else ""
    message = f"runs `{command.written}`, but {manifest} has no {kind} {command.name}{where}"
    new = re.sub(rf"{re.escape(command.name)}$", lambda _: meant, command.written)
    if manifest == "npm":
        new = meant
        message = f"runs `{command.written}`, which npm takes for a command of its own and does not know"
    if manifest == "bun":
        new = meant
        message = f"runs `{command.written}`, which is bun's own runner and not the script {command.name}"
    many = f"runs commands in {{count}} places that {manifest} does not have, such as `{command.written}`"
    # A text of a folder without a manifest may be for another project. Hidden folders belong to the one above them.
    shown = takewhile(lambda part: not part.startswith("."), reference.path.split("/")[:-1])
    is_beside = posixpath.dirname(manifest) == "/".join(shown)
    severity: Severity = "warning" if is_own and is_beside and not homes and manifest != "bun" else "info"
    evidence = "compared with every manifest of its kind in the project"
    path, line, name = reference.path, command.line, command.name
    folders = short_list([f"{posixpath.dirname(home)}/" for home in homes])
    remedy = Remedy(f"run it in {folders}", "run each in a folder that has it") if homes else Remedy("")
    if meant:
        remedy = Remedy(f"write `{new}`", "", meant, replace_on_line(audited, path, line, command.written, new))
    return Finding("missing-command", severity, message, path, line, 0, evidence, None, name, remedy, cause, many)


def missing_plugins(audited: Audited) -> Iterator[Finding]:
    """Options of plugins that no file of the project names, if a manifest names pytest."""
    named: set[str] | None = None
    for reference in audited.instructions():
        for match in _RUNS.finditer(audited.text(reference.path) or ""):
            named = _named_packages(audited) if named is None else named
            plugin = _PLUGINS[match[2]]
            if "pytest" in named and plugin not in named:
                line, run = match.string.count("\n", 0, match.start(1)) + 1, match[1].strip()
                message = f"runs `{run}`, but no file of the project names {plugin}, which has `{match[2]}`"
                many = f"runs pytest in {{count}} places with options of {plugin}, which no file of the project names"
                evidence, remedy = "searched for it in every manifest and workflow", Remedy(f"add {plugin}")
                more = (evidence, None, plugin, remedy, plugin, many)
                yield Finding("missing-command", "info", message, reference.path, line, 0, *more)


def _named_packages(audited: Audited) -> set[str]:
    """The names among `pytest` and its known plugins that a manifest or workflow of the project contains."""
    paths = [each for each in audited.paths if _MANIFEST.search(each) and not (is_fixture(each) or is_sample(each))]
    texts = [(audited.text(each) or "").lower().replace("_", "-") for each in paths]
    return {each for each in ("pytest", *_PLUGINS.values()) if any(each in text for text in texts)}
