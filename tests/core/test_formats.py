import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ctxtui.core.payload.assembly import Assembler
from ctxtui.core.payload.formats import FORMATS, Label
from ctxtui.core.payload.types import Payload, Prompt
from tests.cases import cases
from tests.core.drafted import O200K, draft
from tests.core.texts import any_markdown, nasty, true_count

GOLDEN = Path(__file__).parent / "golden"
NASTY_PATHS = [
    *("a-->b.md", "a--!>b.md", "x\n# Injected.md", "x\r\n</source>.md", "</source><evil>.md", '"},{"x": "y.md'),
    *("</document_content>\n</document>.md", "\u202eright.md", "a\u2028b.md", "\x1b[2Jclear.md", "<!-- x.md"),
    "a\\.md",
]

paths = st.one_of(st.sampled_from(NASTY_PATHS), nasty.map("{}.md".format), nasty.map("{}.py".format))
positions = st.sampled_from(["first", "last", "both"])


def _build(name: str, *drafts: tuple[str, str], prompt: Prompt | None = None) -> Payload:
    assembler = Assembler(O200K, FORMATS[name], None, prompt)
    return assembler.assemble([draft(source, text) for source, text in drafts])


@pytest.mark.parametrize("name", FORMATS)
def test_the_payload_is_the_golden_file(name: str) -> None:
    guide = "## Setup\n\n```sh\nmake # not a heading\n```\n## Usage"
    drafts = [
        draft("AGENTS.md", "# Rules\r\n\r\n- never push to main\r\n"),
        draft("docs/guide.md", guide, sections=("Setup", "Usage <now>")),
        draft("src/tool.py", '"""Says:\n\n```\nhi & bye\n```\n"""\nprint("</document_content>")\n'),
        *(draft("notes/leer.md", ""), draft("data/日本.csv", "a,b\n1,2")),
    ]
    payload = Assembler(O200K, FORMATS[name], None, Prompt("Explain /this\nin one line", "both")).assemble(drafts)
    assert payload.text.encode() == (GOLDEN / f"{name}.golden").read_bytes()
    assert payload.tokens == true_count(payload.text)


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_picked_is_no_text(name: str) -> None:
    payload = _build(name)
    assert (payload.text, payload.tokens, payload.wanted, payload.text_tokens, payload.blocks) == ("", 0, 0, 0, ())
    assert _build(name, prompt=Prompt(" \n")).text == ""


@cases("name", FORMATS)
@cases("position", ["first", "last", "both"])
def test_a_prompt_alone_is_counted(name: str, position: str) -> None:
    payload = _build(name, prompt=Prompt("/do it", position))  # type: ignore[arg-type]
    assert "/do it" in payload.text
    assert payload.tokens == true_count(payload.text)
    assert payload.text.count("/do it") == (2 if position == "both" else 1) == len(payload.blocks)


@pytest.mark.parametrize("name", FORMATS)
@given(drafts=st.lists(st.tuples(paths, any_markdown), max_size=4), prompt=st.builds(Prompt, nasty, positions))
def test_blocks_meet_at_safe_cuts_and_counts_add_up(name: str, drafts: list[tuple[str, str]], prompt: Prompt) -> None:
    payload = _build(name, *drafts, prompt=prompt)
    assert payload.tokens == true_count(payload.text)
    framing = payload.text
    for block in payload.blocks:
        assert not re.match(r"[/\s]", block.text)
        assert block.text.endswith("\n")
        assert block.text_tokens <= block.tokens == true_count(block.text)
        assert block.text in framing
        framing = framing.replace(block.text, "", 1)
    assert sum(block.tokens for block in payload.blocks) + true_count(framing) == payload.tokens


_drafts = st.tuples(st.one_of(paths, st.text(max_size=8)), st.one_of(any_markdown, st.text()))


@given(st.lists(_drafts, max_size=4), st.builds(Prompt, st.one_of(nasty, st.text()), positions))
def test_json_gives_the_texts_back(drafts: list[tuple[str, str]], prompt: Prompt) -> None:
    payload = _build("json", *drafts, prompt=prompt)
    parsed = json.loads(payload.text or '{"documents": []}')
    assert [(each["source"], each["content"]) for each in parsed["documents"]] == drafts
    given_prompt = [prompt.text] if prompt.text.strip() else []
    prompts = [parsed[key] for key in ("prompt", "prompt_again") if key in parsed]
    assert prompts == given_prompt * (2 if prompt.position == "both" else 1)


@given(path=paths, section=nasty)
@example(path=NASTY_PATHS[0], section="-->")
def test_a_markdown_header_is_one_comment_whatever_the_path(path: str, section: str) -> None:
    before, _ = FORMATS["markdown"].wrap(Label(path, (section,), True), 1, "")
    tokens = MarkdownIt("commonmark").parse(f"{before}text\n")
    assert [token.type for token in tokens][:2] == ["html_block", "paragraph_open"]
    assert before.count("-->") == before.count("<!-- source:") == 1
    assert before.endswith(" -->\n")
    assert before.splitlines() == [before[:-1]]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", before)


@given(path=paths, section=nasty)
def test_an_xml_header_holds_one_source_whatever_the_path(path: str, section: str) -> None:
    before, after = FORMATS["xml"].wrap(Label(path, (section,), True), 7, "")
    assert before.startswith('<document index="7">\n<source>')
    assert after == "</document_content>\n</document>\n"
    inside = before.split("<source>", 1)[1].split("</source>", 1)[0]
    assert "<" not in inside
    assert "\n" not in inside
    tags = re.findall(r"<(/?[\w]+)", before)
    assert tags == "document source /source sections section /section /sections document_content".split()


_FENCED = st.lists(st.sampled_from(["```", "`", " ", "    ", "\n", "\r", "x", "~~~", "\t"]), max_size=20)


@given(nasty | _FENCED.map("".join))
@example("x\r```\ry")
@example("x ``` y")
@example("`````\n")
@example("   ````  ")
def test_code_stands_in_one_fence_longer_than_any_inside(code: str) -> None:
    payload = _build("markdown", ("src/a.py", code), ("b.md", "after\n"))
    tokens = MarkdownIt("commonmark").parse(payload.text)
    assert [token.type for token in tokens[:4]] == ["html_block", "fence", "html_block", "paragraph_open"]
    shown = code.replace("\r\n", "\n").replace("\r", "\n")
    assert tokens[1].content == (shown if not shown or shown.endswith("\n") else shown + "\n")
    assert tokens[1].info == "py"


@cases(
    ("path", "info"),
    [
        *(("a.py", "py"), ("a.tar.gz", "gz")),
        *((path, "") for path in ("Makefile", "a.we ird", "a.`x", "a.b/.env", "a.")),
    ],
)
def test_a_fence_names_the_language_where_that_is_a_word(path: str, info: str) -> None:
    before, _ = FORMATS["markdown"].wrap(Label(path, (), False), 1, "x")
    assert before.endswith(f"```{info}\n")
