"""The blocks of a text."""

from ctxtui.core.text.markdown.blocks import BlockSpan, find_blocks

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
