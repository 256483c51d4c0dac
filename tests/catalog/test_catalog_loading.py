"""Method 3: the loading protocol, and what stands in for it."""

from ctxtui.catalog import LoadingProtocol, MarkdownFileContextProvider, ProtocolStep
from ctxtui.catalog.protocol.protocol_file import PRIORITIES, STEPS
from tests.cases import cases
from tests.catalog.conftest import Make

TEXT = """# Protocol

## Step 2: Load "Always" Files

**Action**: Load files marked *always*.

- one `a.md`
* two

## Step 1 - Read the Index {#one}

Open it.

```
## Step 9: no
- no
```

## Step 4: Load

**Token Budget**: Aim to load 4-6 context files maximum.

1. Always (mandatory)
2. **Framework**

## Quick

```
4. (max 9 files total)
```
"""


def test_steps_budget_and_priorities_are_read(make: Make) -> None:
    made = make({"loading_protocol.md": TEXT, "x/a.md": ""})
    assert made.provider.get_loading_protocol() == LoadingProtocol(
        (
            ProtocolStep(1, "Read the Index", "Open it.", ()),
            ProtocolStep(2, 'Load "Always" Files', "Load files marked always.", ("one a.md", "two")),
            ProtocolStep(4, "Load", "Token Budget: Aim to load 4-6 context files maximum.", ()),
        ),
        6,
        ("Always (mandatory)", "Framework"),
    )
    assert made.notices == []


@cases(
    ("text", "budget"),
    [
        *(("load 4-6 files", 6), ("3 to 5 context files", 5), ("4–8 context files", 8), ("at most 7 files", 7)),
        *(("up to 3 files", 3), ("maximum: 9 files", 9), ("0-0 files", 6), ("nothing", 6)),
    ],
)
def test_the_budget_is_the_upper_bound(make: Make, text: str, budget: int) -> None:
    made = make({"loading_protocol.md": f"# P\n\n## Step 1: A\n\n{text}\n"})
    assert made.provider.get_loading_protocol().token_budget == budget


def test_what_is_missing_is_that_of_the_standard_protocol(make: Make) -> None:
    made = make({"x/a.md": ""}, max_files=5)
    assert made.provider.get_loading_protocol() == LoadingProtocol(STEPS, 5, PRIORITIES)
    assert made.codes == ["no-loading-protocol"]
    assert [step.number for step in STEPS] == [1, 2, 3, 4, 5]
    made = make({"loading_protocol.md": "# P\n"})
    assert made.provider.get_loading_protocol().steps == STEPS
    assert made.codes == ["no-protocol-steps"]


def test_the_real_protocol(forge: object) -> None:
    protocol = MarkdownFileContextProvider(str(forge)).get_loading_protocol()
    first, *_ = protocol.steps
    assert [step.number for step in protocol.steps] == [1, 2, 3, 4, 5]
    assert (first.title, len(first.actions)) == ("Read Domain Index", 3)
    assert first.description.startswith("Read context/{domain}/index.md")
    assert (protocol.token_budget, protocol.priority_order) == (6, PRIORITIES)
