"""What paths say of the role of a file."""

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.audit.apply_rules import by_cause
from ctxtui.audit.roles import language_of
from ctxtui.audit.types import Finding
from tests.cases import cases


@cases(
    ("path", "language"),
    [
        ("docs/zh-CN/skills/a/SKILL.md", "zh-CN"),
        ("i18n/pt_BR/AGENTS.md", "pt_BR"),
        ("docs/ja/guide.md", "ja"),
        ("docs/zh-Hans/guide.md", "zh-Hans"),
        ("README.zh-CN.md", "zh-CN"),
        ("docs/README_ja.md", "ja"),
        ("src/ui/AGENTS.md", ""),
        ("go/AGENTS.md", ""),
        ("docs/api/AGENTS.md", ""),
        ("my-app/AGENTS.md", ""),
        ("AGENTS.md", ""),
    ],
)
def test_translations_are_known_by_their_folder_or_name(path: str, language: str) -> None:
    assert language_of(path) == language


_CAUSES = st.sampled_from(["", "one", "two"])
_PLACES = st.tuples(_CAUSES, st.sampled_from("abc"), st.integers(1, 9), st.integers(0, 99))


@given(st.lists(_PLACES, max_size=12, unique=True))
def test_findings_of_one_cause_are_told_once_and_lose_no_place_and_no_token(
    found: list[tuple[str, str, int, int]],
) -> None:
    findings = [
        Finding(
            "broken-link", "warning", "m", path=path, line=line, tokens=tokens, cause=cause, many="{count} of them"
        )
        for cause, path, line, tokens in found
    ]
    told = by_cause(findings)
    assert sum(each.tokens for each in told) == sum(each.tokens for each in findings)
    assert sum(each.count for each in told) == len(set(findings))
    assert len({each.key for each in told if each.cause}) == len([each for each in told if each.cause])
    assert all(each.message == f"{each.count} of them" for each in told if each.count > 1)
