from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.notices import Notice
from ctxtui.core.text.metadata.frontmatter import read_frontmatter
from ctxtui.core.text.metadata.reference import Declared, Details, encode_id, read_details
from tests.cases import cases


def _details(yaml: str) -> tuple[Details, list[Notice]]:
    front = read_frontmatter(f"---\n{yaml}\n---\n", "a.md")
    notices = [*front.notices]
    return read_details(front.values, "a.md", notices.append), notices


def test_the_fields_of_a_reference_are_read() -> None:
    details, notices = _details(
        "type: pattern\ndomain: python\nestimatedTokens: 1200\ntags: [a, b]\ncrossDomainTriggers: x, y\n"
        "sections:\n  - name: Setup\n    estimatedTokens: 300\n    keywords: [k]\n  - Usage"
    )
    assert not notices
    assert (details.type, details.domain, details.declared_tokens) == ("pattern", "python", 1200)
    assert (details.tags, details.cross_domain_triggers) == (("a", "b"), ("x", "y"))
    assert details.sections == (Declared("Setup", 300, ("k",)), Declared("Usage"))


@cases("yaml", ["type: [a]", *map("estimatedTokens: {}".format, ("many", -1, "true")), "tags: {a: b}", "sections: 3"])
def test_a_value_of_a_wrong_type_is_left_out_with_a_notice(yaml: str) -> None:
    details, notices = _details(yaml)
    assert [notice.code for notice in notices] == ["metadata-type"]
    assert (details.type, details.declared_tokens, details.tags, details.sections) == (None, None, (), ())


def test_of_a_list_what_is_no_text_and_no_section_with_a_name_is_reported() -> None:
    details, notices = _details("tags: [a, 2024, {b: c}, [d]]")
    assert details.tags == ("a", "2024")
    assert [notice.message for notice in notices] == ["`tags` should be a list of strings; 2 values are ignored"]
    details, notices = _details("sections:\n  - name: A\n  - keywords: [x]\n  - 3")
    assert (details.sections, len(notices)) == ((Declared("A"),), 1)


@cases("value", ["!!float .nan", "!!float .inf", ".nan", ".inf"])
def test_a_number_that_is_none_is_left_out_with_a_notice(value: str) -> None:
    details, notices = _details(f"estimatedTokens: {value}")
    assert details.declared_tokens is None
    assert notices


_inner = st.sampled_from(["name", "keywords", "estimatedTokens"])
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_inner, inner),
    max_leaves=6,
)
_KEYS = "type domain estimatedTokens tags sections crossDomainTriggers detectionTriggers"
_keys = st.sampled_from(_KEYS.split())


@given(st.dictionaries(_keys, _values))
def test_no_shape_of_values_raises(values: dict[str, object]) -> None:
    details = read_details(values, "a.md", lambda notice: None)
    assert details.declared_tokens is None or details.declared_tokens >= 0
    assert all(isinstance(tag, str) for tag in details.tags)


@given(st.text(), st.text())
def test_ids_can_be_split_from_slugs_and_stay_apart(one: str, other: str) -> None:
    assert "#" not in encode_id(one)
    assert (encode_id(one) == encode_id(other)) == (one == other)
