"""Captures: one agent started in one project, its first request, and consent to such a start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Final, Literal

from ctxtui.agents.capture.child import GIVEN, Job
from ctxtui.agents.capture.kept import KIND, Capture, keep_capture, kept_capture
from ctxtui.agents.capture.launches import Launch, Program
from ctxtui.agents.capture.wires import Recorded
from ctxtui.agents.project.configuration import parse_data
from ctxtui.agents.project.paths import with_ancestors
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain_line
from ctxtui.core.disk.consents import has_consent, record_consent
from ctxtui.core.disk.own_folders import own_cache, private_folder
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.workers import worker_process
from ctxtui.core.text.globs import compile_glob
from ctxtui.core.text.secrets import has_secret

Home = Literal["clean", "mine"]
SECONDS: Final = 90.0
"""The time in which an agent must send its first request."""

SEPARATE: Final = "no network but the loopback, files read-only, the project under an overlay that is gone at the end"
COPIED: Final = "a copy of the project, proxies that lead nowhere; this system allows no namespaces"

_REFUSED: Final[dict[str, Any]] = {"refused": "no namespaces"}
_GRACE: Final = 15.0
_TURN: Final = 0.2
_MOST_CONFIGURATIONS: Final = 200
_SAID: Final = 300


@dataclass(frozen=True, slots=True)
class Setting:
    """Where an agent starts: the repository, the folder in it, the files of both homes.

    `paths` are the project's files, from the repository's root. `copied` are files of the user by their places below
    the home folder, none for a `clean` home. With `code`, the project's hooks, servers and plugins run. The first
    request must come within `seconds`. Without namespaces, the agent gets a copy of the project.
    """

    root: Path
    cwd: str = ""
    paths: tuple[str, ...] = ()
    home: Home = "clean"
    copied: Mapping[str, Path] = field(default_factory=dict)
    code: bool = False
    seconds: float = SECONDS
    has_namespaces: bool = sys.platform == "linux"

    @property
    def name(self) -> str:
        """The identity of a setting, for keys of captures and of consent."""
        return "\0".join((str(self.root), self.cwd, self.home, "code" if self.code else ""))


def question(program: Program, setting: Setting) -> Iterator[str]:
    """The start that a user has to allow, in lines: command, version, folder, variables, home, project's code."""
    launch = program.launch
    words = " ".join(word if word.isprintable() and " " not in word else json.dumps(word) for word in launch.words)
    yield f"starts    {plain_line(f'{program.path} {words}')}"
    yield f"version   {plain_line(program.version) or 'not known before it runs'}"
    yield f"in        {plain_line(str(setting.root / setting.cwd))}"
    yield f"gets      {', '.join([*GIVEN, *launch.env])}; keys are dummies"
    copied = "a copy of the files that the agent reads, without credentials"
    yield f"home      {copied if setting.home == 'mine' else 'empty'}"
    code = "run too" if setting.code else "are left out"
    yield f"project   its hooks, MCP servers and plugins {code}"


def digest(program: Program, setting: Setting) -> str:
    """The identity of a start for consent: program, version, project, folder, home, and whether its code runs."""
    return digest_of(f"{program.stamp}\0{setting.name}".encode("utf-8", "surrogateescape")).hex()


def is_allowed(program: Program, setting: Setting) -> bool:
    return has_consent(KIND, digest(program, setting))


def allow(program: Program, setting: Setting) -> None:
    """Record consent. Raises ContextError (unavailable) if it cannot be stored."""
    told = {"program": program.path, "version": program.version, "project": str(setting.root)}
    record_consent(KIND, digest(program, setting), told)


def capture(program: Program, setting: Setting, state: bytes, check: Check = go_on) -> Capture:
    """Start the agent and read its first request. Call it with consent only.

    The capture is kept for `last_capture` with its `state`, unless its text holds what looks like a secret. `check`
    may raise to stop. Raises ContextError (unavailable) with what the agent said last if it sends no request.
    """
    launch = program.launch
    answer, isolation = _REFUSED, SEPARATE
    if setting.has_namespaces:
        # A place of fixed length and name, because prompts contain it. In its namespace, it is a folder in memory.
        answer = _run_job(_job(program, setting, private_folder(own_cache() / "start"), is_separate=True), check)
    if "refused" in answer:
        isolation = COPIED
        with TemporaryDirectory(prefix="ctxtui-", ignore_cleanup_errors=True) as folder:
            answer = _run_job(_job(program, setting, Path(folder), is_separate=False), check)
    if not answer.get("request"):
        said = plain_line(str(answer.get("said", "")).strip())[-_SAID:]
        why = answer.get("why") or answer.get("refused") or "it sent no request with tools"
        hint = f"it said: {said}" if said else "another version may need another way to start"
        raise ContextError("unavailable", f"{launch.agent}: {why}", hint=hint)
    request = Recorded(**answer["request"])
    of_subagent = answer.get("subagent")
    made = Capture(
        launch.agent,
        program.version or request.version,
        request.model,
        datetime.now(UTC).replace(microsecond=0),
        setting.home,
        isolation,
        round(float(answer["seconds"]), 2),
        request.parts,
        tuple(map(str, answer["written"])),
        launch.note,
        Recorded(**of_subagent).parts if of_subagent else (),
    )
    _keep_unless_secret(made, setting, state, program.stamp)
    return made


def last_capture(agent: str, setting: Setting) -> tuple[Capture, bytes] | None:
    """The last capture of an agent in this setting and its `state` as given to `capture`, or None."""
    return kept_capture(_key(agent, setting))


def _key(agent: str, setting: Setting) -> bytes:
    return f"{agent}\0{setting.name}".encode("utf-8", "surrogateescape")


def _keep_unless_secret(made: Capture, setting: Setting, state: bytes, stamp: str) -> None:
    if not any(has_secret(part.text) for part in (*made.parts, *made.subagent)):
        keep_capture(_key(made.agent, setting), made, state)
        keep_capture(made.agent.encode(), made, stamp.encode())


def state_of(program: Program, setting: Setting, texts: Mapping[str, str | None]) -> bytes:
    """The digest of all that a request depends on, as far as known: program, launch, names and texts of files."""
    parts = [program.stamp, repr(program.launch), *setting.paths]
    parts += [f"{path}\0{text}" for path, text in sorted(texts.items())]
    return digest_of("\0\0".join(parts).encode("utf-8", "surrogatepass"))


def _job(program: Program, setting: Setting, scratch: Path, is_separate: bool) -> Job:
    """The start of an agent as the child process needs it. `scratch` is its private folder."""
    launch = program.launch
    changed = {} if setting.code else dict(_changed_files(launch, setting))
    return Job(
        (program.path, *launch.words),
        str(setting.root),
        setting.cwd,
        str(scratch),
        is_separate,
        setting.seconds,
        launch.env,
        {name: _over_own_settings(text, name, launch, setting) for name, text in launch.files.items()},
        changed,
        {name: str(place) for name, place in setting.copied.items()},
        () if is_separate else setting.paths,
        (launch.subagent["tool"], launch.subagent["input"]) if launch.subagent else None,
    )


def _run_job(job: Job, check: Check) -> dict[str, Any]:
    """The answer of a child process that runs the job. A process that takes too long is killed with its children.

    Raises ContextError (unavailable) if no process can be started, and as `check` does.
    """
    try:
        process = worker_process.start(("-m", "ctxtui.agents.capture.child"), folder=Path(os.sep))
    except OSError as error:
        raise ContextError("unavailable", f"no process can be started: {error.strerror}") from error
    # `communicate` would lose what a pipe does not take before its first timeout.
    pipe, process.stdin = process.stdin, None
    threading.Thread(target=_write_and_close, args=(pipe, json.dumps(asdict(job)).encode()), daemon=True).start()
    try:
        ends = time.monotonic() + job.seconds + _GRACE
        while True:
            try:
                output = process.communicate(timeout=_TURN)[0]
                break
            except subprocess.TimeoutExpired:
                check()
                if time.monotonic() > ends:
                    return {"why": f"it did not end in {job.seconds:,.0f} seconds"}
        answer = json.loads(output)
        return answer if isinstance(answer, dict) else {}
    except ValueError:
        return {"why": "its process ended"}
    finally:
        worker_process.finish(process)


def _write_and_close(pipe: IO[bytes] | None, data: bytes) -> None:
    with suppress(OSError):
        if pipe:
            pipe.write(data)
            pipe.close()


def _changed_files(launch: Launch, setting: Setting) -> Iterator[tuple[str, str | None]]:
    """Files of the project and the copied home that are changed for the agent, with the new text, None if removed."""
    for path in _configurations(launch, setting):
        if text := _text_of(path, setting):
            name = next(each for each in launch.keeps if _has_name(path, each))
            data = parse_data(path, text)
            kept = {key: data[key] for key in launch.keeps[name] if key in data}
            # What cannot be read is replaced by nothing.
            if kept != data or not data:
                yield path, _as_configuration(path, kept)
    matching = [compile_glob(pattern).matches for pattern in launch.removes]
    for path in dict.fromkeys((*setting.paths, *_files_to_remove(launch, setting))):
        if any(matches(path) for matches in matching):
            yield path, None


def _as_configuration(path: str, values: Mapping[str, Any]) -> str:
    if path.endswith(".toml"):
        return "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
    return json.dumps(values)


def _configurations(launch: Launch, setting: Setting) -> Sequence[str]:
    """The places of configurations: in every folder of the project that has one, and in the copied home."""
    names = tuple(launch.keeps)
    listed = [path for path in setting.paths if path.endswith(names) and any(_has_name(path, name) for name in names)]
    on_disk = [f"{folder}/{name}" if folder else name for folder in with_ancestors(setting.cwd) for name in names]
    at_home = [f"~/{path}" for path in setting.copied if any(_has_name(path, name) for name in names)]
    found = [path for path in on_disk if (setting.root / path).is_file()]
    return list(dict.fromkeys((*listed[:_MOST_CONFIGURATIONS], *found, *at_home)))


def _has_name(path: str, name: str) -> bool:
    return path == name or path.endswith(f"/{name}")


def _files_to_remove(launch: Launch, setting: Setting) -> Iterator[str]:
    """The files below the folders of `removes`, listed or not: git may ignore them."""
    heads = {pattern.split("/")[0] for pattern in launch.removes if not pattern.startswith("*")}
    for folder in with_ancestors(setting.cwd):
        for head in sorted(heads):
            place = setting.root / folder / head
            inner = place.rglob("*") if place.is_dir() else iter([place] if place.is_file() else [])
            yield from (each.relative_to(setting.root).as_posix() for each in inner if each.is_file())


def _text_of(path: str, setting: Setting) -> str | None:
    """The text of a file of the project or, after `~/`, of the copied home. None if it is unreadable."""
    at_home = setting.copied[path.removeprefix("~/")] if path.startswith("~/") else None
    folder, name = (at_home.parent, at_home.name) if at_home else (setting.root, path)
    try:
        return Root(folder).read(name).data.decode("utf-8-sig", "replace")
    except ContextError:
        return None


def _over_own_settings(text: str, name: str, launch: Launch, setting: Setting) -> str:
    """The new text of a file in the made home. JSON is merged over the user's own settings if they are copied."""
    if name not in setting.copied or not name.endswith(".json"):
        return text
    own = parse_data(name, _text_of(f"~/{name}", setting) or "")
    kept = own if setting.code else {key: own[key] for key in launch.keeps.get(name, ()) if key in own}
    return json.dumps({**kept, **parse_data(name, text)})
