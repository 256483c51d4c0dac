"""What a user types to find rows: words in any order, words to leave out, phrases, paths only."""

import itertools
import time

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.tui.filtering import SearchLabel, advice, best, fold, read_filter, spans
from ctxtui.tui.tree.rows import matches, searchable
from ctxtui.workspace.workspace import Workspace
from tests.cases import cases
from tests.conftest import Project
from tests.tui.conftest import Driver

PATHS = (
    "README.md src/providers/openai.py src/providers/_openai_compatible.py src/providers/anthropic.py "
    "tests/providers/test_openai.py docs/openai/setup.md"
).split()
HEADINGS = ("docs/TASKS.md / In progress", "docs/TASKS.md / Progress in June")


def found(typed: str) -> list[str]:
    """What a filter finds, best first."""
    labels = [*map(SearchLabel.of, PATHS), *(SearchLabel.of_heading(*each.split(" / ")) for each in HEADINGS)]
    return [labels[place].text for place in best(labels, read_filter(typed))]


def test_words_phrases_and_letters_find_paths_the_best_first() -> None:
    assert found("openai prov") == found("PROV openai")
    assert found("openai")[0] == "src/providers/openai.py"
    assert found("openai")[-1] == "docs/openai/setup.md"
    assert found("openai prov")[0] == "src/providers/openai.py"
    assert found("openai prov .py !test !_") == ["src/providers/openai.py"]
    # Phrases are exact, and a slash means paths.
    assert found("in progress") == list(HEADINGS)
    assert found('"in progress"') == ["docs/TASKS.md / In progress"]
    assert found('!"in progress" progress') == ["docs/TASKS.md / Progress in June"]
    assert found("/progress") == []
    assert found("/src/ anthropic") == ["src/providers/anthropic.py"]
    assert found('"in prog') == ["docs/TASKS.md / In progress"]
    assert found("tasks june") == ["docs/TASKS.md / Progress in June"]
    assert found("tasks") == []
    # Letters may be left out only if nothing has the word.
    assert found("provopenai")[0] == "src/providers/openai.py"
    assert "src/providers/anthropic.py" in found("prvders")
    assert found("README") == ["README.md"]
    assert found('"prvders"') == []
    assert found("xyzzy") == []
    assert found("rdmd") == ["README.md"]
    # Letters all over a path are no word.
    assert found("srcopy") == []


def test_nothing_matches_says_what_would() -> None:
    labels = list(map(SearchLabel.of, PATHS))
    assert advice(labels, "openai xyzzy") == "nothing matches `openai xyzzy`; 4 rows would match `openai`"
    assert advice(labels, "openai !openai") == "nothing matches `openai !openai`; 2 rows would match `!openai`"
    assert advice(labels, "anthrpoic") == "nothing matches `anthrpoic`; did you mean `anthropic`?"
    assert "headings" in advice(labels, "/zzzz")


@given(st.lists(st.text("abc/ı İß. ", max_size=12), max_size=12), st.text('abc/!" ıİß', max_size=8))
def test_a_filter_finds_each_row_once_that_has_its_words_and_says_where(texts: list[str], typed: str) -> None:
    labels = list(map(SearchLabel.of, texts))
    sought = read_filter(typed)
    places = best(labels, sought)
    assert len(places) == len(set(places))
    literal = [place for place, label in enumerate(labels) if sought.holds(label.folded)]
    if literal:
        assert sorted(places) == literal
    for place in places:
        label = labels[place]
        assert len(label.folded) == len(label.text)
        assert not any(word in label.folded for word in sought.unwanted)
        marked = spans(label, sought)
        assert all(0 <= start < end <= len(label.text) for start, end in marked)
        assert all(one[1] < two[0] for one, two in itertools.pairwise(marked))
        letters = {label.folded[index] for span in marked for index in range(*span)}
        assert all(set(word.text) <= letters for word in sought.wanted)


@cases("text", ["İstanbul", "STRASSE", "straße", "ﬁne"])
def test_folding_keeps_positions(text: str) -> None:
    assert len(fold(text)) == len(text)


def test_a_link_is_found_by_its_own_name_and_shown_once(project: Project) -> None:
    root = project({"AGENTS.md": "# Agents\n", "b.md": "# B\n"})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    tree = Workspace.open(root, on_notice=lambda _notice: None).tree
    rows = matches(searchable(tree), read_filter("claude"))
    assert [(row.node.id, row.label and row.label.text) for row in rows] == [("AGENTS.md", "CLAUDE.md → AGENTS.md")]
    assert sorted(row.node.id for row in matches(searchable(tree), read_filter("/md"))) == ["AGENTS.md", "b.md"]


def test_headings_of_equal_names_say_what_is_above_them(project: Project) -> None:
    text = "# Runbook\n\n## API\n\n### Rollback\n\n## Relay\n\n### Rollback\n\n### Start\n"
    tree = Workspace.open(project({"a.md": text}), on_notice=lambda _notice: None).tree
    labels = [label.text for _, label in searchable(tree)]
    assert labels[1:] == [
        *("a.md / Runbook", "a.md / API", "a.md / API / Rollback", "a.md / Relay", "a.md / Relay / Rollback"),
        "a.md / Start",
    ]


def test_ten_times_as_many_paths_take_ten_times_as_long() -> None:
    names = ("src", "docs", "tests", "providers", "openai", "skills", "reference")
    labels = [
        SearchLabel.of(f"{names[n % 7]}/{names[n % 5]}/{names[n % 3]}_{n}/{names[n % 4]}_file_{n}.py")
        for n in range(10_000)
    ]

    def seconds(labels: list[SearchLabel], typed: str) -> float:
        """The processor time of the fastest of three."""
        times = []
        for _ in range(3):
            before = time.thread_time()
            best(labels, read_filter(typed))
            times.append(time.thread_time() - before)
        return min(times)

    for typed in ("openai !docs", "prvders openai", "f i l e", "zzqq xx"):
        # Work that grows with the square of the paths would take a hundred times as long.
        assert seconds(labels, typed) < 50 * seconds(labels[:1_000], typed), typed


async def test_an_empty_filter_goes_back_to_where_it_was_opened(driver: Driver) -> None:
    screen = driver.screen
    for size in ((160, 45), (80, 24)):
        await driver.resize(*size)
        await driver.press("3", "slash", "escape")
        assert screen.focused in screen.view.walk_children()
        await driver.press("slash", *"task", "escape")
        assert screen.context_tree.has_focus
        await driver.press("slash", "escape")
        assert screen.context_tree.has_focus
