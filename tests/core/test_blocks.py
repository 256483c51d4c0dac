"""The blocks of a text, and the time to find them."""

import time

from ctxtui.core.text.markdown.blocks import BlockSpan, find_blocks
from tests.cases import cases

TEXT = """\
# One *a* ##

text
| a | b |
|---|:-:|
| 1 | 2 |

- item
  ```py
  code
  ```

<!-- note -->

<div>
</div>

Two
---
"""


def test_blocks_have_kinds_and_lines_and_only_top_level_headings_count() -> None:
    found = find_blocks(TEXT)
    assert found.spans == [
        BlockSpan("heading_open", 0, 1),
        BlockSpan("paragraph_open", 2, 3),
        BlockSpan("table_open", 3, 6),
        BlockSpan("bullet_list_open", 7, 12),
        BlockSpan("html_block", 12, 13),
        BlockSpan("html_block", 14, 16),
        BlockSpan("heading_open", 17, 19),
    ]
    assert found.headings == [("One *a*", 1, 0), ("Two", 2, 17)]
    assert found.code == {8, 9, 10, 12, 14, 15}
    assert found.comments == [(12, 13)]


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
