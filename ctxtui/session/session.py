"""The session: one immutable value that everything shown and exported is a function of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from ctxtui.core.assembly import Assembler
from ctxtui.core.errors import ContextError, NotFound
from ctxtui.core.formats import FORMATS
from ctxtui.core.notices import Notice
from ctxtui.core.payload import Over, Payload, Position, Prompt
from ctxtui.core.reference import Reference
from ctxtui.core.sizes import parse_tokens
from ctxtui.core.task_filter import TASK_FILTERS
from ctxtui.session.budget import Budget
from ctxtui.session.drafts import Drafter, Drafts, Secrets, redact_prompt
from ctxtui.session.selection import Mark, Pick
from ctxtui.workspace.names import section_slug
from ctxtui.workspace.workspace import Workspace, near


class _Unchanged:
    """Stands for an argument that was not given, where None means something."""


UNCHANGED: Final = _Unchanged()


@dataclass(frozen=True)
class Selection:
    """What undo brings back: ordered picks, prompt, budget, format and how the rest is treated."""

    picks: tuple[Pick, ...] = ()
    prompt: Prompt | None = None
    budget: Budget = field(default_factory=Budget)
    format: str = "markdown"
    over: Over = "cut"
    secrets: Secrets = "redact"

    @cached_property
    def _by_id(self) -> dict[str, Pick]:
        return {pick.id: pick for pick in self.picks}

    def find(self, id_: str) -> Pick | None:
        """The pick of a document."""
        return self._by_id.get(id_)


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """A workspace snapshot with a selection and a budget. Every method gives a new one."""

    workspace: Workspace
    selection: Selection = field(default_factory=Selection)

    @property
    def picks(self) -> tuple[Pick, ...]:
        """The picks, in the order of the payload."""
        return self.selection.picks

    @property
    def budget(self) -> Budget:
        """Limit and tokenizer."""
        return self.selection.budget

    def _with(self, **changes: object) -> Session:
        return replace(self, selection=replace(self.selection, **changes))  # type: ignore[arg-type]

    def pick(self, id: str, sections: Sequence[str] | None = None) -> Session:  # noqa: A002
        """Pick a document, a section (`id#slug`) or everything below a folder.

        `sections` are names or slugs; without them a document is picked whole, without frontmatter.
        Raises NotFound for what does not exist, ContextError where it cannot be read.
        """
        return self._marked(id, sections, True)

    def drop(self, id: str, sections: Sequence[str] | None = None) -> Session:  # noqa: A002
        """Drop a document, a section with all nested ones, or everything below a folder."""
        return self._marked(id, sections, False)

    def mark_rows(self, ids: Sequence[str], wanted: bool) -> Session:
        """Pick or drop many rows at once: folders, documents and parts."""
        owners = {id_ for id_ in ids if "#" not in id_}
        references: dict[str, Reference] = {}
        for owner in owners:
            node = self.workspace.find(owner)
            references |= {each.id: each for each in node.documents()} if node else {}
        session = self._mark_documents([each for each in self.workspace.references if each.id in references], wanted)
        for id_ in ids:
            if "#" in id_ and id_.partition("#")[0] not in references:
                session = session._marked(id_, None, wanted)
        return session

    def _marked(self, id_: str, sections: Sequence[str] | None, wanted: bool) -> Session:
        owner, _, slug = id_.partition("#")
        names = ([slug] if slug else []) + list(sections or ())
        if names:
            return self._mark_parts(owner, names, wanted)
        if owner in self.workspace.by_id:
            return self._mark_documents([self.workspace.by_id[owner]], wanted)
        if not wanted and self.selection.find(owner):
            return self._with(picks=tuple(pick for pick in self.picks if pick.id != owner))
        node = self.workspace.find(owner)
        if node is None or node.kind != "folder":
            raise NotFound(f"no document {owner}", hint=near(owner, self.workspace.by_id))
        return self._mark_documents(list(node.documents()), wanted)

    def _mark_documents(self, references: Sequence[Reference], wanted: bool) -> Session:
        ids = {reference.id for reference in references}
        if not wanted:
            return self._with(picks=tuple(pick for pick in self.picks if pick.id not in ids))
        kept = {pick.id: pick for pick in self.picks}
        for reference in references:
            old = kept.get(reference.id)
            front = tuple(mark for mark in old.marks if mark == ("(frontmatter)", True)) if old else ()
            pinned = old.pinned if old else reference.protected
            kept[reference.id] = Pick(reference.id, True, front, pinned)
        return self._with(picks=tuple(kept.values()))

    def _mark_parts(self, owner: str, names: Sequence[str], wanted: bool) -> Session:
        reference = self.workspace.require(owner)
        document = self.workspace.document(reference)
        old = self.selection.find(owner)
        if old is not None and not wanted:
            lost = set(old.lost(document)) & set(names)
            if lost:
                kept = tuple(mark for mark in old.marks if mark[0] not in lost)
                names = [name for name in names if name not in lost]
                old = replace(old, marks=kept).marked(document, (), False)
                if not names:
                    return self._replaced(owner, old)
        slugs = [section_slug(self.workspace, owner, name) for name in names]
        if old is None and not wanted:
            return self
        base = old or Pick(owner, False, (), reference.protected)
        return self._replaced(owner, base.marked(document, slugs, wanted))

    def _replaced(self, owner: str, pick: Pick | None) -> Session:
        if pick is None:
            return self._with(picks=tuple(each for each in self.picks if each.id != owner))
        if self.selection.find(owner) is None:
            return self._with(picks=(*self.picks, pick))
        return self._with(picks=tuple(pick if each.id == owner else each for each in self.picks))

    def toggle(self, id: str) -> Session:  # noqa: A002
        """Pick what is not wholly picked, drop what is."""
        return self.drop(id) if self.state(id) == "all" else self.pick(id)

    def state(self, id: str) -> Mark:  # noqa: A002
        """Whether a folder, document or part is picked wholly, in part or not."""
        owner, _, slug = id.partition("#")
        reference = self.workspace.by_id.get(owner)
        if reference is None:
            node = self.workspace.find(owner)
            return self._folder_state(node.documents()) if node and node.kind == "folder" else "none"
        pick = self.selection.find(owner)
        if pick is None:
            return "none"
        if not slug and pick.is_plain:
            return "all"
        document = self.workspace.document(reference)
        if not slug:
            return pick.document_state(document)
        position = document.position(slug)
        if position is None:
            return "none"
        # Asked for every row that is drawn; a document can have thousands of parts.
        key = ("states", pick, document.path, document.digest)
        states: list[Mark] = self.workspace.reader.derived.get(key, lambda: pick.states(document))
        return states[position]

    def _folder_state(self, references: Iterable[Reference]) -> Mark:
        states = set()
        for reference in references:
            pick = self.selection.find(reference.id)
            is_whole = pick is not None and pick.whole and pick.tasks is None
            is_whole = is_whole and pick is not None and not any(not wanted for _, wanted in pick.marks)
            states.add("all" if is_whole else "none" if pick is None else "part")
        if states == {"all"}:
            return "all"
        return "none" if states <= {"none"} else "part"

    def with_tasks(self, id: str, tasks: str | None) -> Session:  # noqa: A002
        """Narrow a document to some of its tasks, by a name of `TASK_FILTERS`, picking it where it is not.

        None takes the whole text again. Raises ContextError (invalid_request) for an unknown name and for a
        document without tasks.
        """
        owner = id.partition("#")[0]
        reference = self.workspace.require(owner)
        if tasks is not None and tasks not in TASK_FILTERS:
            raise ContextError("invalid_request", f"no filter {tasks}", hint=f"one of {', '.join(TASK_FILTERS)}")
        if tasks is not None and not self.workspace.document(reference).tasks:
            raise ContextError("invalid_request", f"{reference.path} holds no tasks", hint="tasks are `- [ ]` lines")
        pick = self.selection.find(owner) or Pick(owner, True, (), reference.protected)
        return self._replaced(owner, replace(pick, tasks=tasks))

    def pin(self, id: str, pinned: bool = True) -> Session:  # noqa: A002
        """Pin a document, or all below a folder, picking what is not: it is never cut or left out."""
        owner = id.partition("#")[0]
        node = self.workspace.find(owner)
        if node is not None and node.kind == "folder":
            inside = {each.id for each in node.documents()}
            session = self if inside <= {pick.id for pick in self.picks} else self.pick(id)
            return session._with(
                picks=tuple(replace(pick, pinned=pinned) if pick.id in inside else pick for pick in session.picks)
            )
        session = self if self.selection.find(owner) else self.pick(id)
        pick = session.selection.find(owner)
        return session if pick is None else session._replaced(owner, replace(pick, pinned=pinned))

    def move(self, id: str, offset: int) -> Session:  # noqa: A002
        """Move a pick by so many places in the payload."""
        owner = id.partition("#")[0]
        picks = list(self.picks)
        index = next((place for place, pick in enumerate(picks) if pick.id == owner), None)
        if index is None:
            return self
        pick = picks.pop(index)
        picks.insert(max(0, min(len(picks), index + offset)), pick)
        return self._with(picks=tuple(picks))

    def with_prompt(self, text: str | None, position: Position | None = None) -> Session:
        """Set the prompt block and where it stands; an empty text removes it."""
        if not text or not text.strip():
            return self._with(prompt=None)
        old = self.selection.prompt
        return self._with(prompt=Prompt(text, position or (old.position if old else "last")))

    def with_budget(
        self,
        limit: int | str | _Unchanged | None = UNCHANGED,
        *,
        tokenizer: str | _Unchanged = UNCHANGED,
        model: str | _Unchanged | None = UNCHANGED,
        reserve: int | str | _Unchanged = UNCHANGED,
    ) -> Session:
        """Change the limit (tokens, `12k`, None for none), the tokenizer, the model or its reserve.

        A tokenizer takes the place of a model and the other way round. Raises ContextError
        (invalid_request) for unknown names and unreadable or negative numbers.
        """
        changes: dict[str, object] = {}
        if not isinstance(limit, _Unchanged):
            changes["limit"] = _tokens(limit)
        if not isinstance(reserve, _Unchanged):
            changes["reserve"] = _tokens(reserve) or 0
        if not isinstance(tokenizer, _Unchanged):
            changes |= {"tokenizer": tokenizer, "model": None, "window": None}
        if isinstance(model, str):
            # Price data take a quarter of a second to import; only a chosen model needs them.
            from ctxtui.core.tokens.models import find_model  # noqa: PLC0415

            changes |= {"model": model, "window": find_model(model).window}
        elif model is None:
            changes |= {"model": None, "window": None}
        budget = replace(self.budget, **changes)  # type: ignore[arg-type]
        _ = budget.counter
        return self._with(budget=budget)

    def with_output(
        self,
        format: str | None = None,  # noqa: A002
        over: Over | None = None,
        secrets: Secrets | None = None,
    ) -> Session:
        """Choose the export format, what happens over the limit, and how secrets are treated."""
        if format is not None:
            _check_format(format)
        old = self.selection
        return self._with(format=format or old.format, over=over or old.over, secrets=secrets or old.secrets)

    def with_selection(self, selection: Selection) -> Session:
        """Another selection on the same snapshot; what undo does."""
        return replace(self, selection=selection)

    def on(self, workspace: Workspace) -> Session:
        """The same selection on another snapshot; picks that it does not have stay, as missing."""
        return replace(self, workspace=workspace)

    def payload(self, format: str | None = None, over: Over | None = None) -> Payload:  # noqa: A002
        """The payload as text, exactly `Payload.tokens` long; raises OverBudget where `over` is `fail`."""
        return self._assemble(format, over, with_text=True)

    def layout(self, format: str | None = None, over: Over | None = None) -> Payload:  # noqa: A002
        """The payload's numbers without its text: what the meter shows."""
        return self._assemble(format, over, with_text=False)

    def _assemble(self, format_: str | None, over: Over | None, with_text: bool) -> Payload:
        selection, budget = self.selection, self.budget
        form = FORMATS[_check_format(format_ or selection.format)]
        drafts = self._drafts(hold=with_text)
        prompt, found = self._prompt()
        assembler = Assembler(budget.counter, form, budget.effective, prompt)
        payload = assembler.assemble(drafts.ready, over or selection.over, with_text)
        return replace(
            payload,
            missing=drafts.missing,
            notices=(*payload.notices, *found, *drafts.notices),
            secrets=payload.secrets + len(found),
        )

    def _drafts(self, hold: bool) -> Drafts:
        drafter = Drafter(self.workspace, self.budget.counter, self.selection.secrets, hold)
        return drafter.draft_all(self.picks)

    def _prompt(self) -> tuple[Prompt | None, tuple[Notice, ...]]:
        prompt = self.selection.prompt
        if prompt is None:
            return None, ()
        text, notices = redact_prompt(prompt.text, self.selection.secrets)
        return replace(prompt, text=text), notices

    def tokens(self, id: str) -> int | None:  # noqa: A002
        """The tokens of a document's body or of a part with all nested ones; None where it cannot be read."""
        owner, _, slug = id.partition("#")
        reference, counter, reader = self.workspace.by_id.get(owner), self.budget.counter, self.workspace.reader
        if reference is None:
            return None
        try:
            if not slug and not reference.details.values:
                return self.workspace.tokens(reference, counter)
            document = self.workspace.document(reference)
            if not slug:
                return self.workspace.tokens(reference, counter) - reader.front_tokens(document, counter)
            position = document.position(slug)
            return None if position is None else reader.part_sizes(document, counter)[position]
        except ContextError:
            return None

    def cost(self, id: str) -> int:  # noqa: A002
        """What picking a row would add to the payload before budgeting, in tokens, wrapping included."""
        free = self._with(budget=replace(self.budget, limit=None, window=None))
        return free.pick(id).layout().tokens - free.layout().tokens


def _tokens(limit: int | str | None) -> int | None:
    value = parse_tokens(limit) if isinstance(limit, str) else limit
    if value is not None and value < 0:
        raise ContextError("invalid_request", f"a limit cannot be negative: {value}")
    return value


def _check_format(name: str) -> str:
    if name not in FORMATS:
        raise ContextError("invalid_request", f"unknown format: {name}", hint=f"one of {', '.join(FORMATS)}")
    return name
