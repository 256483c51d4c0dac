"""The blocks of a text: exactly those of the parser, whichever of them it is asked for."""

import subprocess
import sys
import time

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxtui.core.text.markdown.blocks import Blocks, find_blocks, parsed_blocks
from tests.cases import cases
from tests.core.texts import any_markdown

PLAIN = """\
# One
## Two ##
text
**bold** and `code`
a | b
[link](x) [ref]
12 apples
---
* * *
- item
- [ ] todo
* star
1. one
2. two
12) twelve
  - nested
   1. nested
  continues
      deep
```py
```
~~~
<!-- one -->
<!-- a | b
-->
| a | b |
|---|:-:|
  | 1 | 2""".split("\n")
# Rows of tables, and lines that are nearly such.
TABLES = """\
| a | b |
| a | b
|a|
 |a|b|  c
||
|
| a \\| b |
| a |\u00a0
|---|---|
|:-:|--:|
 --- | ---
|--|
| - | |
- | -
-- -|--
|-- --|--|
    |---|---|
a | b
``` a|b
# h
- | -
> | a
text""".split("\n")
INTRICATE = """\
#none
####### seven
--- | ---
|---|---|
===
-
1.
-     code
- - two
- ```
- # h
- > q
100. hundred
10) ten
    # code
\ttab
``` a`b
   ```
    ```
> quote
>
<div>
</div>
<!-->
<!-- a -- b -->
<script>
[a]: /url "title
![[x](y)
[x]
**
_
:---
--flag
x\x00y
\x0cff
\u2028ls
漢字
word\\""".split("\n")
ENDS = ["\n"] * 6 + ["\n\n"] * 4 + ["\n\n\n", " \n", "\n  \n", "\n\t\n", "\r\n", "\r", "\n\n    "]


def lines(choices: list[str]) -> st.SearchStrategy[str]:
    line = st.builds(str.__add__, st.sampled_from(choices), st.sampled_from(ENDS))
    return st.lists(line, max_size=12).map("".join)


def rows() -> st.SearchStrategy[str]:
    line = st.builds(str.__add__, st.sampled_from(TABLES), st.sampled_from(["\n"] * 9 + ["\n\n", " \n"]))
    return st.lists(line, max_size=8).map("".join)


def shown(found: Blocks) -> tuple[object, ...]:
    headings = [(" ".join(name.split()), level, line) for name, level, line in found.headings]
    return found.spans, headings, found.code, found.comments


@given(st.one_of(lines(PLAIN), lines(PLAIN + INTRICATE), lines(INTRICATE), rows(), any_markdown), st.booleans())
@settings(max_examples=400)
@example("- a\n\n    ", False)
@example("- a\n  - b\n\n---\n\n# c", False)
@example("text\n2. two\n```\n\nfoo\n\n# bar\n", False)
@example("1. a\n  - b\n", False)
@example("# a | b\n--- | ---\n", False)
@example("| a | b |\n|---|---|\n| 1 |", False)
@example("| a | b |\n|---|---|\n# c\n", False)
@example(f"|{'a|' * 300}\n|{'-|' * 300}\n" + "|a|\n" * 300, False)
@example("  <!-- never closed\n\ntext\n\n# heading\n", False)
def test_blocks_are_exactly_those_of_the_parser(text: str, is_cut: bool) -> None:
    text = text.rstrip("\n") if is_cut else text
    assert shown(find_blocks(text)) == shown(parsed_blocks(text))


def test_text_below_lists_nested_too_deeply_for_the_parser_is_found_as_it_finds_it() -> None:
    text = "".join(f"{'  ' * depth}- a\n" for depth in range(60)) + "\n" + "- " * 70 + "a\n\ntext\n\n# heading\n"
    assert shown(find_blocks(text)) == shown(parsed_blocks(text))


def test_plain_text_needs_no_parser() -> None:
    text = "# A\n\nSome *words*:\n- [ ] one\n  - two\n\n1. three\n\n```py\nx\n```\n<!-- note -->\n\n| a |\n|---|\n\n---\n## B\n"
    code = f"from ctxtui.core.text.markdown.scan import scan; import sys; scan({text!r}); print('markdown_it' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


@cases(
    "piece",
    [
        "- a\n",
        "- a\n\n",
        "1. a\n   - b\n",
        "a\n2. b\n\n",
        "<!-- x\n\na\n\n",
        "```\n\na\n\n````\n",
        "[a\n",
        "* * \n",
        "> a\n\nb\n\n",
        "|a|\n|-|\n\n",
        "|a|\n|-|\n",
    ],
)
def test_time_grows_with_the_text_alone(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        times = []
        for _ in range(3):
            start = time.process_time()
            find_blocks(text)
            times.append(time.process_time() - start)
        return min(times)

    small, large = seconds(2_000), seconds(16_000)
    assert large < 24 * small + 0.05
