"""The pages of the site: those of the manual, README as the first, and one of each audit rule."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from ctxtui.audit import RULES
from ctxtui.audit.rules.rule import Rule
from ctxtui.core.base.manual import TOPICS, page

ROOT = Path(__file__).parent.parent


def on_config(config: MkDocsConfig) -> None:
    topics = [f"{topic}.md" for topic in TOPICS]
    rules = [f"rules/{rule.id}.md" for rule in RULES]
    config.nav = ["index.md", *topics, {"Rules": rules}]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    made = {f"rules/{rule.id}.md": text for rule, text in zip(RULES, _rule_pages(), strict=True)}
    made["index.md"] = re.sub(r"\]\(ctxtui/docs/", "](", (ROOT / "README.md").read_text("utf-8"))
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    for picture in sorted((ROOT / "screenshots").glob("*.svg")):
        files.append(File.generated(config, f"screenshots/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """A page with its pictures and the pages of rules. Files that are not on the site lose their links."""
    text = markdown.replace("](../../screenshots/", "](screenshots/")
    text = re.sub(r"^\| `([a-z-]+)` \| (error|warning|info) ", r"| [`\1`](rules/\1.md) | \2 ", text, flags=re.M)
    return re.sub(r"(?<!!)\[([^\]]*)\]\((?:\.\.?/|\.github/)[^)]*\)", r"\1", text)


def _rule_pages() -> list[str]:
    command = [sys.executable, "-m", "ctxtui", "audit", "sample_context", "--every", "--json", "-q"]
    audit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    findings = json.loads(audit.stdout)["result"]["findings"]
    paragraphs = [
        part for part in re.split(r"\n\n|\n(?=- )", page("rules")) if not part.startswith(("|", "#", "<", "`" * 3))
    ]
    said = [each for part in paragraphs for each in re.split(r"(?<=[.:])\s+(?=[A-Z`])", part.removeprefix("- "))]
    return [
        _rule_page(
            rule,
            [part for part in said if f"`{rule.id}`" in part],
            next((each for each in findings if each["rule"] == rule.id), None),
        )
        for rule in RULES
    ]


def _rule_page(rule: Rule, said: list[str], found: Mapping[str, Any] | None) -> str:
    text = (
        f"# {rule.title}\n\n`{rule.id}`, {rule.severity} unless the configuration says otherwise.\n\n{rule.about}\n"
    )
    if said:
        text += "\n## In detail\n\n" + "\n".join(f"- {' '.join(each.split())}" for each in said) + "\n"
    if found:
        place = f"{found['path']}:{found['line']}" if found["line"] else found["path"]
        rows = {"what": found["message"], "where": f"`{place}`", "cost": found["cost"], "remedy": found["remedy"]}
        rows |= {"agent": found["agent"], "source": found["evidence"]}
        told = "\n".join(f"- **{key}**: {value}" for key, value in rows.items() if value)
        text += f"\n## Example\n\nIn the sample project:\n\n{told}\n"
    return f'{text}\n## Turn it off\n\n```toml\n[rules]\n{rule.id} = "off"\n```\n\n[All rules](../rules.md#rules)\n'
