"""Lines in code without parsing: where it is sure, it agrees with the parser."""

import time

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxtui.core.text.decode import Lines, line_starts
from ctxtui.core.text.markdown.blocks import parsed_blocks
from ctxtui.core.text.markdown.fenced import code_at
from tests.cases import cases
from tests.core.texts import any_markdown

LINES = """\
text
# One
[a](b.md)
- [a](b.md)
12) **b** [a](b.md)
- - [a](b.md)
-     [a](b.md)
> [a](b.md)
  [a](b.md)
      [a](b.md)
| [a](b.md) | b |
|---|---|
```
```py
``` a`b
``` a|b
````
~~~
~~~~ a`b
 ```
   ~~~
    ```
- ```
> ```
> <div>
>     [a](b.md)
> - ```
> - <div>
1. ~~~
text ```
===
---
<div>
<!--
<!-- a -->
-->
<pre>
<a@b.c>
  <p>
- <div>
\t```
\t[a](b.md)
[a]: <b.md>
[a]:
'title""".split("\n")
SOUP = st.lists(st.sampled_from([*LINES, "", "", "", "```", "[a](b.md)"]), max_size=14)
DEEP = "- " * 60 + "x"


@given(st.one_of(SOUP.map("\n".join), any_markdown))
@example(f"{DEEP}\n\n```\n[a](b.md)\n")
@example("\n".join(f"{'  ' * depth}- x" for depth in range(60)) + "\n\n```\n[a](b.md)\n")
@example("```a|b\n|---|---|\n[a](b.md)\n")
@example("- a\n  - ```\n\n```\n[a](b.md)\n")
@settings(max_examples=500)
def test_what_is_sure_is_what_the_parser_finds(text: str) -> None:
    every = [start for start in line_starts(text) if text[start : start + 1].strip()]
    lines, code = Lines.of(text), parsed_blocks(text).code
    for some in (every, every[::2], every[-1:], *([each] for each in every)):
        if some and (found := code_at(text, some)) is not None:
            assert found == [lines.at(each) in code for each in some]


@cases(
    ("text", "found"),
    [
        ("[a](b.md)", [False]),
        ("# A\n\n```\nx\n  y\n```\n- [a](b.md)\n", [False, None, True, True, True, True, False]),
        ("~~~\n```\n[a](b.md)", [True, True, True]),
        ("A ```b``` c\n\n| d | e |\n|---|---|\n| f | g |", [False, None, False, False, False]),
    ],
)
def test_common_documents_are_surely_known(text: str, found: list[bool | None]) -> None:
    starts = [start for start, is_code in zip(line_starts(text), found, strict=False) if is_code is not None]
    assert code_at(text, starts) == [is_code for is_code in found if is_code is not None]


@cases(
    "text",
    [
        "  ```\n[a](b.md)",
        "- ```\n[a](b.md)",
        "```\n ```\n[a](b.md)",
        "<div>\n[a](b.md)",
        "```\r[a](b.md)",
        "> <div>\n> [a](b.md)",
        "> ```\n> [a](b.md)",
        "> > [a](b.md)",
        "    [a](b.md)",
        "- - [a](b.md)",
    ],
)
def test_what_only_the_parser_knows_is_unsure(text: str) -> None:
    assert code_at(text, [line_starts(text)[-1]]) is None


def test_no_text_takes_long() -> None:
    start = time.process_time()
    for text in (
        "```\n" * 50_000,
        "- " * 100_000,
        "<" * 100_000,
        "`" * 100_000,
        "\n" * 100_000,
        "~~~ ```\n" * 50_000,
    ):
        code_at(f"{text}\n[a](b.md)", [len(text) + 1])
    assert time.process_time() - start < 5
