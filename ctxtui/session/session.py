"""The session: the immutable value from which everything shown and exported is computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.target import OUTLINE, Target
from ctxtui.core.base.wording import plural
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.payload.types import Over, Payload, Position, Prompt, Tree
from ctxtui.core.text.data.schema import Place
from ctxtui.core.text.markdown.scan import has_markdown_text
from ctxtui.core.text.markdown.task_filter import TASK_FILTERS
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.secrets import Secrets, strictest
from ctxtui.core.tokens.arguments import a_number, a_text, shown, texts
from ctxtui.session.assembly.assemble import assemble, check_format
from ctxtui.session.assembly.templates import TemplateName
from ctxtui.session.budget import UNCHANGED, Budget, Unchanged
from ctxtui.session.glob_picks import check_patterns
from ctxtui.session.outlines import outline_tokens
from ctxtui.session.pick_state import (
    canonical,
    mark_rows,
    mark_target,
    outline_target,
    pick_in_order,
    pick_state,
    target_in,
)
from ctxtui.session.picks import QUERY, AnyPick, GlobPick, Pick, PickState, QueryPick, SnippetPick
from ctxtui.session.queries.answers import Answer, definition_of, without_block
from ctxtui.session.selection import Selection
from ctxtui.workspace.counting import uncounted
from ctxtui.workspace.resolve import lines_meant, require_lines
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """A workspace snapshot with a selection and a budget. Every method returns a new session.

    `answers` are the results of its queries, by definition. Queries without an answer are missing in a payload.
    Secrets are handled at least as strictly as `at_least`, even if a recipe is laxer.
    """

    workspace: Workspace
    selection: Selection = field(default_factory=Selection)
    answers: Mapping[str, Answer] = field(default_factory=dict)
    at_least: Secrets = "keep"

    def __repr__(self) -> str:
        # Textual logs the repr of a worker's arguments, which would be megabytes for thousands of picks.
        return f"Session({str(self.workspace.root)!r}, {plural(len(self.picks), 'pick')})"

    @property
    def picks(self) -> tuple[AnyPick, ...]:
        return self.selection.picks

    @property
    def budget(self) -> Budget:
        return self.selection.budget

    @property
    def secrets(self) -> Secrets:
        return strictest(self.selection.secrets, self.at_least)

    def _with(self, **changes: object) -> Session:
        return replace(self, selection=replace(self.selection, **changes))  # type: ignore[arg-type]

    def pick(self, id: str, sections: Sequence[str] | None = None) -> Session:  # noqa: A002
        """Pick a document, a section (`id#slug`), lines (`id#L10-L20`) or everything below a folder.

        `sections` are names or slugs, or a single one. Without them a document is picked whole, without frontmatter.
        Raises NotFound if it does not exist, ContextError if it cannot be read, TypeError for values of the wrong
        type, like all methods here.
        """
        return self._marked(id, sections, True)

    def drop(self, id: str, sections: Sequence[str] | None = None) -> Session:  # noqa: A002
        """Drop a document, a section with all nested ones, lines, everything below a folder, or a block of a query.

        The other lines of a section stay picked, as lines. A git query leaves out the changed file of such a block.
        Any other query is dropped whole.
        """
        rest = without_block(self.selection, self.answers, a_text(id, "id")) if sections is None else None
        if rest is None:
            return self._marked(id, sections, False)
        query, answer = rest
        answered = replace(self, answers={**self.answers, query.definition: answer})
        return answered.with_selection(self.selection.with_pick(query))

    def _target(self, id_: str) -> Target:
        return target_in(self.workspace, self.selection, a_text(id_, "id"))

    def _pick_id(self, id_: str) -> str:
        """The id of the pick that an id means: that of the lines, else of the section's document.

        The pick need not exist. Raises ContextError (invalid_request) for lines that a document does not have.
        """
        target = self._target(id_)
        lines = lines_meant(self.workspace, target)
        return SnippetPick.of(target.document, *lines).id if lines else target.document

    def _marked(self, id_: str, sections: Sequence[str] | None, wanted: bool) -> Session:
        target = self._target(id_)
        names = None if sections is None else texts(sections, "sections")
        return self.with_selection(mark_target(self.workspace, self.selection, target, names, wanted))

    def pick_in_order(self, ids: Sequence[str]) -> Session:
        """Pick rows in the order of `ids`. Raises as `pick` does."""
        return self.with_selection(pick_in_order(self.workspace, self.selection, texts(ids, "ids")))

    def mark_rows(self, ids: Sequence[str], wanted: bool) -> Session:
        """Pick or drop many rows at once: folders, documents and parts. Unknown documents and folders are ignored.

        Raises as `pick` does for parts.
        """
        return self.with_selection(mark_rows(self.workspace, self.selection, texts(ids, "ids"), wanted))

    def toggle(self, id: str) -> Session:  # noqa: A002
        """Pick a row, or drop it if it is wholly picked."""
        return self.drop(id) if self.state(id) == "all" else self.pick(id)

    def state(self, id: str) -> PickState:  # noqa: A002
        """How much of a row is picked, `none` for an unknown id. Raises ContextError if it cannot be read."""
        return pick_state(self.workspace, self.selection, self._target(id))

    def with_tasks(self, id: str, tasks: str | None) -> Session:  # noqa: A002
        """Narrow a document to some of its tasks, by a name of `TASK_FILTERS`, picking it if necessary.

        None takes the whole text again. Raises ContextError (invalid_request) for an unknown name and for a document
        without tasks.
        """
        target = self._target(id)
        if lines_meant(self.workspace, target):
            raise invalid(f"tasks of lines: {id}", hint="narrow the document or a section")
        reference = self.workspace.require(target.document)
        if tasks is not None and tasks not in TASK_FILTERS:
            raise invalid(f"unknown filter {tasks}", hint=f"one of {', '.join(TASK_FILTERS)}")
        if tasks is not None and not self.workspace.document(reference).tasks:
            raise invalid(f"{reference.path} has no tasks", hint="tasks are `- [ ]` lines")
        pick = self.selection.document_pick(reference.id) or Pick(reference.id, True, (), reference.protected)
        return self.with_selection(self.selection.with_pick(replace(pick, tasks=tasks, of=None)))

    def outline(self, id: str, outlined: bool = True) -> Session:  # noqa: A002
        """Pick the outline of a code file, or of all code below a folder, or the whole text again.

        Sections picked by themselves stay whole. Raises ContextError (invalid_request) if nothing has an outline.
        """
        return self.with_selection(outline_target(self.workspace, self.selection, self._target(id), outlined))

    def with_query(self, name: str, data: Mapping[str, Any]) -> Session:
        """Pick a query: `entries` (a filter of entries) or `context` (a tree of providers).

        Replaces a query of the same name in place. Raises ContextError (invalid_request) naming the invalid key.
        `Workspace.resolve` computes it.
        """
        if not a_text(name, "name").strip():
            raise invalid("a query needs a name")
        from ctxtui.session.queries.questions import read_question  # noqa: PLC0415 - few selections have queries

        read_question(Place.named(name), data)
        pick = QueryPick(f"{QUERY}{name.strip()}", definition_of(data))
        return self.with_selection(self.selection.with_pick(pick))

    def with_snippet(self, id: str, first: int, last: int) -> Session:  # noqa: A002
        """Pick lines of a document, from 1, the last included. Raises NotFound, ContextError for missing lines."""
        a_number(first, "first", least=None)
        a_number(last, "last", least=None)
        reference = self.workspace.require(a_text(id, "id"))
        require_lines(self.workspace.document(reference), id, first, last)
        return self.with_selection(self.selection.with_pick(SnippetPick.of(reference.id, first, last)))

    def with_glob(self, pattern: str, without: Sequence[str] = ()) -> Session:
        """Pick the matches of a pattern in this and every later snapshot, except the matches of `without`.

        Paths begin at the root. Raises ContextError (invalid_request) if a pattern is invalid or too large.
        """
        given = (a_text(pattern, "pattern"), *texts(without, "without"))
        check_patterns(given)
        return self.with_selection(self.selection.with_pick(GlobPick.of(pattern, given[1:])))

    @property
    def unanswered(self) -> tuple[QueryPick, ...]:
        """The picked queries that are not computed yet."""
        return tuple(query for query in self.selection.queries if query.definition not in self.answers)

    def pin(self, id: str, pinned: bool = True) -> Session:  # noqa: A002
        """Pin or unpin a document, lines, a query, or everything below a folder, picking what is not picked.

        A section stands for its document. Raises as `pick` does.
        """
        owner = self._pick_id(id)
        node = self.workspace.find(owner)
        folder = node if node and node.kind == "folder" else None
        needed = {each.id for each in folder.documents_to_pick()} if folder else {owner}
        session = self if needed <= {pick.id for pick in self.picks} else self.pick(id)
        inside = {each.id for each in folder.documents()} if folder else needed
        picks = tuple(_pinned(pick, pinned) if pick.id in inside else pick for pick in session.picks)
        return session.with_selection(replace(session.selection, picks=picks))

    def move(self, id: str, offset: int) -> Session:  # noqa: A002
        """Move a pick by `offset` places, at most to an end. A document of a pattern moves with the whole pattern.

        Returns this session for an id that is not picked.
        """
        owner = self._pick_id(id)
        a_number(offset, "offset", least=None)
        document = self.selection.document_pick(owner)
        if document is not None and document.of is not None:
            owner = document.of
        picks = list(self.selection.written.picks)
        index = next((place for place, pick in enumerate(picks) if pick.id == owner), None)
        if index is None:
            return self
        pick = picks.pop(index)
        picks.insert(max(0, min(len(picks), index + offset)), pick)
        return self.with_selection(replace(self.selection, picks=tuple(picks)))

    def with_prompt(self, text: str | None, position: Position | None = None) -> Session:
        """Set the prompt block and its position, by default the present one. None or a blank text removes it.

        Raises ValueError for an unknown position.
        """
        if position is not None and position not in get_args(Position):
            raise ValueError(f"position should be one of {', '.join(get_args(Position))}, not {shown(position)}")
        if text is None or not a_text(text, "text").strip():
            return self._with(prompt=None)
        old = self.selection.prompt
        return self._with(prompt=Prompt(text, position or (old.position if old else "last")))

    def with_budget(
        self,
        limit: int | str | Unchanged | None = UNCHANGED,
        *,
        tokenizer: str | Unchanged = UNCHANGED,
        model: str | Unchanged | None = UNCHANGED,
        reserve: int | str | Unchanged = UNCHANGED,
    ) -> Session:
        """Change the limit (tokens, `12k`, None for none), the tokenizer, the model or its reserve.

        A tokenizer replaces a model and vice versa. Raises ContextError (invalid_request) for unknown names and
        unreadable or negative numbers.
        """
        budget = self.budget.with_budget(limit, tokenizer=tokenizer, model=model, reserve=reserve)
        return self._with(budget=budget)

    def with_output(
        self,
        format: str | None = None,  # noqa: A002
        over: Over | None = None,
        secrets: Secrets | None = None,
    ) -> Session:
        """Set the format, which removes a template, and the policies for the limit and for secrets. None keeps each.

        After `secrets`, a later selection may handle secrets more strictly, not less. Raises ContextError
        (invalid_request) for an unknown name.
        """
        if format is not None:
            check_format(format)
        for name, value, known in (("over", over, get_args(Over)), ("secrets", secrets, get_args(Secrets))):
            if value is not None and value not in known:
                raise invalid(f"{name} cannot be {shown(value)}", hint=f"one of {', '.join(known)}")
        old = self.selection
        template = old.template if format is None else None
        chosen = {"format": format or old.format, "over": over or old.over, "secrets": secrets or old.secrets}
        return replace(self._with(**chosen, template=template), at_least=secrets or self.at_least)

    def with_template(self, template: TemplateName | None) -> Session:
        """Use a template instead of the format, or with None the format again. Reads no file: `payload` does."""
        return self._with(template=template)

    def with_tree(self, tree: Tree | None) -> Session:
        """Put a tree of the `picked` files, or of `all` files, before the documents. None removes it.

        Raises ValueError for any other value.
        """
        if tree not in (None, *get_args(Tree)):
            raise ValueError(f"tree should be one of {', '.join(get_args(Tree))}, not {shown(tree)}")
        return self._with(tree=tree)

    def with_selection(self, selection: Selection) -> Session:
        """The session with another selection: links replaced by their targets, patterns expanded."""
        return replace(self, selection=canonical(self.workspace, selection))

    def on(self, workspace: Workspace) -> Session:
        """The same selection on another snapshot. Picks that do not exist there stay, as missing."""
        return replace(self, workspace=workspace, selection=canonical(workspace, self.selection))

    async def answered(self, queries: Sequence[QueryPick] | None = None) -> Session:
        """The session with `queries` computed, by default all. Failures are notices in the answers."""
        from ctxtui.session.queries.questions import answer  # noqa: PLC0415 - few selections have queries

        wanted = self.selection.queries if queries is None else queries
        answers = dict(self.answers)
        for query in wanted:
            try:
                result = await answer(self.workspace, query.definition, query.name, self.budget.counter)
            except ContextError as error:
                hint = f"; {error.hint}" if error.hint else ""
                notice = Notice("query-failed", f"{query.name}: {error.message}{hint}")
                result = Answer((), "", (notice,), error=error)
            answers[query.definition] = result
        return replace(self, answers=answers)

    def payload(
        self,
        format: str | None = None,  # noqa: A002
        over: Over | None = None,
        check: Check = go_on,
    ) -> Payload:
        """The payload as text, exactly `Payload.tokens` long. Raises OverBudget if `over` is `fail`.

        `check` is called for every pick and may raise to stop.
        """
        return self._assembled(format, over, True, check)

    def layout(
        self,
        format: str | None = None,  # noqa: A002
        over: Over | None = None,
        check: Check = go_on,
    ) -> Payload:
        """The payload's numbers without its text, as the meter shows them. `check` as for `payload`."""
        return self._assembled(format, over, False, check)

    def _assembled(self, format_: str | None, over: Over | None, with_text: bool, check: Check) -> Payload:
        template = self.selection.template if format_ is None else None
        selection = replace(self.selection, template=template, secrets=self.secrets)
        form = FORMATS[check_format(format_ or selection.format)]
        return assemble(self.workspace, selection, self.answers, form, over, with_text, check)

    def tokens(self, id: str) -> int | None:  # noqa: A002
        """The tokens of the body, outline, lines or part (with nested parts) of an id.

        None if the document or part does not exist, cannot be read or has no outline.
        """
        owner, slug = self._target(id)
        reference, counter, reader = self.workspace.by_id.get(owner), self.budget.counter, self.workspace.reader
        if reference is None:
            return None
        try:
            if not slug and not has_markdown_text(reference.path):
                return self.workspace.tokens(reference, counter)
            document = self.workspace.document(reference)
            if not slug:
                return self.workspace.tokens(reference, counter) - reader.front_tokens(document, counter)
            if slug == OUTLINE:
                return outline_tokens(document, counter, reader.cache)
            lines = lines_meant(self.workspace, Target(owner, slug))
            if lines:
                return reader.count(document.lines.text(document.text, *lines), counter)
            return self.workspace.part_tokens(reference, slug, counter)
        except ContextError:
            return None

    def uncounted(self, references: Iterable[Reference]) -> list[Reference]:
        """The large data among documents that is not counted yet with the budget's counter."""
        return uncounted(self.workspace, references, self.budget.counter)

    def cost(self, id: str, check: Check = go_on) -> int:  # noqa: A002
        """The tokens that picking a row would add to the payload before budgeting, wrapping included.

        With a template, the tokens of the format, since the template's are known only after rendering.
        """
        return sum(self.cost_parts(id, check))

    def cost_parts(self, id: str, check: Check = go_on) -> tuple[int, int]:  # noqa: A002
        """The tokens that picking a row would add, as two numbers: those of its text, and those of the wrapping."""
        free = self._with(budget=replace(self.budget, limit=None, window=None), template=None)
        after, before = free.pick(id).layout(check=check), free.layout(check=check)
        text = after.text_tokens - before.text_tokens
        return text, after.tokens - before.tokens - text


def resolved(session: Session) -> Session:
    """The session with its queries computed that are not yet. Never call it inside an event loop: it runs its own."""
    if not session.unanswered:
        return session
    import asyncio  # noqa: PLC0415 - few selections have queries

    return asyncio.run(session.answered(session.unanswered))


def _pinned(pick: AnyPick, pinned: bool) -> AnyPick:
    return replace(pick, pinned=pinned, of=None) if isinstance(pick, Pick) else replace(pick, pinned=pinned)
