"""Cases for finding: from a commit to the task, the changed files, tests and functions of the state before."""

from pathlib import Path

from tests.audit.repositories import Repo
from tests.bench.find_cases import Case, Checkout, Function, cases, task_of

BEFORE = "def one() -> int:\n    return 1\n\n\ndef two() -> int:\n    return 2\n"
MESSAGE = "Let two return three in shop/till.py\n\nSee https://example.org/1 and till.py.\n\nCc: A <a@b.c>\n"


def test_a_fix_becomes_a_case(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "source")
    test = "def test_two() -> None:\n    pass\n"
    repo.commit({"shop/till.py": BEFORE, "tests/test_till.py": test}, "Begin with everything that there is")
    after = {"shop/till.py": BEFORE.replace("return 2", "return 3"), "tests/test_till.py": test.replace("pass", "1")}
    repo.commit(after, MESSAGE)
    checkout = Checkout(repo.root, tmp_path / "clone")
    [found] = cases(checkout.folder, 5)
    changed = Function("shop/till.py", 5, 6)
    assert found == Case(found.parent, task_of(MESSAGE), ("shop/till.py",), ("tests/test_till.py",), (changed,))
    checkout.move(found.parent)
    assert (checkout.folder / "shop/till.py").read_text() == BEFORE


def test_a_task_has_no_paths_addresses_and_trailers() -> None:
    assert task_of(MESSAGE) == "Let two return three in \n\nSee and ."
    assert task_of("Fix a.b() in x.py (#12)") == "Fix a.b() in"
    assert task_of("Fix Style/NameOrder in lib/style", ["lib/style/name_order.rb"]) == "Fix Style/NameOrder in"
