"""Assembly: drafts become blocks, and blocks become a payload within a token budget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import OverBudget
from ctxtui.core.base.lru import Memo
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.wording import plural
from ctxtui.core.payload.formats import Format, Label
from ctxtui.core.payload.types import PROMPT_ID, Block, Draft, Over, Payload, Prompt, State
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import Sizer, Span, join, span

if TYPE_CHECKING:
    from ctxtui.core.payload.ladder import Ladder

_SECOND_LOOKS = 8
# Each change of the selection or the budget cuts the same texts again.
_ladders: Memo[str, Ladder] = Memo(16 * 1024 * 1024, lambda ladder: ladder.weight)


# The pieces of a block: header, body and footer.
_Text = tuple[str, ...]


class _Cell(NamedTuple):
    """A draft, whole or cut to `body`: the units of its text and its block, now and before budgeting (`wanted`)."""

    draft: Draft
    state: State
    text_units: int
    units: int
    wanted: int
    wanted_text: int
    body: str | None = None


def too_large(size: int, limit: int) -> OverBudget:
    hint = "cut shortens documents, fit leaves whole ones out, or raise the budget"
    tokens = plural(size, "token exceeds", "tokens exceed")
    return OverBudget(f"{tokens} the limit of {limit:,} by {size - limit:,}", hint=hint)


class Assembler:
    """Assembles drafts in one format, for one counter and a limit in tokens, None for no limit.

    `check` may raise to cancel the work.
    """

    def __init__(
        self, counter: TokenCounter, form: Format, limit: int | None, prompt: Prompt | None, check: Check = go_on
    ) -> None:
        self._counter = counter
        self._format = form
        self._limit = limit
        self._check = check
        self._prompts = _prompts(form, prompt)
        self._prompt_units = {text: counter.units(text) for text in self._prompts if text}

    def assemble(self, drafts: Sequence[Draft], over: Over = "cut", with_text: bool = True) -> Payload:
        """The payload of the drafts in the given order.

        Over the limit, `cut` shortens documents step by step, lowest priority first, `fit` leaves out whole documents
        and sections, and `fail` raises OverBudget. A notice tells if even the rest is over the limit. Without
        `with_text`, the payload has only its numbers, and `fail` does not raise.
        """
        cells = [self._whole_cell(draft, index) for index, draft in enumerate(drafts, 1)]
        wanted = self._total(cells)
        notices: tuple[Notice, ...] = ()
        if self._is_over(wanted):
            if over == "fail" and with_text:
                raise too_large(self._counter.upper(wanted), self._limit or 0)
            if over != "fail":
                cells = self._fit(cells) if over == "fit" else self._cut(cells)
            units = self._total(cells)
            if self._is_over(units):
                size = f"{self._counter.upper(units):,} of {plural(self._limit or 0, 'token')}"
                message = f"prompt, pinned picks and header lines alone take {size}"
                notices = (Notice("over-budget", message),)
        return self._payload(cells, wanted, notices, with_text)

    def _is_over(self, units: int) -> bool:
        return self._limit is not None and self._counter.upper(units) > self._limit

    def _total(self, cells: Sequence[_Cell]) -> int:
        units = sum(cell.units for cell in cells)
        return units + self._frame_units(any(cell.state != "dropped" for cell in cells))

    def _frame_units(self, documents: bool) -> int:
        """The units of prompts and of the strings around them and the `documents`, 0 for an empty payload."""
        prompts = sum(self._prompt_units[text] for text in self._prompts if text)
        if not documents and not prompts:
            return 0
        form = self._format
        strings = (form.start, form.documents_open, form.documents_close, form.end)
        return prompts + sum(self._counter.units(text) for text in strings if text)

    def _whole_cell(self, draft: Draft, index: int) -> _Cell:
        """A draft as the block at position `index`, from 1. Its sizes are kept in `draft.measured`."""
        self._check()
        key = measured_at(self._format, self._counter, index)
        sizes = draft.measured.get(key)
        if sizes is None:
            sizes = draft.measured[key] = self._measure(draft, index, draft.size, None)
        units, text_units = sizes
        return _Cell(draft, "whole", text_units, units, units, draft.size.units)

    def _measure(self, draft: Draft, index: int, size: Span, body: str | None) -> tuple[int, int]:
        text = draft.body if body is None else lambda: body
        return measure(self._format, self._counter, draft.label, index, size, text, draft.fences)

    def _cut(self, cells: list[_Cell]) -> list[_Cell]:
        """Shorten `cells` until all fit, lowest priority first: in one round to outlines, in another to headers."""
        total = self._total(cells)
        # Among equals, later picks come first.
        order = sorted(range(len(cells)), key=lambda position: (-cells[position].draft.priority, -position))
        for position, is_outlined in [*zip(order, repeat(True)), *zip(order, repeat(False))]:
            if not self._is_over(total):
                break
            cell = cells[position]
            if cell.draft.kept:
                continue
            others = total - cell.units
            room = self._counter.within(self._limit or 0) - others
            reduced = self._cut_cell(cell, position + 1, room, is_outlined)
            if reduced.units < cell.units:
                cells[position] = reduced
                total = others + reduced.units
        return cells

    def _cut_cell(self, cell: _Cell, index: int, room: int, is_outlined: bool) -> _Cell:
        """The cell cut to `room` units. With `is_outlined` it keeps its outline, whatever the room."""
        # Most payloads are within their budget.
        from ctxtui.core.payload.code_ladder import code_outline, cut_symbols  # noqa: PLC0415
        from ctxtui.core.payload.ladder import MARK, Ladder  # noqa: PLC0415

        sizer = Sizer(self._counter)

        def reduced(body: str) -> _Cell:
            text = span(self._counter, body, sizer.units(body))
            units, text_units = self._measure(cell.draft, index, text, body)
            state: State = "header" if body == MARK else "cut"
            return cell._replace(state=state, text_units=text_units, units=units, body=body)

        def size(body: str) -> int:
            self._check()
            return reduced(body).units

        body, label = cell.draft.body(), cell.draft.label
        ladder = _ladders.get(body, lambda: Ladder(body)) if label.markdown else None
        # A text with an explicit language, such as a diff, is not in the language of its source file.
        path = label.source if label.language is None else ""
        outline = ladder.outline if ladder else code_outline(path, body)
        if is_outlined and outline != MARK:
            room = max(room, size(outline))
        return reduced(ladder.cut(size, room) if ladder else cut_symbols(path, body, size, room))

    def _fit(self, cells: list[_Cell]) -> list[_Cell]:
        """Fill the budget with the prompt and pinned drafts, then by priority and in the order of the picks.

        Of a document without room, its first sections are taken as far as they fit. `cells` are changed.
        """
        total = self._frame_units(True) + sum(cell.units for cell in cells if cell.draft.kept)
        chosen = {position for position, cell in enumerate(cells) if cell.draft.kept}
        refused = []
        for position in sorted(range(len(cells)), key=lambda position: (cells[position].draft.priority, position)):
            if position in chosen:
                continue
            if self._is_over(total + cells[position].units):
                cells[position] = self._narrowed(cells[position], position + 1, total)
            if self._is_over(total + cells[position].units):
                refused.append(position)
            else:
                chosen.add(position)
                total += cells[position].units
        # The first JSON block needs no comma and low indexes are shorter, so a near miss may still fit.
        for position in refused[:_SECOND_LOOKS]:
            if not self._is_over(self._total(self._with_chosen(cells, chosen | {position}))):
                chosen.add(position)
        return self._with_chosen(cells, chosen)

    def _narrowed(self, cell: _Cell, index: int, total: int) -> _Cell:
        """The block at position `index` with all first sections that fit beside `total` units, whole if none fits."""
        from ctxtui.core.payload.cuts import largest_fitting  # noqa: PLC0415 - as above

        def narrowed(count: int) -> _Cell:
            draft = cell.draft.narrower(count)
            if draft is None:
                return cell
            return self._whole_cell(draft, index)._replace(
                state="cut", wanted=cell.wanted, wanted_text=cell.wanted_text
            )

        count = largest_fitting(
            lambda count: not self._is_over(total + narrowed(count).units), cell.draft.sections - 1
        )
        return narrowed(count) if count else cell

    def _with_chosen(self, cells: list[_Cell], chosen: Collection[int]) -> list[_Cell]:
        """The cells: those at the positions `chosen` with new indexes in the payload, the others as dropped."""
        result = []
        index = 1
        for position, cell in enumerate(cells):
            if position in chosen:
                moved = self._whole_cell(cell.draft, index)
                result.append(cell._replace(units=moved.units, text_units=moved.text_units))
                index += 1
            else:
                result.append(cell._replace(state="dropped", units=0, text_units=0))
        return result

    def _payload(self, cells: list[_Cell], wanted: int, notices: tuple[Notice, ...], with_text: bool) -> Payload:
        counter, form = self._counter, self._format
        texts: list[_Text] = self._texts(cells) if with_text else [()] * len(cells)
        blocks = [_block(counter, cell, text) for cell, text in zip(cells, texts, strict=True)]
        first, last = self._prompts
        if first:
            blocks.insert(0, self._prompt_block(first))
        if last:
            blocks.append(self._prompt_block(last))
        documents = any(cell.state != "dropped" for cell in cells)
        pieces: tuple[str, ...] = ()
        if with_text and (documents or first or last):
            inner = (first, form.documents_open, *chain.from_iterable(texts), form.documents_close, last)
            pieces = tuple(filter(None, (form.start, *inner, form.end)))
        units = self._total(cells)
        text_units = sum(cell.text_units for cell in cells)
        text_units += sum(self._prompt_units[prompt] for prompt in self._prompts if prompt)
        return Payload(
            pieces=pieces,
            tokens=counter.total(units),
            wanted=counter.total(wanted),
            upper=counter.upper(units),
            text_tokens=min(counter.total(text_units), counter.total(units)),
            units=units,
            blocks=tuple(blocks),
            truncated=tuple(cell.draft.id for cell in cells if cell.state in ("cut", "header")),
            omitted=tuple(cell.draft.id for cell in cells if cell.state == "dropped"),
            notices=(*notices, *self._forgeries(cells, texts)),
            secrets=sum(cell.draft.secrets for cell in cells if cell.state in ("whole", "cut")),
        )

    def _texts(self, cells: list[_Cell]) -> list[_Text]:
        """Header, body and footer of each cell, none of a dropped cell. In pieces, large bodies are not copied."""
        texts: list[_Text] = []
        wrap, escape = self._format.wrap, self._format.escape or _ending_line
        index = 1
        for cell in cells:
            if cell.state == "dropped":
                texts.append(())
                continue
            body = cell.draft.body() if cell.body is None else cell.body
            before, after = wrap(cell.draft.label, index, body)
            texts.append((before, escape(body), after))
            index += 1
        return texts

    def _forgeries(self, cells: list[_Cell], texts: list[_Text]) -> list[Notice]:
        """A notice for each text that contains the mark with which the format closes a document."""
        mark = self._format.closing_mark
        if mark is None:
            return []
        message = f"the text contains `{mark}`; a reader could mistake the text after it for another document"
        return [
            Notice("wrapper-in-text", message, cell.draft.label.source)
            for cell, text in zip(cells, texts, strict=True)
            # Pieces end with a line, so no mark spans two of them.
            if sum(piece.count(mark) for piece in text) > 1
        ]

    def _prompt_block(self, text: str) -> Block:
        tokens = self._counter.total(self._prompt_units[text])
        return Block(PROMPT_ID, "prompt", tokens, tokens, tokens, tokens, pinned=True, pieces=(text,))


def measured_at(form: Format, counter: TokenCounter, index: int) -> object:
    """The key in `Draft.measured` for a position, from 1. Positions with equal wrapping share a key."""
    return form.name, counter.key, form.place(index)


def measure(
    form: Format, counter: TokenCounter, label: Label, index: int, size: Span, body: Callable[[], str], fences: bool
) -> tuple[int, int]:
    """The units of a block, and of its text, whose span is `size`. `index` is the position of the block, from 1.

    `body` returns the text. It is called only if the format escapes texts, or for code with `fences`.
    """
    if form.escape is not None:
        escaped = form.escape(body())
        before, after = form.wrap(label, index, "")
        units = counter.units(before + escaped + after)
        return units, units - counter.units(before.rstrip() + '""' + after)
    before, after = form.wrap(label, index, "" if label.markdown or not fences else body())
    text = size if size.ends_line() else join(counter, size, Span(counter.units("\n"), "\n", "\n"))
    wrapped = join(counter, join(counter, _wrapper(counter, before), text), _wrapper(counter, after))
    return wrapped.units, text.units


@lru_cache(maxsize=65_536)
def _wrapper(counter: TokenCounter, text: str) -> Span:
    """The span of a header or footer, cached because most recur after every change."""
    return span(counter, text)


def _ending_line(body: str) -> str:
    return body if not body or body.endswith("\n") else body + "\n"


def _prompts(form: Format, prompt: Prompt | None) -> tuple[str, str]:
    """The prompt blocks before and after the documents, each empty without one."""
    if prompt is None or not prompt.text.strip():
        return "", ""
    first = form.prompt(prompt.text, False) if prompt.position in ("first", "both") else ""
    make_last = form.prompt_last or form.prompt
    last = make_last(prompt.text, bool(first)) if prompt.position in ("last", "both") else ""
    return first, last


def _block(counter: TokenCounter, cell: _Cell, text: _Text) -> Block:
    draft = cell.draft
    return Block(
        draft.id,
        draft.label.source,
        counter.total(cell.units),
        counter.total(cell.text_units),
        counter.total(cell.wanted),
        counter.total(cell.wanted_text),
        cell.state,
        draft.kept,
        draft.secrets if cell.state in ("whole", "cut") else 0,
        text,
    )
