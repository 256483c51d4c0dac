"""A fleet to measure with: repositories with histories, made of real texts where they are, of the sample's otherwise.

The same number and seed give the same commits. Many repositories share texts; some have no agents, some secrets, some
a huge file, and some cannot be read.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from string import ascii_uppercase

from tests.bench import real
from tests.bench.corpus import made_once

SAMPLE = Path(__file__).parents[2] / "sample_context"
TEAMS = ("billing", "catalog", "checkout", "identity", "insight", "search", "shipping", "support")
PARTS = ("api", "batch", "bridge", "console", "jobs", "model", "schema", "sync", "tools", "web", "worker")
_START = 1_700_000_000
_SECTION = range(120, 1_600)  # bytes of a section that is taken
_MOST_SECTIONS = 6_000
_SKILL = range(300, 12_000)
_HUGE = 1_500_000
# Shares of the repositories of each kind; the others have agents and can be read.
_BARE, _BROKEN, _LARGE, _LEAKING = 0.10, 0.02, 0.005, 0.04
_NOBODY = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"


@dataclass(frozen=True, slots=True)
class Texts:
    """What repositories are made of: sections of prose, whole skills, and the sections that a company copies around."""

    sections: Sequence[str]
    skills: Sequence[str]
    shared: Sequence[str]

    @staticmethod
    def found() -> "Texts":
        """Those of the real projects, else those of the sample."""
        trees = real.projects().values() if real.CORPORA.is_dir() else [dict(real.read(SAMPLE))]
        found = (each for tree in trees for each in sorted(tree.items()) if each[0].endswith(".md"))
        files = [(path, text.decode("utf-8", "replace")) for path, text in found if isinstance(text, bytes)]
        chance = Random(1)
        pieces = dict.fromkeys(piece for _, text in files for piece in _sections(text))
        sections = chance.sample(list(pieces), min(len(pieces), _MOST_SECTIONS))
        skills = [text for path, text in files if path.endswith("SKILL.md") and len(text.encode()) in _SKILL]
        count = min(24, len(sections) // 3)
        return Texts(sections[count:], chance.sample(skills, min(len(skills), 60)), sections[:count])


def _sections(text: str) -> Iterator[str]:
    """The parts of a text between headings, without frontmatter and open fences."""
    places = [*(found.start() for found in re.finditer(r"^#{1,3} ", text, re.MULTILINE)), len(text)]
    for start, end in pairwise(places):
        section = text[start:end].strip() + "\n"
        if len(section.encode()) in _SECTION and section.count("```") % 2 == 0:
            yield section


def fleet_of(count: int) -> Path:
    """A folder of that many repositories, made once for each version of these rules and of the texts; only to be read."""
    return made_once(f"fleet-{count}", Path(__file__).read_bytes(), lambda place: make(place, count))


def make(folder: Path, count: int, seed: int = 7, texts: Texts | None = None) -> None:
    texts = texts or Texts.found()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(partial(_make, folder, texts, seed), range(count)))


def name_of(number: int) -> str:
    """The name of a repository: its team's folder, and its own."""
    return f"{TEAMS[number % len(TEAMS)]}/{PARTS[number % len(PARTS)]}-{number:04}"


def _make(folder: Path, texts: Texts, seed: int, number: int) -> None:
    chance = Random(f"{seed} {number}")
    place = folder / name_of(number)
    git = place / ".git"
    for name in ("objects", "refs/heads"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(_CONFIG)
    stream = b"".join(_stream(_History(texts, chance)))
    _git(place, "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", given=stream)
    _git(place, "reset", "--quiet", "--hard")
    if chance.random() < _BROKEN:
        _break(git, chance)


def _break(git: Path, chance: Random) -> None:
    """Spoil a repository as disks and people do."""
    match chance.randrange(3):
        case 0:
            (git / "HEAD").write_bytes(b"\0" * 40)
        case 1:
            shutil.rmtree(git / "objects")
        case _:
            (git / "refs" / "heads" / "main").write_text("f" * 40 + "\n")


def _git(place: Path, *words: str, given: bytes = b"") -> None:
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    command = ["git", "-C", str(place), *words]
    subprocess.run(command, env={**inherited, **_NOBODY}, input=given, stdout=subprocess.DEVNULL, check=True)


class _History:
    """The files of a repository as they change from commit to commit."""

    def __init__(self, texts: Texts, chance: Random) -> None:
        self._texts, self._chance = texts, chance
        self._parts: dict[str, list[str]] = {}
        self._is_bare = chance.random() < _BARE

    def commits(self) -> Iterator[dict[str, bytes]]:
        chance = self._chance
        yield self._first()
        last = chance.randint(5, 50) - 1
        leaks = last - 1 if chance.random() < _LEAKING else None
        is_large = chance.random() < _LARGE
        for number in range(last):
            changed = self._step()
            if number == leaks:
                changed["docs/deploy.md"] = self._leak()
            if is_large and number == last - 1:
                changed["docs/export.md"] = self._section().encode() * (_HUGE // 400)
            yield changed

    def _first(self) -> dict[str, bytes]:
        chance = self._chance
        files = {"README.md": [self._section()], "src/main.py": ["def main() -> None:\n    print()\n"]}
        if not self._is_bare:
            files["AGENTS.md"] = [*chance.sample(self._texts.shared, chance.randint(1, 4)), self._section()]
            files["CLAUDE.md"] = ["@AGENTS.md\n"] if chance.random() < 0.6 else [*files["AGENTS.md"]]
            if chance.random() < 0.3:
                files[".github/copilot-instructions.md"] = [chance.choice(self._texts.shared)]
            if chance.random() < 0.2:
                files["GEMINI.md"] = [chance.choice(self._texts.shared), self._section()]
        self._parts = files
        return {path: self._text(path) for path in files}

    def _step(self) -> dict[str, bytes]:
        """One change as people make them: a section more, one fewer, a rule, a skill, or only code."""
        chance = self._chance
        kind = chance.choices(("more", "fewer", "rule", "skill", "docs", "code"), (30, 12, 8, 5, 15, 30))[0]
        path = "README.md" if self._is_bare else "AGENTS.md"
        parts = self._parts[path]
        if kind == "code" or (self._is_bare and kind in ("rule", "skill")):
            path = "src/main.py"
            steps = self._parts[path]
            steps.append(f"\n\ndef step_{len(steps)}() -> int:\n    return {chance.random()}\n")
        elif kind == "more" or (kind == "fewer" and len(parts) < 2):
            parts.append(chance.choice(self._texts.shared) if chance.random() < 0.3 else self._section())
        elif kind == "fewer":
            parts.pop(chance.randrange(len(parts)))
        elif kind == "rule":
            path = f".cursor/rules/rule-{chance.randrange(6)}.mdc"
            self._parts[path] = ["---\ndescription: A rule\nalwaysApply: true\n---\n", self._section()]
        elif kind == "skill" and self._texts.skills:
            path = f".claude/skills/skill-{chance.randrange(40)}/SKILL.md"
            self._parts[path] = [chance.choice(self._texts.skills)]
        else:
            path = f"docs/note-{chance.randrange(8)}.md"
            self._parts[path] = [self._section(), self._section()]
        return {path: self._text(path)}

    def _section(self) -> str:
        return self._chance.choice(self._texts.sections)

    def _text(self, path: str) -> bytes:
        return "\n".join(self._parts[path]).encode()

    def _leak(self) -> bytes:
        """A text with a key as providers make them, which opens nothing."""
        key = "AKIA" + "".join(self._chance.choices(f"{ascii_uppercase}234567", k=16))
        return f"# Deploy\n\nexport AWS_ACCESS_KEY_ID={key}\n\n{self._section()}".encode()


def _stream(history: _History) -> Iterator[bytes]:
    for number, files in enumerate(history.commits()):
        who = f"Ada <ada@example.org> {_START + 3_600 * number} +0000"
        subject = f"Change {number}".encode()
        yield f"commit refs/heads/main\ncommitter {who}\ndata {len(subject)}\n".encode() + subject + b"\n"
        for path, content in files.items():
            yield f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n"
        yield b"\n"
