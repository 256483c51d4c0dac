from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.markdown.document import Document


def _dates(text: str) -> list[str]:
    return Document("DECISIONS.md", text, Stamp(0, 0, 0)).section_dates


def test_a_date_stands_in_the_heading_or_in_a_field() -> None:
    text = (
        "---\ndate: 2026-01-01\n---\nold 2020-02-02\n# Decisions\n\n## 2026-03-04 Use Postgres\n\ntext\n"
        "## Use Redis\n\n**Status**: accepted | **Date**: 2026-05-06\n\n### Why\n\nSince 2019-01-01.\n"
        "## Use nothing\n\n- **Decided on**: 2026-07-08, in Graz\n"
    )
    assert _dates(text) == ["", "", "", "2026-03-04", "2026-05-06", "", "2026-07-08"]


def test_a_date_in_code_or_deeper_is_not_the_sections() -> None:
    assert _dates("## A\n```\n**Date**: 2026-01-01\n```\n### B\n**Date**: 2026-02-02\n") == ["", "2026-02-02"]


def test_longer_numbers_are_no_dates() -> None:
    assert _dates("## 12026-01-011\n") == [""]
