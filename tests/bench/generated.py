"""The corpus where no real projects are: the same kinds of files in the same proportions, as one large project."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from random import Random

from tests.bench.prose import Writer
from tests.bench.real import FILES_PER_CATALOG
from tests.bench.words import NOUNS

Files = Iterator[tuple[str, str]]
_PER_FOLDER = 30
_CATALOG_FILES = 80  # besides its protocol
_BROKEN_SHARE = 0.01  # of the files with metadata: a value that YAML does not read
_DOMAINS = 9
_PATTERN = "type: pattern\nestimatedTokens: 900\nloadingStrategy: onDemand\n"
_CONTEXT = ("CONSTITUTION", "ARCHITECTURE", "TASKS", "DECISIONS")


class _Maker:
    """Makes groups of files that belong together, each kind in a folder of its own."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._writer = Writer(self.random)
        self._numbers = count()

    def first(self) -> Files:
        """What lies at the root of nearly every project."""
        yield "AGENTS.md", self._writer.file("Agents", 6_000)
        yield "CLAUDE.md", "@AGENTS.md\n"
        for name in _CONTEXT:
            yield f".context/{name}.md", self._writer.file(name.title(), 5_000)

    def catalog(self) -> Files:
        """A domain catalog with the protocol at its root."""
        root, domains = f"catalogs/{self._name()}/context", self.random.sample(NOUNS, _DOMAINS)
        yield f"{root}/loading_protocol.md", self._writer.file("Loading protocol", 3_000)
        for number in range(_CATALOG_FILES):
            domain = domains[number % _DOMAINS]
            slug = "index" if number < _DOMAINS else f"{self._writer.slug()}-{number}"
            fields = f"title: {self._writer.title()}\n{_PATTERN}"
            sections = '  - name: "Overview"\n    estimatedTokens: 300\n    keywords: [{n}, {n}]\n'
            more = self._writer.fill(f"sections:\n{sections}tags: [{{n}}, {{a}}]\n")
            metadata = f'id: "{domain}/{slug}"\ndomain: {domain}\n{fields}{more}'
            yield f"{root}/{domain}/{slug}.md", self._file(metadata)

    def skill(self) -> Files:
        """A skill: its SKILL.md, sometimes with references and scripts."""
        name = self._name()
        root = f".claude/skills/{name}"
        yield f"{root}/SKILL.md", self._file(self._writer.fill(f"name: {name}\ndescription: {{cap}} a {{a}} {{n}}\n"))
        if self.random.random() < 0.2:
            for number in range(self.random.randint(1, 3)):
                yield f"{root}/references/{self._writer.slug()}-{number}.md", self._file("")
        if self.random.random() < 0.1:
            path = f"{root}/scripts/{self.random.choice(NOUNS)}.{self.random.choice(('py', 'sh', 'yaml'))}"
            yield path, self._writer.code(path)

    def agent(self, folder: str, fields: str, ending: str = "md") -> Files:
        """A file that agents read: a subagent, a command or a rule."""
        name = self._name()
        yield f"{folder}/{name}.{ending}", self._file(self._writer.fill(fields.replace("NAME", name)))

    def nested(self, path: str) -> Files:
        """A file of a fixed name in a folder of its own."""
        yield f"packages/{self._name()}/{path}", self._file("")

    def document(self, fields: str = "", ending: str = "md") -> Files:
        """Documentation that no agent reads by itself."""
        name = self._name()
        folder = f"docs/{NOUNS[int(name.partition('-')[0]) // _PER_FOLDER % len(NOUNS)]}"
        yield f"{folder}/{name}.{ending}", self._file(self._writer.fill(fields))

    def code(self, *endings: str) -> Files:
        path = f"packages/{self.random.choice(NOUNS)}/{self._name()}.{self.random.choice(endings)}"
        yield path, self._writer.code(path)

    def _name(self) -> str:
        return f"{next(self._numbers):05}-{self._writer.slug()}"

    def _file(self, metadata: str) -> str:
        if metadata and self.random.random() < _BROKEN_SHARE:
            metadata += "summary: what: it does\n"
        return self._writer.file(self._writer.title(), self._writer.size(), metadata)


def _kinds(maker: _Maker) -> list[tuple[float, Callable[[], Files]]]:
    """Every kind with its share of the groups, in percent, as counted in seven real projects."""
    metadata = "title: {cap} the {n}\ntype: guide\ntags: [{n}, {n}, {a}]\nowner: {person}\nupdated: {date}-07\n"
    return [
        (19, maker.skill),
        (10, partial(maker.agent, ".claude/agents", "name: NAME\ndescription: {cap} {n}s\nmodel: inherit\n")),
        (6, partial(maker.agent, ".claude/commands", "description: {cap} the {a} {n}\n")),
        (4, partial(maker.agent, ".claude/rules", 'paths: ["**/*.{n}"]\n')),
        (0.5, partial(maker.agent, ".cursor/rules", "description: {a} {n}s\nalwaysApply: false\n", "mdc")),
        (0.5, partial(maker.nested, "AGENTS.md")),
        (2.5, partial(maker.nested, ".context/NOTES.md")),
        (10, partial(maker.document, metadata)),
        (22, maker.document),
        (4, partial(maker.document, ending="mdx")),
        (1.5, partial(maker.document, ending="txt")),
        (7, partial(maker.code, "json")),
        (3.5, partial(maker.code, "yaml", "yml", "toml")),
        (9.5, partial(maker.code, "ts", "ts", "ts", "go", "go", "py", "tsx", "js")),
    ]


def tree(files: int, seed: int = 7) -> Iterator[tuple[str, bytes]]:
    """That many files by their paths; the same arguments give the same bytes, and a smaller tree is part of a larger."""
    for _, (path, text) in zip(range(files), _groups(_Maker(seed)), strict=False):
        yield path, text.encode()


def _groups(maker: _Maker) -> Files:
    kinds = _kinds(maker)
    shares, makers = [share for share, _ in kinds], [make for _, make in kinds]
    yield from maker.first()
    done, due = 0, FILES_PER_CATALOG // 4
    while True:
        make = maker.catalog if done >= due else maker.random.choices(makers, shares)[0]
        due += FILES_PER_CATALOG if done >= due else 0
        for file in make():
            yield file
            done += 1
