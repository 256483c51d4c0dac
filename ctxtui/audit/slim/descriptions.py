"""Descriptions that an agent cuts anyway, cut in the file, so that other agents do not pay for the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ctxtui.agents import AgentContext
from ctxtui.agents.costs import Charge
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.phrases import names
from ctxtui.audit.slim.change import Draft
from ctxtui.audit.types import Edit
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.yaml import MappingNode, ScalarNode, compose_yaml
from ctxtui.core.text.markdown.document import Document

_KEY = "description"


def descriptions(audited: Audited) -> Iterator[Draft]:
    """A change for every description that is longer than what an agent shows of each one."""
    met: dict[str, dict[int, list[AgentContext]]] = {}
    for context in audited.real_agents:
        for charge in (each for each in context.charges if not each.home):
            most = _cut_at(charge)
            if most:
                met.setdefault(audited.real(charge.path), {}).setdefault(most, []).append(context)
    for path, limits in met.items():
        reference = audited.workspace.by_path.get(path)
        document = audited.document(reference) if reference else None
        # The largest limit: every agent that cuts shows the same as before.
        most = max(limits)
        edit = _shorter(document, most) if document else None
        if edit is not None:
            cutting = names(limits[most])
            lost = f"Agents that show more than {most:,} characters of it no longer do; {cutting} never did."
            title = f"Cut the description of {path} at {most:,} characters"
            yield Draft("describe", path, title, (edit,), lost)


def _cut_at(charge: Charge) -> int:
    """The characters that an agent shows of a description that it cuts for its length alone; 0 if it does not."""
    entry = charge.entry
    if entry is None or entry.limit is None or entry.limit.of != _KEY or not entry.lost:
        return 0
    return len(entry.description) - len(entry.lost)


def _shorter(document: Document, most: int) -> Edit | None:
    """The edit that keeps the first characters of the description; None if it is not found in the frontmatter."""
    frontmatter = document.frontmatter
    raw = document.text[frontmatter.start : frontmatter.end] if frontmatter else ""
    try:
        node = compose_yaml(raw)
    except DataProblem:
        return None
    pairs = node.value if frontmatter and isinstance(node, MappingNode) else ()
    value = next((value for key, value in pairs if key.value == _KEY and isinstance(value, ScalarNode)), None)
    if frontmatter is None or value is None or len(value.value.strip()) <= most:
        return None
    start, end = value.start_mark.index, value.end_mark.index
    # A value in lines of its own ends behind its last line end.
    gap = raw[len(raw[:end].rstrip()) : end]
    text = f"{json.dumps(value.value.strip()[:most].rstrip(), ensure_ascii=False)}{gap}"
    return Edit(document.path, frontmatter.start + start, frontmatter.start + end, text, document.digest)
