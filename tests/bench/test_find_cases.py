"""Cases for finding: from a commit to the task, the changed files, tests and functions of the state before."""

import subprocess
from pathlib import Path

from tests.bench.find_cases import Case, Checkout, Function, cases, task_of

BEFORE = "def one() -> int:\n    return 1\n\n\ndef two() -> int:\n    return 2\n"
MESSAGE = (
    "Let two return three in shop/till.py\n\nSee https://example.org/1 and till.py.\n\nSigned-off-by: A <a@b.c>\n"
)


def test_a_fix_becomes_a_case(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()

    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", str(source), *who, *words], check=True, capture_output=True)

    def write(path: str, text: str) -> None:
        (source / path).parent.mkdir(exist_ok=True)
        (source / path).write_text(text)

    git("init", "-q")
    write("shop/till.py", BEFORE)
    write("tests/test_till.py", "def test_two() -> None:\n    pass\n")
    git("add", ".")
    git("commit", "-qm", "Begin with everything that there is")
    write("shop/till.py", BEFORE.replace("return 2", "return 3"))
    write("tests/test_till.py", "def test_two() -> None:\n    assert True\n")
    git("commit", "-qam", MESSAGE)
    checkout = Checkout(source, tmp_path / "clone")
    [found] = cases(checkout.folder, 5)
    wanted = (("shop/till.py",), ("tests/test_till.py",), (Function("shop/till.py", 5, 6),))
    assert found == Case(found.parent, task_of(MESSAGE), *wanted)
    checkout.move(found.parent)
    assert (checkout.folder / "shop/till.py").read_text() == BEFORE


def test_a_task_has_no_paths_addresses_and_trailers() -> None:
    assert task_of(MESSAGE) == "Let two return three in \n\nSee and ."
    assert task_of("Fix a.b() in x.py (#12)") == "Fix a.b() in"
    assert task_of("Fix Style/NameOrder in lib/style", ["lib/style/name_order.rb"]) == "Fix Style/NameOrder in"
