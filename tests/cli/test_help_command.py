"""`ctxtui help`: topics, pages, and what a page looks like on a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.cli.help import readable
from ctxtui.core.base.manual import TOPICS, page
from tests.cases import cases
from tests.conftest import Asked


def test_without_a_topic_all_are_listed_and_a_pipe_gets_the_page_as_it_is(cli: Asked) -> None:
    lines = cli("help").out.splitlines()
    assert [line.split()[0] for line in lines] == list(TOPICS)
    assert all(len(line.split()) > 3 for line in lines)
    assert cli("help", "recipes") == (page("recipes"), "")


@cases(
    ("topic", "status", "said"),
    [
        ("mcp", 0, "# Retrieval and MCP"),  # a part of one topic is enough
        ("build", 0, "usage: ctxtui build"),  # a command without a page of its own
        ("recipies", 3, "did you mean recipes?"),
        ("nonesuch", 3, "topics: keys, commands"),
        ("e", 3, "did you mean keys or rules or"),
        ("", 3, "topics: keys, commands"),
    ],
)
def test_topics_are_found_by_a_part_and_others_get_the_nearest(
    cli: Asked, topic: str, status: int, said: str
) -> None:
    out, err = cli("help", topic, status=status)
    assert said in (err if status else out)


def test_a_terminal_gets_text_without_markup() -> None:
    seen = readable(
        "# Keys\n\nSee **the** [pages](rules.md#in-ci), `*.md` and [this](https://example.org):\n\n"
        "![A picture](x.svg)\n\n<!-- begin keys -->\n\n| Move | |\n|---|---|\n"
        "| `↑ k` | one row up |\n| `\\|` | quit and give the payload to a command |\n\n"
        "- one item that is longer\n  than a line\n- *two*: `a/*.md`, `b/**/*.py`\n\n```sh\n# no heading\n\n| no table |\n```\n",
        40,
    )
    assert seen == (
        "Keys\n====\n\nSee the pages (ctxtui help rules),\n`*.md` and this <https://example.org>:\n\n"
        "Move\n`↑ k`  one row up\n`|`    quit and give the payload to a\n       command\n\n"
        "- one item that is longer than a line\n- two: `a/*.md`, `b/**/*.py`\n\n    # no heading\n\n    | no table |\n"
    )


@cases("topic", TOPICS)
def test_every_page_keeps_its_words_within_the_width(topic: str) -> None:
    lines = readable(page(topic), 80).splitlines()
    wide = [line for line in lines if len(line) > 80 and not line.startswith("    ")]
    assert not [line for line in wide if len(line.split()) > 1 and "  " not in line]
    assert not [line for line in lines if line.startswith(("#", "```", "|", "<!--", "!["))]
    for word in page(topic).split("\n\n")[1].split():
        assert word in "\n".join(lines)


@given(st.text(st.sampled_from("ab *_`[]()|\\-#<!>\n1."), max_size=200), st.integers(0, 60))
def test_no_markdown_breaks_it(markdown: str, width: int) -> None:
    letters = [character for character in markdown if character in "ab"]
    seen = readable(markdown, width)
    if not {"[", "<", "|", "`"} & set(markdown):
        assert [character for character in seen if character in "ab"] == letters
