"""Payloads from templates: exact, within the limit, complete or told, and a project's own only once one agreed."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from platformdirs import user_config_path, user_state_path

from ctxtui import Session, Workspace
from ctxtui.core import ContextError
from ctxtui.core.base.errors import NotFound, OverBudget
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.payload.template_render import Template
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.whole import count_whole
from ctxtui.session.assembly.templates import TemplateName, agree, known_templates, load_template, read_template
from ctxtui.session.delivery.export import check_export
from ctxtui.session.saved.recipe import load_recipe, save_recipe
from tests.cases import cases
from tests.conftest import Project

GOLDEN = Path(__file__).parent / "golden"
FILES = {
    "AGENTS.md": "# Agents\n\nUse `make`.\n\n## Rules\n\n- One.\n- Two.\n",
    "docs/a.md": "# A\n\n" + "".join(f"Paragraph {number} says more.\n\n" for number in range(40)),
    "src/main.py": "def main():\n    return '<a & b>'\n",
    "src/deep/er/x.py": "x = 1\n",
}
PLAIN = "{% for b in blocks %}{{ b.text }}{% endfor %}"


@pytest.fixture
def root(project: Project) -> Path:
    return project(FILES)


def write(folder: Path, name: str, text: str) -> TemplateName:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return TemplateName(str(folder / name), "named")


def picked(root: Path, text: str, *ids: str) -> Session:
    """A session with some picks and a template that the user named."""
    session = Workspace.open(root).session()
    for id_ in ids or ("AGENTS.md", "docs/a.md", "src/main.py"):
        session = session.pick(id_)
    return session.with_template(write(root.parent / "mine", "t.j2", text))


GOLDEN_TEMPLATE = """\
# {{ project }}: {{ blocks|length }} documents, {{ blocks|sum(attribute='tokens') }} tokens of {{ tokenizer }}
{%- if budget %}, at most {{ budget }}{% endif %}

{{ tree|fence }}
{% for block in blocks %}
## {{ loop.index }}. {{ block.path }}{% if block.sections %} ({{ block.sections|join(', ') }}){% endif %}
{{ block.id }}, {{ block.state }}, {{ 'pinned' if block.pinned else 'not pinned' }}, {{ block.tokens }} tokens

{{ block.text|fence(block.language) }}
{% endfor %}
<task>
{{ prompt|xml }}
</task>
"""


def test_a_real_template_gives_the_same_text_each_time_and_an_estimate_is_of_the_whole(root: Path) -> None:
    session = picked(root, GOLDEN_TEMPLATE, "AGENTS.md#rules", "src/main.py").pin("src/main.py")
    payload = session.with_prompt("Why < & not >?").with_budget("2k").payload()
    golden = GOLDEN / "template.txt"
    assert payload.text == golden.read_text("utf-8")
    assert payload.tokens == get_counter().count(payload.text)
    assert payload.notices == ()
    assert [block.id for block in payload.blocks] == ["AGENTS.md", "src/main.py", "(prompt)"]
    session = picked(root, GOLDEN_TEMPLATE).with_budget(model="claude-opus-4-1")
    payload = session.payload()
    assert payload.whole == count_whole(payload.text, session.budget.counter)


_WORDS = st.sampled_from(
    ["# Title\n", "text ", "\n\n", "/x", " ", "漢字😀", "{{ project }}", "{{ budget or 'none' }}", "{{ prompt }}\n"]
)
_INNER = st.sampled_from(
    [
        "{{ b.text }}",
        "{{ b.text|fence(b.language) }}\n",
        "{{ b.path }}\n",
        "{{ b.tokens }} ",
        "<d>{{ b.text|xml }}</d>",
        "{{ b.state }}",
    ]
)
_LOOP = st.lists(_INNER, min_size=1, max_size=4).map("".join).map("{{% for b in blocks %}}{}{{% endfor %}}".format)
_IF = st.builds("{{% if {} %}}{}{{% endif %}}".format, st.sampled_from(["prompt", "blocks", "budget"]), _WORDS)
TEMPLATES = st.lists(
    st.one_of(_WORDS, _LOOP, _IF, st.sampled_from(["{{ tree }}", "{{ full_tree }}"])), min_size=1, max_size=6
).map("".join)


@settings(max_examples=8)
@given(
    TEMPLATES,
    st.lists(st.sampled_from([*FILES, "AGENTS.md#rules"]), min_size=1, max_size=4),
    st.one_of(st.none(), st.integers(1, 900)),
    st.sampled_from(["cut", "fit", "fail"]),
    st.sampled_from(["o200k_base", "cl100k_base", "heuristic"]),
)
def test_the_number_is_that_of_the_text_and_within_the_limit(
    project: Project, text: str, ids: list[str], limit: int | None, over: str, tokenizer: str
) -> None:
    session = picked(project(FILES), text, *ids).with_prompt("Explain it").with_budget(limit, tokenizer=tokenizer)
    counter = get_counter(tokenizer)
    try:
        payload = session.payload(over=over)  # type: ignore[arg-type]
        if payload.pieces:
            check_export(session, payload)
    except OverBudget:
        assert limit is not None
        return
    assert payload.tokens == counter.count(payload.text)
    assert limit is None or payload.tokens <= limit or not payload.pieces
    assert all(block.text_tokens in (0, counter.count(block.text)) for block in payload.blocks)
    layout = session.layout(over=over)  # type: ignore[arg-type]
    assert (layout.tokens, layout.wanted, layout.pieces) == (payload.tokens, payload.wanted, ())


@pytest.mark.parametrize("over", ["cut", "fit"])
def test_what_the_template_adds_is_paid_for(root: Path, over: str) -> None:
    text = (
        "{% for b in blocks %}\n<<<<<<<<<<<<<<<< {{ b.path }} {{ b.path }} >>>>>>>>>>>>>>>>\n{{ b.text }}{% endfor %}"
    )
    session = picked(root, text).with_budget(200)
    payload = session.payload(over=over)  # type: ignore[arg-type]
    assert payload.wanted > 200 >= payload.tokens > 50
    states = ["whole", "cut", "cut"] if over == "cut" else ["whole", "dropped", "whole"]
    assert [block.state for block in payload.blocks] == states
    told = rf"^{payload.wanted:,} tokens exceed the limit of 200 by {payload.wanted - 200:,}$"
    with pytest.raises(OverBudget, match=told):
        session.payload(over="fail")
    assert session.layout(over="fail").tokens == payload.wanted


def test_a_limit_that_the_template_alone_passes_is_an_error(root: Path) -> None:
    session = picked(root, "word " * 300 + PLAIN).with_budget(100)
    payload = session.payload(over="cut")
    assert "what the template makes of the rest takes" in payload.notices[-1].message
    with pytest.raises(OverBudget, match="what the template makes of prompt"):
        check_export(session, payload)


def test_what_a_template_leaves_out_is_told_once(root: Path) -> None:
    payload = picked(root, "{{ blocks[0].text }}{{ blocks[2].text|upper }}").with_prompt("Hello there").payload()
    (notice,) = payload.notices
    assert notice.code == "left-out-by-template"
    assert notice.message.endswith("does not show the text of docs/a.md, src/main.py, the prompt")
    assert [block.tokens > 0 for block in payload.blocks] == [True, False, False, False]


@cases("shown", ["b.text|xml", "b.text|tojson", "b.text|indent(4)", "b.text|trim", "b.text|fence", "b.text|e"])
def test_filters_do_not_hide_a_text(root: Path, shown: str) -> None:
    assert picked(root, "{% for b in blocks %}{{ " + shown + " }}\n{% endfor %}").payload().notices == ()


SECRET = "AKIA" + "Q7RZ4M2KX9PLT3WB"


def test_secrets_in_a_template_are_replaced_as_in_a_prompt(root: Path) -> None:
    session = picked(root, f"aws_access_key_id = {SECRET}\n{PLAIN}", "AGENTS.md")
    payload = session.payload()
    assert SECRET not in payload.text
    assert payload.text.startswith("aws_access_key_id = [redacted: aws-key]\n")
    assert payload.secrets == 1
    assert payload.tokens == get_counter().count(payload.text)
    with pytest.raises(ContextError, match=r"the template .*t\.j2 contains a secret"):
        session.with_output(secrets="fail").payload()
    assert SECRET in session.with_output(secrets="keep").payload().text


def test_texts_and_names_of_blocks_are_redacted(project: Project, tmp_path: Path) -> None:
    files = {f"{SECRET}.md": "# A\n", "b.md": "# B\n", "c.md": f"key: {SECRET}\n"}
    root = project(files).rename(tmp_path / SECRET)
    payload = picked(root, "{{ project }} {{ tree }} {{ full_tree }} {{ blocks }}" + PLAIN, *files).payload()
    assert SECRET not in payload.text
    assert payload.text.count("[redacted: aws-key]") >= 6


def test_the_tree_shows_what_is_picked_or_all_and_is_a_payload_alone(root: Path) -> None:
    payload = picked(root, "{{ tree }}--\n{{ full_tree }}", "src/main.py", "AGENTS.md").payload()
    tree, _, full = payload.text.partition("--\n")
    assert tree == f"{root.name}/\n├── src/\n│   └── main.py\n└── AGENTS.md\n"
    assert "deep/er/" in full
    assert "a.md" in full
    session = Workspace.open(root).session().with_tree("all")
    payload = session.payload()
    check_export(session, payload)
    assert "```text\n" in payload.text


@cases("form", FORMATS)
@cases("tree", ["picked", "all"])
def test_the_tree_is_a_block_of_every_format(root: Path, form: str, tree: str) -> None:
    session = Workspace.open(root).session().pick("src/main.py").with_output(form).with_tree(tree)  # type: ignore[arg-type]
    payload = session.payload()
    assert payload.tokens == get_counter().count(payload.text) == session.layout().tokens
    assert [block.id for block in payload.blocks] == ["(tree)", "src/main.py"]
    assert ("deep" in payload.text) == (tree == "all")
    assert session.with_budget(70).payload(over="cut").tokens <= 70
    assert [block.id for block in session.with_tree(None).payload().blocks] == ["src/main.py"]


def own(name: str, text: str) -> TemplateName:
    write(user_config_path("ctxtui") / "templates", f"{name}.j2", text)
    return TemplateName(name, "own")


def of_project(root: Path, name: str, text: str) -> TemplateName:
    write(root / ".ctxtui/templates", f"{name}.j2", text)
    return TemplateName(f".ctxtui/templates/{name}.j2", "project")


def test_your_own_are_used_and_a_projects_only_once_you_agreed(root: Path) -> None:
    mine, theirs = own("mine", "MINE " + PLAIN), of_project(root, "review", "THEIRS " + PLAIN)
    session = Workspace.open(root).session().pick("AGENTS.md")
    folder = session.workspace.reader.root
    assert known_templates(folder) == [mine, theirs]
    assert session.with_template(mine).payload().text.startswith("MINE # Agents")
    for shown in (session.with_template(theirs).payload, session.with_template(theirs).layout):
        with pytest.raises(ContextError, match="you have not agreed to its text") as refused:
            shown()
        assert "--template .ctxtui/templates/review.j2" in (refused.value.hint or "")
    agree(read_template(folder, theirs), folder)
    assert session.with_template(theirs).payload().text.startswith("THEIRS # Agents")
    (record,) = (user_state_path("ctxtui") / "templates").iterdir()
    assert record.stat().st_mode & 0o777 == 0o600
    # A yes is for one text, whatever its name.
    assert Template("a", "x").digest == Template("b", "x").digest != Template("a", "y").digest
    of_project(root, "review", "OTHER " + PLAIN)
    with pytest.raises(ContextError, match="you have not agreed"):
        session.with_template(theirs).payload()


def test_nothing_in_a_project_is_a_yes(root: Path) -> None:
    theirs = of_project(root, "review", PLAIN)
    folder = Workspace.open(root).reader.root
    digest = read_template(folder, theirs).digest
    for place in (".ctxtui", ".local/state/ctxtui", "."):
        write(root / place / "templates", f"{digest}.json", f'{{"digest": "{digest}"}}')
    with pytest.raises(ContextError, match="you have not agreed"):
        load_template(folder, theirs)
    # Nor is a yes to something else.
    write(user_state_path("ctxtui") / "mcp", f"{digest}.json", f'{{"digest": "{digest}"}}')
    with pytest.raises(ContextError, match="you have not agreed"):
        load_template(folder, theirs)


def test_what_leads_out_of_a_project_or_is_no_template_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "out.j2").write_text("out")
    (root / "link.j2").symlink_to(tmp_path / "out.j2")
    folder = Workspace.open(root).reader.root
    for name in ("link.j2", "../out.j2", str(tmp_path / "out.j2")):
        with pytest.raises(ContextError):
            read_template(folder, TemplateName.of(name))
    own("mine", "x")
    with pytest.raises(NotFound, match="no template mime") as told:
        read_template(folder, TemplateName.of("mime"))
    assert "mine" in (told.value.hint or "")
    for name, data, said in (
        ("bad", b"\xff", r"bad\.j2 is not valid UTF-8"),
        ("large", b"x" * 300_000, r"large\.j2"),
    ):
        (root / f"{name}.j2").write_bytes(data)
        with pytest.raises(ContextError, match=said):
            read_template(folder, TemplateName.of(f"{name}.j2"))
    with pytest.raises(ContextError, match="not a name for a template"):
        TemplateName.of("two words")


@pytest.mark.parametrize("name", ["mine", ".ctxtui/templates/review.j2", "docs/x.j2"])
def test_recipes_keep_template_and_tree(root: Path, name: str) -> None:
    which = TemplateName.of(name)
    session = Workspace.open(root).session().pick("AGENTS.md").with_template(which).with_tree("all")
    save_recipe(session, "r")
    selection = load_recipe(session.workspace, "r").selection
    assert (selection.template, selection.tree) == (which, "all")
    assert session.with_output(format="xml").selection.template is None


@pytest.mark.parametrize(
    ("line", "told"), [("template: two words", "r.yaml:2.*not a name"), ("tree: none", "picked or all|tree")]
)
def test_recipes_name_what_is_wrong(root: Path, line: str, told: str) -> None:
    write(root / ".ctxtui/recipes", "r.yaml", f"picks: [AGENTS.md]\n{line}\n")
    with pytest.raises(ContextError, match=told):
        load_recipe(Workspace.open(root), "r")


def test_room_that_left_out_blocks_leave_is_used(project: Project) -> None:
    """What a template adds to blocks that are left out is not paid for."""
    root = project({f"{number:02}.md": "word " * 30 + "\n" for number in range(40)})
    text = "{% for b in blocks %}" + "<<<{{ b.path }}>>> " * 5 + "\n{{ b.text }}{% endfor %}"
    payload = picked(root, text, *(f"{number:02}.md" for number in range(40))).with_budget(1000).payload(over="fit")
    assert 900 < payload.tokens <= 1000
    assert payload.tokens == get_counter().count(payload.text)
