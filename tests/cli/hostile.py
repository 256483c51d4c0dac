"""A small project in which every name and every text tries to steer the terminal."""

import json
import os
import subprocess
from pathlib import Path

import yaml

from tests.tui.hostile import BIDI, ESCAPES

TEXTS = (*ESCAPES, *BIDI)
TEXT = "".join(TEXTS)
# File names may hold neither slashes nor too many bytes; tabs and line feeds break rows.
NAME = "evil\x1b]52;c;UFdORUQ=\x07\x9b31m\u202e\u2028\u2066\ufeff\ttab\nline\rline"


def _front(values: dict[str, object]) -> str:
    return f"---\n{yaml.safe_dump(values, allow_unicode=False)}---\n"


def _document(title: str, **values: object) -> str:
    headings = "".join(f"## {each}\n\nneedle {each}\n\n- [ ] {each} `#{each}`\n\n" for each in TEXTS)
    return _front({"title": title, "tags": list(TEXTS), **values}) + f"# {title}\n\n{headings}"


def _files() -> dict[str, str]:
    declared = [{"name": each, "estimatedTokens": 9, "keywords": [each]} for each in TEXTS]
    catalog: dict[str, object] = {"domain": "evil", "type": "pattern", "loadingStrategy": "always"}
    entry = {"category": "Decision", "createdAt": "2026-01-01T00:00:00Z", "tags": list(TEXTS)}
    return {
        "AGENTS.md": _document(TEXT) + f"@{NAME.split()[0]}.md\n[{TEXT}](nowhere{TEXT}.md)\n\u2062\u200b\n" * 2,
        ".context/TASKS.md": _document("Tasks" + TEXT),
        ".context/\x1bNOTES\x9b.md": _document("Notes" + TEXT),
        "library/evil/index.md": _front({**catalog, "id": "evil/index", "title": TEXT, "type": "index"}) + "# I\n",
        "library/evil/one.md": _front(
            {**catalog, "id": f"evil/{TEXT}", "title": TEXT, "sections": declared, "estimatedTokens": 9_999}
        )
        + f"# {TEXT}\n\nneedle {TEXT}\n",
        "notes/one.md": _front({**entry, "entryId": f"id{TEXT}"}) + f"needle {TEXT}\n",
        "notes/two.md": _front({**entry, "entryId": "twice", "category": TEXT}) + "two\n",
        "notes/three.md": _front({**entry, "entryId": "twice", "createdAt": TEXT}) + "three\n",
        f"docs/{NAME}.md": _document(TEXT),
        "docs/broken.md": f"---\ntitle: [{TEXT}\n  bad: : :\n---\n# Broken\n",
        "docs/\x1b[31m\x9b.md": f"# Heading\r\n\r\nneedle {TEXT}\r\n",
        ".cursor/rules/\x1b]0;x\x07\u202e.mdc": f"---\ndescription: {json.dumps(TEXT)}\nglobs: '**/*.py'\n---\n{TEXT}\n",
        ".ctxtui/recipes/review.yaml": yaml.safe_dump({"picks": ["AGENTS.md", f"gone{TEXT}"], "prompt": TEXT}),
    }


def make_hostile(root: Path) -> Path:
    """Fill a folder, and commit it under a hostile subject."""
    for name, content in _files().items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode())
    (root / os.fsdecode(b"bad\xff\x1b.md")).write_text("# Bad\n")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false", "-C", str(root)]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "--cleanup=verbatim", "-m", f"subject {TEXT}"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    return root
