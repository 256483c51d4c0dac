"""The Context panel: the tree, its filter, and the keys that pick from it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from textual import events, getters, on, work
from textual.app import ComposeResult
from textual.widgets import Input

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import Target
from ctxtui.core.base.wording import byte_size, plural
from ctxtui.session.picks import Pick, SnippetPick
from ctxtui.session.saved.app_state import save_opened
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.desk import Desk
from ctxtui.tui.filtering import Filter, advice, read_filter
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.panels.panel import Panel
from ctxtui.tui.tree import rows as tree_rows
from ctxtui.tui.tree.rows import MOST_SECTIONS, SECTIONS, Searchable, Step, searchable
from ctxtui.tui.widgets.context_tree import ContextTree
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.rows import Rows
from ctxtui.tui.work.background import DEBOUNCE, SharedWork, started
from ctxtui.workspace.workspace import Workspace

_BETWEEN: Final = " ── "
# The title, and the order of the rows.
_LEAST: Final = 2
# Seconds that matches wait for headings before paths alone are shown.
_AT_ONCE: Final = 0.2
_READING: Final = "reading headings and symbols …"


def fitting(words: Sequence[str], room: int, keeps_last: bool) -> str:
    """A title of `words`. To fit `room` columns, it loses the second, then with `keeps_last` others but the last."""
    kept = list(words)
    if len(kept) > _LEAST and len(_BETWEEN.join(kept)) > room:
        kept.pop(1)
    while keeps_last and len(kept) > 1 and len(_BETWEEN.join(kept)) > room:
        kept.pop(-2)
    return _BETWEEN.join(kept)


class ContextPanel(Panel):
    """Shows the workspace, whole or filtered."""

    BINDINGS = bindings("context")

    context_tree = getters.query_one("#tree", ContextTree)
    field = getters.query_one("#filter", FilterInput)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, id="context")
        self.border_title = "1 Context"
        # Set once matches of the words typed last are on the screen.
        self._matched = asyncio.Event()
        self._matched.set()
        self._searchable: SharedWork[Searchable] = SharedWork(is_kept=True)
        # The last known row of the cursor.
        self._under: str | None = None
        # The step of the filter of changed files or of a source, None for all files.
        self._step: Step | None = None
        self._seen_git = self.desk.git.tree
        # Leads back to where the filter was opened.
        self._origin: Callable[[], object] | None = None

    def compose(self) -> ComposeResult:
        yield FilterInput(placeholder='words of a path, heading, symbol  !not  "a phrase"  /paths only', id="filter")
        yield ContextTree(id="tree").data_bind(ContextPanel.session, ContextPanel.figures)

    @property
    def row(self) -> str | None:
        return self.context_tree.current.id if self.context_tree.current else None

    def record_row(self) -> bool:
        """Record the row of the cursor. Returns whether the last record was of another row."""
        before, self._under = self._under, self.row
        return before != self._under

    @property
    def is_filtering(self) -> bool:
        return self.context_tree.filtered is not None or self.field.has_class("-open")

    def watch_session(self, old: Session | None, new: Session | None) -> None:
        self.show_title()
        if old is None and self.desk.opened is not None:
            self.context_tree.opened, self.context_tree.is_restored = self.desk.opened, True
        if new is not None and self.query(ContextTree) and (old is None or old.workspace is not new.workspace):
            self._count_readers(new.workspace)
            # Words may have been typed while the project was opening.
            if self.field.value or self._step is not None:
                self._start_filter(self.field.value, self.context_tree.filtered is None)

    @on(ContextTree.Opened)
    @work(exclusive=True, group="opened")
    async def _remember_opened(self) -> None:
        """Save which rows are open, for the next start."""
        await asyncio.sleep(DEBOUNCE)
        try:
            await asyncio.to_thread(save_opened, self.desk.now.workspace.root, self.context_tree.opened)
        except ContextError as error:
            self.desk.tell(f"the open folders are not saved: {error.message}")

    def watch_figures(self) -> None:
        session = self.session
        if session is None or not self.query(ContextTree):
            return
        self.show_title()
        self._under = self._under or self.row
        problems = self.desk.counting.failed | frozenset(
            each.path for each in session.workspace.notices if each.path and each.is_problem and each.code != "secret"
        )
        tree = self.context_tree
        found = self.desk.findings.facts
        tree.facts = replace(tree.facts, problems=problems, changed=self.desk.changed_picks.ids, drifts=found.drifts)
        tree.findings = found.by_path
        git = self.desk.git.tree
        tree.git = tree_rows.changes_of(git, self._step).by_path
        if self._seen_git is not git:
            self._seen_git = git
            if self._step is not None:
                self._start_filter(self.field.value, False)
        self._show_filter_count()

    @work(exclusive=True, group="readers")
    async def _count_readers(self, workspace: Workspace) -> None:
        """Show how many agents read each file at the start."""
        await asyncio.sleep(DEBOUNCE)
        readers = await asyncio.to_thread(workspace.readers_at_start)
        for tree in self.query(ContextTree):
            tree.facts = replace(tree.facts, readers=readers)

    @on(events.Resize)
    def show_title(self) -> None:
        session = self.session
        if session is None or not self.query(ContextTree):
            return
        total = self.figures.totals.get("")
        order, step = tree_rows.ORDERS[self.context_tree.order], self._step
        order = order if step is None else tree_rows.title(self.desk.git.tree, step, session.workspace.tree)
        words = ["1 Context", plural(len(session.workspace.references), "file"), order]
        picked = len(session.picks) - len(session.selection.patterns)
        if picked:
            words.append(f"{picked:,} picked")
        if self.desk.is_changing:
            words.append("changing picks …")
        if total is not None and not total.is_counted:
            words.append(f"counting {total.percent} %")
        # Only the audit's number. A count of anything else would change once the audit ends.
        report = self.desk.findings.report
        wrong = sum(each.is_problem for each in report.findings) if report is not None else 0
        if wrong:
            words.append(f"{plural(wrong, 'problem')} ({key_for(self, 'problems')})")
        # Beside the corners, the border keeps a dash and a blank at either end.
        self.set_titles(fitting(words, self.size.width - 4, bool(wrong)))

    @on(Rows.MarkClicked)
    def action_pick(self) -> None:
        self._toggle(self.row)

    @on(Rows.Entered)
    def _open_folder(self, event: Rows.Entered) -> None:
        # The cursor follows its row if the rows change before this arrives.
        row = self.context_tree.rows[self.context_tree.cursor] if self.context_tree.rows else None
        if row is not None and row.node.kind == "folder":
            event.stop()
            self.context_tree.set_open(row, not row.is_open)

    def pick_shown(self) -> None:
        """Pick all rows of the filter, or the whole project without a filter. Drop them if all are picked."""
        tree = self.context_tree
        if not tree.rows:
            return
        # Without a filter, all rows are the root.
        root = self.desk.now.workspace.tree
        shown_ids = [root.id] if tree.filtered is None else [row.node.id for row in tree.filtered]

        def toggle(session: Session) -> Session:
            drops = all(session.state(id_) == "all" for id_ in shown_ids)
            return session.mark_rows(shown_ids, not drops)

        self.desk.attempt(toggle, root.count_below if tree.filtered is None else len(shown_ids))

    def count_large(self) -> None:
        left = self.desk.count_large(self.context_tree.current)
        self.desk.tell(f"counting {byte_size(left)} of large data" if left else "no large data left to count here")

    def step_match(self, step: int) -> None:
        """Go to the next match of the filter, without a filter to the next picked row, or back if `step` is -1."""
        rows = self.context_tree.rows
        if not rows or not (self.desk.now.picks or self.context_tree.filtered):
            return
        for distance in range(1, len(rows) + 1):
            index = (self.context_tree.cursor + step * distance) % len(rows)
            if self.context_tree.filtered is not None or self.desk.now.state(rows[index].node.id) != "none":
                self.context_tree.move(index)
                return

    def sort(self) -> None:
        """Switch to the next order, behind the last one to the sections by tokens, then to the first."""
        tree = self.context_tree
        is_last = tree.order == "flat"
        if is_last and self._step is None:
            self._show_step(SECTIONS)
            return
        if self._step == SECTIONS:
            self.clear_filter()
        else:
            tree.next_order()
        # Another order moves the row, not the user.
        self._under = self.row
        self.show_title()
        self._show_filter_count()

    def next_changes(self) -> None:
        """Show only changed files, then staged files, files changed since the base, and all again."""
        workspace, git = self.desk.now.workspace, self.desk.git
        step = tree_rows.following(git.tree, self._step, workspace.by_path)
        if step is None and self._step is None:
            if git.error is not None:
                self.desk.complain(git.error)
            else:
                self.desk.tell(tree_rows.nothing_changed(workspace, git.base))
        else:
            self._show_step(step)

    def next_source(self) -> None:
        """Show only the documents of one source, then of the next one, and all files again."""
        step = tree_rows.following_source(self._step, self.desk.now.workspace)
        if step is None and self._step is None:
            self.desk.tell("this project has plain files only")
        else:
            self._show_step(step)

    def show_since(self) -> None:
        """Show only the files changed since git's base, or tell the user that there are none."""
        git = self.desk.git
        if tree_rows.following(git.tree, "staged", self.desk.now.workspace.by_path):
            self._show_step("since")
        else:
            self.desk.tell(f"no file of this project has changed since {shown.line(git.base or '')}")

    def _show_step(self, step: Step | None) -> None:
        self._step = step
        self.context_tree.git = tree_rows.changes_of(self.desk.git.tree, step).by_path
        self.show_title()
        self._start_filter(self.field.value)

    def open_filter(self, origin: Callable[[], object]) -> None:
        """Open the filter. `origin` is called when the user leaves it empty."""
        self._origin = origin
        self.field.add_class("-open")
        self.field.focus()

    def clear_filter(self) -> None:
        """Close the filter and show the tree again. The filter of sections also returns to the order by path."""
        tree, of_sections = self.context_tree, self._step == SECTIONS
        opened, is_moved = tree.opened, bool(tree.cursor)
        self._step = None
        leave = tree.focus if self.field.value or self._origin is None else self._origin
        self._origin = None
        # What is still read must not come over the tree.
        self.workers.cancel_group(self, "filter")
        self.field.remove_class("-open")
        with self.prevent(Input.Changed):
            self.field.value = ""
        tree.show_filtered(None)
        if of_sections:
            if not is_moved:
                # The first section is no place that anybody went to.
                tree.opened = opened
                tree.move(0)
            tree.next_order()
        self._show_filter_count()
        self.show_title()
        leave()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._start_filter(event.value)

    def _start_filter(self, query: str, to_first: bool = True) -> None:
        """Begin to filter by a query, with the cursor on its first match if `to_first`. Ends earlier searches."""
        self._matched.set()
        self._matched = asyncio.Event()
        self._filter(query, to_first, self._matched)

    @work(exclusive=True, group="filter")
    async def _filter(self, query: str, to_first: bool, matched: asyncio.Event) -> None:
        try:
            await asyncio.sleep(DEBOUNCE)
            await self._show_matches(query, to_first, matched)
        finally:
            matched.set()

    async def _show_matches(self, query: str, to_first: bool, matched: asyncio.Event) -> None:
        """Show the matches of a query and of the step. While headings are read, those of paths show."""
        session = self.session
        if session is None:
            return
        sought = read_filter(query)
        if sought.is_empty and self._step is None:
            self.context_tree.show_filtered(None)
            self._show_filter_count()
            return
        workspace = session.workspace
        search = partial(asyncio.to_thread, searchable, workspace.tree)
        with started(self._searchable.join(workspace, search)) as reading:
            if not (await asyncio.wait({reading}, timeout=_AT_ONCE))[0]:
                # Headings take a while to read. Paths match without them.
                if self._step == SECTIONS:
                    self.context_tree.show_filtered([])
                    self.context_tree.remark = _READING
                else:
                    paths = await asyncio.to_thread(searchable, workspace.tree, with_headings=False)
                    await self._show_found(paths, sought, query, to_first)
                    self.set_titles(subtitle=f"{self.border_subtitle or ''} · {_READING}")
                matched.set()
                to_first = False
            await self._show_found(await reading, sought, query, to_first)

    async def _show_found(self, found: Searchable, sought: Filter, query: str, to_first: bool) -> None:
        """Show the nodes that the step and the filter keep. Without any, a remark says why."""
        session = self.desk.now
        if self._step is not None:
            found = tree_rows.kept(found, self.desk.git.tree, self._step)
        if not sought.is_empty:
            rows = await asyncio.to_thread(tree_rows.matches, found, sought)
        elif self._step == SECTIONS:
            rows = await asyncio.to_thread(tree_rows.largest_sections, found, session)
        else:
            rows = tree_rows.documents(found)
        self.context_tree.show_filtered(rows, to_first, sought)
        # The cursor may be on another row.
        self.post_message(Rows.Moved(self.context_tree))
        self._show_filter_count()
        said = f"nothing matches `{shown.line(query.strip())}`"
        nothing = "no sections here" if self._step == SECTIONS else tree_rows.nothing_changed(session.workspace)
        self.context_tree.remark = nothing if sought.is_empty else said
        if not rows and not sought.is_empty:
            self.context_tree.remark = await asyncio.to_thread(advice, [label for _, label in found], query)

    def _show_filter_count(self) -> None:
        """Write the numbers of files, sections and hidden picks on the border. Without a filter, nothing."""
        rows = self.context_tree.filtered
        if rows is None:
            self.set_titles(subtitle="")
            return
        session = self.desk.now
        shown_ids = {Target.parse(row.node.id).document for row in rows}
        picked = [pick.id for pick in session.picks if isinstance(pick, Pick)]
        picked += [pick.document for pick in session.picks if isinstance(pick, SnippetPick)]
        hidden = sum(id_ not in shown_ids for id_ in picked)
        headings = sum(row.node.kind == "part" for row in rows)
        files = f"{len(rows) - headings:,} of {plural(len(session.workspace.references), 'file')}"
        told = [files] if len(rows) > headings or not rows else []
        told += [plural(headings, "largest section" if headings == MOST_SECTIONS else "section")] if headings else []
        told += [f"{hidden:,} picked hidden"] if hidden else []
        self.set_titles(subtitle=" · ".join(told))

    @on(FilterInput.Command)
    async def _filter_key(self, event: FilterInput.Command) -> None:
        tree = self.context_tree
        await event.act(tree, self._matched.wait, pick=self._pick_found, keep=tree.focus, clear=self.clear_filter)

    def _pick_found(self) -> None:
        self._toggle(self.row)
        self.context_tree.action_down()
