"""Generators of domain catalogs: indexes, detection tables, matrices, the loading protocol, files of a domain."""

from collections.abc import Callable
from random import Random
from typing import Final

from tests.fuzz.documents import body, frontmatter
from tests.fuzz.mutators import mutated
from tests.fuzz.pieces import word, words

_TARGETS: Final = ("api.md", "issues.md", "`api.md`", "security/rules.md", "../x.md", "none.md", "[a](api.md)", "08")
_SCORES: Final = ("0.9", "0.5", "08", "-1", "1e400", "high", "0,5", "90 %")
_IMPORTS: Final = ("`from fastapi`", "`import x`", "fastapi", "*.py", "(a+)+$")
_INDEX: Final = "---\nid: {0}/index\ndomain: {0}\ntype: index\n---\n\n# {0}\n\n## Files\n\n{1}\n### Workflow: x\n\n1. Load `api.md`\n"


def files(random: Random) -> dict[str, str]:
    """The files of a catalog with two domains, half of them mutated, some left out."""
    pick = random.choice
    kinds = ("always", "lazy", "x")
    index = _rows(random, "File Purpose Type", lambda: (pick(_TARGETS), words(random, 3), pick(kinds)))
    frameworks = _rows(random, "Import Framework Load", lambda: (pick(_IMPORTS), word(random), pick(_TARGETS)))
    head = f"{pick(('Trigger', 'When'))} Target {pick(('Relevance', 'Score'))}"
    cross = _rows(random, head, lambda: (words(random, 2), pick(_TARGETS), pick(_SCORES)))
    kind = f"type: {pick(('framework', 'always', 'index'))}\nloadingStrategy: {pick(('always', 'onDemand'))}\n"
    made = {
        "python/index.md": _INDEX.format("python", index),
        "python/context_detection.md": f"# Detection\n\n## Frameworks\n\n{frameworks}",
        "python/api.md": f"---\nid: python/api\ndomain: python\n{kind}estimatedTokens: {pick(('9', '08'))}\n---\n{body(random)}",
        "python/issues.md": frontmatter(random) + body(random),
        "cross_domain.md": f"# Cross-domain\n\n## From Python\n\n{cross}",
        "loading_protocol.md": f"# Protocol\n\n## Step 1: Read {word(random)}\n\n{body(random)}",
        "security/index.md": _INDEX.format("security", index),
        "security/rules.md": frontmatter(random) + body(random),
    }
    kept = random.sample(sorted(made), random.randint(4, len(made)))
    return {name: mutated(random, made[name]) if random.random() < 0.5 else made[name] for name in kept}


def _rows(random: Random, heads: str, cells: Callable[[], tuple[str, ...]]) -> str:
    names = heads.split()
    lines = [names, ["---"] * len(names), *(cells() for _ in range(random.randint(0, 4)))]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
