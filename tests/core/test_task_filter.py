"""Task filters: which lines are left, and that what is left reads as the same tasks."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.task_filter import TASK_FILTERS, filtered_pieces
from ctxtui.core.text.secrets import Cut

TASKS = """---
owner: ann
---
# Tasks

Some words.

## In progress

- [ ] write it #area:core
  - a note
  - [x] a done step
  - [ ] an open step

  ```
  - [ ] code
  ```
- [x] think

## Blocked

- [ ] ship it
  **Blocked by**: the vendor

## Done

- [x] begin

  with a paragraph
- [x] plan
  - [ ] left over

The end.
"""


def _document(text: str) -> Document:
    return Document("TASKS.md", text, Stamp(0, 0, 0))


def _kept(document: Document, name: str, ranges: Sequence[tuple[int, int]]) -> str:
    return Cut.of(document.text, filtered_pieces(document, name, ranges)).text


def _filtered(text: str, name: str) -> str:
    document = _document(text)
    return _kept(document, name, ((document.body_start, len(text)),))


def test_open_tasks_come_with_their_notes_code_and_headings_and_nothing_else() -> None:
    assert _filtered(TASKS, "open") == (
        "# Tasks\n\n## In progress\n- [ ] write it #area:core\n  - a note\n  - [ ] an open step\n\n"
        "  ```\n  - [ ] code\n  ```\n\n## Blocked\n- [ ] ship it\n  **Blocked by**: the vendor\n\n"
        "## Done\n- [x] plan\n  - [ ] left over\n\n"
    )


BLOCKED = "## Blocked\n- [ ] ship it\n  **Blocked by**: the vendor\n\n"


def test_blocked_tasks_alone_done_ones_with_the_open_ones_around_them_and_all_without_the_done_ones() -> None:
    assert _filtered(TASKS, "blocked") == f"# Tasks\n\n{BLOCKED}"
    text = _filtered(TASKS, "done")
    assert text.count("[x]") == 4
    assert "- [ ] write it" in text
    assert "ship it" not in text
    text = _filtered(TASKS, "not-done")
    assert all(words in text for words in ("Some words.", "The end.", "- [x] plan\n  - [ ] left over"))
    assert not any(words in text for words in ("a done step", "with a paragraph"))


def test_frontmatter_stays_where_it_was_taken() -> None:
    front = "---\nowner: ann\n---\n"
    head, body = (0, len(front)), (len(front), len(TASKS))
    kept = front + _filtered(TASKS, "not-done")
    assert _kept(_document(TASKS), "not-done", (head, body)) == kept
    assert _kept(_document(TASKS), "not-done", ((0, len(TASKS)),)) == kept
    assert _kept(_document(TASKS), "not-done", (body,)).startswith("# Tasks")
    assert _kept(_document(TASKS), "open", ((0, len(TASKS)),)).startswith("# Tasks")


def test_a_filter_looks_only_into_the_stretches_that_are_taken() -> None:
    document = _document(TASKS)
    part = document.parts[document.position("blocked") or 0]
    assert _kept(document, "open", ((part.start, part.end),)) == BLOCKED


def test_a_setext_heading_does_not_melt_into_the_task_before_it() -> None:
    for name in ("open", "not-done"):
        text = _filtered("- [ ] a\n- [x] b\n\nTitle\n-----\n- [ ] c\n", name)
        assert _document(text).parts[-1].name == "Title"


def test_line_ends_are_kept_and_a_document_without_such_tasks_gives_nothing() -> None:
    assert _filtered("# T\r\nx\r\n\r\n- [x] a\r\n- [ ] b\r\n", "open") == "# T\r\n- [ ] b\r\n"
    assert _filtered("# T\n\n- [x] a\n", "open") == _filtered("no tasks\n", "blocked") == ""
    for name, meaning in TASK_FILTERS.items():
        assert (bool(meaning), _filtered("", name)) == (True, "")


_LINES = ["# A", "", "- [ ] a", "- [x] b", "  - [ ] c", "  - [x] d", "para"]
_MORE_LINES = [*_LINES, "## Blocked", "    text", "- plain", "```"]


@given(st.lists(st.sampled_from(_MORE_LINES), max_size=25), st.sampled_from(sorted(TASK_FILTERS)))
def test_what_is_left_are_lines_of_the_text_in_order(lines: list[str], name: str) -> None:
    text = "".join(f"{line}\n" for line in lines)
    left = [line for line in _filtered(text, name).split("\n") if line]
    remaining = iter(lines)
    assert all(any(line == other for other in remaining) for line in left)


@given(st.lists(st.sampled_from(_LINES), max_size=25))
def test_every_open_task_is_left_and_no_done_one_that_holds_none(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    before = [task.title for task in _document(text).tasks if task.status != "done"]
    for name in ("open", "not-done"):
        after = _document(_filtered(text, name)).tasks
        assert [task.title for task in after if task.status != "done"] == before
        parents = {task.parent for task in after}
        assert all(place in parents for place, task in enumerate(after) if task.status == "done")
