"""Payloads from templates: rendered, counted whole, and cut until the whole fits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import unescape
from pathlib import PurePosixPath
from typing import Any, Final

from ctxtui.core.base.cancel import Check
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural, some
from ctxtui.core.payload.assembly import Assembler, too_large
from ctxtui.core.payload.formats import BARE, Label
from ctxtui.core.payload.template_render import Template, render
from ctxtui.core.payload.types import PROMPT_ID, Block, Draft, Over, Payload, Prompt
from ctxtui.core.text.secrets import guarded, redact
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.whole import count_whole
from ctxtui.session.assembly.templates import load_template
from ctxtui.session.assembly.tree_block import full_tree, picked_tree
from ctxtui.session.selection import Selection
from ctxtui.workspace.workspace import Workspace

# Renderings per payload at most.
_TRIES: Final = 8
# Less room than this fraction of the limit is worth no other rendering.
_CLOSE: Final = 200
_NAMED: Final = 5


@dataclass(frozen=True)
class Templated:
    """The input of a selection's template. Without `with_text`, only the numbers are wanted."""

    workspace: Workspace
    selection: Selection
    counter: TokenCounter
    drafts: Sequence[Draft]
    prompt: Prompt | None
    with_text: bool
    check: Check

    def payload(self, over: Over) -> tuple[Payload, tuple[Notice, ...]]:
        """The payload, with a notice if it exceeds the limit, and notices about secrets in the template.

        Renders up to nine times to fit. Raises as `render` and `load_template` do, and OverBudget if `over` is `fail`
        and the text is wanted.
        """
        _, hidden = self._template
        limit = self.selection.budget.effective
        payload, added = self._rendered(None, "cut")
        if limit is not None and payload.upper > limit:
            if over == "fail" and self.with_text:
                raise too_large(payload.upper, limit)
            if over != "fail":
                payload = replace(self._fitted(payload, limit - added, limit, over), wanted=payload.wanted)
            if payload.upper > limit:
                message = f"what the template makes of the rest takes {payload.upper:,} of {plural(limit, 'token')}"
                payload = replace(payload, notices=(*payload.notices, Notice("over-budget", message)))
        return (payload if self.with_text else replace(payload, pieces=())), hidden

    @cached_property
    def _template(self) -> tuple[Template, tuple[Notice, ...]]:
        """The selection's template with its secrets handled, and notices about them."""
        which = self.selection.template
        assert which is not None
        template = load_template(self.workspace.reader.root, which)
        place = f"the template {plain_line(template.name)}"
        text, hidden = guarded(template.text, place, self.selection.secrets, has_lines=False)
        return replace(template, text=text), hidden

    def _fitted(self, found: Payload, room: int, limit: int, over: Over) -> Payload:
        """The largest of the tried payloads within the limit, else the smallest. `found` is the uncut one.

        The template's own tokens are known only after rendering: texts get less room until the whole fits, and more
        if omitted blocks took some of the template's tokens with them.
        """
        best: Payload | None = None
        fitting = 0
        for _ in range(_TRIES):
            last = found
            found, added = self._rendered(room, over)
            if found.upper <= limit:
                best = found if best is None or found.units > best.units else best
                more = limit - added
                if more - room <= limit // _CLOSE:
                    break
                fitting, room = room, more
            else:
                room -= found.upper - limit
                if room <= fitting if best is not None else found.units == last.units and room <= 0:
                    break
        return best or found

    def _rendered(self, room: int | None, over: Over) -> tuple[Payload, int]:
        """A payload with `room` tokens for its texts, and the tokens that the template adds to them.

        Blocks whose text the template does not show have 0 tokens, and a notice names them.
        """
        bare = Assembler(self.counter, BARE, room, None, self.check).assemble(self.drafts, over)
        text = render(self._template[0], {**self._variables, "blocks": list(self._block_data(bare))}, self.check)
        shown = _Shown(text)
        blocks, hidden = list(bare.blocks), []
        for place, block in enumerate(blocks):
            self.check()
            if block.state != "dropped" and not shown.has(block.text):
                hidden.append(block.source)
                blocks[place] = replace(block, tokens=0, text_tokens=0)
        if self.prompt is not None:
            prompt = self._prompt_block(self.prompt, shown)
            hidden += [] if prompt.tokens else ["the prompt"]
            blocks.insert(0 if self.prompt.position != "last" else len(blocks), prompt)
        units = self.counter.units(text)
        tokens = self.counter.total(units)
        ledger = self.workspace.reader.ledger
        whole = None if self.counter.exact or not self.with_text else count_whole(text, self.counter, ledger)
        payload = replace(
            bare,
            pieces=(text,) if text else (),
            tokens=tokens,
            wanted=tokens,
            upper=self.counter.upper(units) if whole is None or whole.label == "estimated" else whole.tokens,
            text_tokens=min(tokens, sum(block.text_tokens for block in blocks)),
            units=units,
            blocks=tuple(blocks),
            notices=self._left_out(hidden),
            whole=whole,
        )
        return payload, payload.upper - bare.upper

    def _prompt_block(self, prompt: Prompt, shown: _Shown) -> Block:
        tokens = self.counter.count(prompt.text)
        used = tokens if shown.has(prompt.text) else 0
        return Block(PROMPT_ID, "prompt", used, used, tokens, tokens, pinned=True, pieces=(prompt.text,))

    def _left_out(self, hidden: Sequence[str]) -> tuple[Notice, ...]:
        if not hidden:
            return ()
        names = some(list(map(plain_line, hidden)), _NAMED)
        name = plain_line(self._template[0].name)
        return (Notice("left-out-by-template", f"the template {name} does not show the text of {names}"),)

    @cached_property
    def _variables(self) -> dict[str, Any]:
        """The template's variables that do not change when texts are cut, by name."""
        budget = self.selection.budget
        return {
            "project": redact(plain_line(self.workspace.root.name))[0] or "project",
            "prompt": self.prompt.text if self.prompt else "",
            "budget": budget.effective,
            "model": budget.model or "",
            "tokenizer": self.counter.name,
            "tree": picked_tree(self.workspace, self.drafts),
            # A hundred thousand files take a while.
            "full_tree": full_tree(self.workspace) if "full_tree" in self._template[0].text else "",
        }

    def _block_data(self, bare: Payload) -> Iterator[dict[str, Any]]:
        """The template's variables for each block that is not left out."""
        for draft, block in zip(self.drafts, bare.blocks, strict=True):
            if block.state != "dropped":
                yield {
                    "id": redact(block.id)[0],
                    "path": draft.label.source,
                    "sections": list(draft.label.sections),
                    "only": draft.label.only,
                    "language": _language(draft.label),
                    "text": block.text,
                    "tokens": block.text_tokens,
                    "state": block.state,
                    "pinned": block.pinned,
                }


def _language(label: Label) -> str:
    if label.language is not None:
        return label.language
    return "markdown" if label.markdown else PurePosixPath(label.source).suffix[1:]


class _Shown:
    """Tells which texts appear in rendered text, even if filters changed white space and special characters."""

    def __init__(self, text: str) -> None:
        whole = _packed(text)
        self._ways: list[tuple[str, Callable[[str], str]]] = [(whole, str)]
        if "&" in text:
            self._ways.append((_packed(unescape(text)), str))
        if "\\n" in text:
            self._ways.append((whole, _as_json))
        self._at = [0] * len(self._ways)

    def has(self, text: str) -> bool:
        """Whether a text appears. Fastest if asked in the order of appearance."""
        for way, (whole, change) in enumerate(self._ways):
            part = _packed(change(text))
            place = whole.find(part, self._at[way])
            if place < 0:
                place = whole.find(part)
            if place >= 0:
                self._at[way] = place + len(part)
                return True
        return False


def _packed(text: str) -> str:
    return "".join(text.split())


def _as_json(text: str) -> str:
    """A text as the filter `tojson` writes it, without its last line feed, which may have been trimmed."""
    inner = json.dumps(text.rstrip())[1:-1]
    return re.sub("[<>&']", lambda found: f"\\u{ord(found[0]):04x}", inner)
