"""The pages of the site: those of the manual, README as the first, and one of each audit rule."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from ctxtui.agents import load_table
from ctxtui.audit import RULES
from ctxtui.audit.rule_settings import THRESHOLDS
from ctxtui.audit.rules import Rule
from ctxtui.audit.types import Settings
from ctxtui.core.base.manual import TOPICS, page
from ctxtui.core.text.secrets.guard import redact

HERE = Path(__file__).parent
ROOT = HERE.parent
# Tables and examples that fit a narrow window, and the room of a wide one.
STYLE = """\
.wy-nav-content { max-width: 1000px; }
.wy-table-responsive table td, .wy-table-responsive table th { white-space: normal; }
"""


class Example(NamedTuple):
    """A finding in one of the small projects, with the lines around its place."""

    finding: Mapping[str, Any]
    lines: str


def on_config(config: MkDocsConfig) -> None:
    topics = [f"{topic}.md" for topic in TOPICS]
    rules = [f"rules/{rule.id}.md" for rule in RULES]
    config.nav = ["index.md", *topics, "contributing.md", "changelog.md", {"Rules": rules}]
    config.extra_css = ["site.css"]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    made = {f"rules/{rule.id}.md": text for rule, text in zip(RULES, _rule_pages(), strict=True)}
    made["index.md"] = (ROOT / "README.md").read_text("utf-8")
    for name in ("CONTRIBUTING", "CHANGELOG"):
        made[f"{name.lower()}.md"] = (HERE / f"{name}.md").read_text("utf-8")
    made["site.css"] = STYLE
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    for picture in sorted((ROOT / "screenshots").glob("*.svg")):
        files.append(File.generated(config, f"screenshots/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """A page with its pictures and the pages of rules. Files that are not on the site lose their links."""
    text = markdown.replace("](../../screenshots/", "](screenshots/")
    text = re.sub(r"\]\((?:\.\./)?ctxtui/docs/", "](", text)
    text = re.sub(r"\]\((?:\.\./\.\./)?\.github/(\w+)\.md", lambda found: f"]({found[1].lower()}.md", text)
    text = re.sub(r"^\| `([a-z-]+)` \| (error|warning|info) ", r"| [`\1`](rules/\1.md) | \2 ", text, flags=re.M)
    return re.sub(r"(?<!!)\[([^\]]*)\]\(\.\./(?!rules\.md)[^)]*\)", r"\1", text)


def _rule_pages() -> list[str]:
    examples = dict(_examples())
    paragraphs = [
        part for part in re.split(r"\n\n|\n(?=- )", page("rules")) if not part.startswith(("|", "#", "<", "`" * 3))
    ]
    said = [each for part in paragraphs for each in re.split(r"(?<=[.:])\s+(?=[A-Z`])", part.removeprefix("- "))]
    # Lists of many rules say nothing of one.
    about_few = [each for each in said if each.count("`") < 8]
    return [
        _rule_page(rule, [part for part in about_few if f"`{rule.id}`" in part], examples.get(rule.id))
        for rule in RULES
    ]


def _rule_page(rule: Rule, said: list[str], example: Example | None) -> str:
    text = f"# {rule.title}\n\n`{rule.id}`, {rule.severity} unless the configuration says otherwise.\n\n"
    text += f"{rule.about}\n\n**Remedy**: {rule.remedy}.\n"
    details = [re.sub(rf"^`{rule.id}`,? (?=for|if|in )", "A note ", " ".join(each.split())) for each in said]
    defaults = {key: getattr(Settings(), name) for key, name in THRESHOLDS.get(rule.id, {}).items()}
    details += [f"The threshold `{key}` is {value:,}." for key, value in defaults.items()]
    if details:
        text += "\n## In detail\n\n" + "\n".join(f"- {each}" for each in details) + "\n"
    if example:
        text += f"\n## Example\n\n{_told(example.finding)}{example.lines}"
    return f'{text}\n## Turn it off\n\n```toml\n[rules]\n{rule.id} = "off"\n```\n\n[All rules](../rules.md#rules)\n'


def _told(finding: Mapping[str, Any]) -> str:
    place = ":".join(str(each) for each in (finding["path"], finding["line"]) if each)
    source = re.sub(r"https://[^\s,]+", r"<\g<0>>", finding["evidence"] or "")
    message = f"{finding['message'][0].upper()}{finding['message'][1:]}"
    rows = {"finding": message, "where": place and f"`{place}`", "cost": finding["cost"]}
    rows |= {"remedy": finding["remedy"], "agents": _agents(finding), "source": source}
    return "".join(f"- **{key}**: {value}\n" for key, value in rows.items() if value)


def _agents(finding: Mapping[str, Any]) -> str:
    said = f"{finding['message']} {finding['cost']}"
    named = [each.name for each in load_table() if each.id == finding["agent"] or each.name in said]
    return ", ".join(named) or "all that read the file"


def _examples() -> Iterator[tuple[str, Example]]:
    """The id of each rule that finds something, with its first finding."""
    projects = tomllib.loads((HERE / "rule_examples.toml").read_text("utf-8"))["project"]
    with tempfile.TemporaryDirectory() as folder:
        for number, project in enumerate(projects):
            root = Path(folder, str(number))
            for path, text in project["files"].items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                whole = text.removeprefix("\n").replace("LONG", "word " * 2_250)
                (root / path).write_text(whole, "latin-1")
            for words in (["init", "--quiet"], ["add", "."]) if project.get("git") else ():
                subprocess.run(["git", *words], cwd=root, check=True)  # noqa: S603, S607 - a folder of our own
            found = _found(root)
            yield from ((rule, found[rule]) for rule in project["rules"])
        sample = shutil.copytree(ROOT / "sample_context", Path(folder, "sample"), symlinks=True)
        yield from _found(sample).items()


def _found(root: Path) -> dict[str, Example]:
    command = [sys.executable, "-m", "ctxtui", "audit", str(root), "--every", "--json", "-q"]
    audit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    findings = reversed(json.loads(audit.stdout)["result"]["findings"])
    return {each["rule"]: Example(each, _lines(root, each)) for each in findings}


def _lines(root: Path, finding: Mapping[str, Any]) -> str:
    """The lines around the place of a finding, as a block of Markdown."""
    line = finding["line"]
    if not line:
        return ""
    text, _ = redact((root / finding["path"]).read_text("utf-8", "replace"))
    lines = text.split("\n")[max(line - 3, 0) : line + 2]
    shown = "\n".join(each if len(each) <= 120 else f"{each[:120]}…" for each in lines).strip("\n")
    return f"\n~~~text\n{shown}\n~~~\n"
