"""Code spans as CommonMark has them within a line."""

from ctxtui.core.text.markdown.code_spans import replace_code
from ctxtui.core.text.markdown.inline_fields import find_tags
from tests.cases import cases


@cases(
    ("text", "shown"),
    [
        ("a `b` c", "a <b> c"),
        ("``a`b`` `c`", "<a`b> <c>"),
        ("``a`", "``a`"),
        ("`a`` `b`", "<a`` >b`"),
        ("`a\nb` `c`", "`a\nb< >c`"),
        ("no code", "no code"),
        ("```", "```"),
    ],
)
def test_a_run_closes_with_the_next_as_long_on_its_line(text: str, shown: str) -> None:
    assert replace_code(text, lambda _, inside: f"<{inside}>") == shown


def test_the_whole_span_is_given_too() -> None:
    assert replace_code("a ``b`` c", lambda whole, _: " " * len(whole)) == "a       c"


def test_an_unclosed_longer_run_is_no_code() -> None:
    assert find_tags("``word `#tag`") == ("tag",)
    assert find_tags("``word #tag `") == ("tag",)
