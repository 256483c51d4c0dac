import threading

import pytest

from ctxtui.core.base.lru import Memo


def test_a_value_is_made_once() -> None:
    memo: Memo[str, int] = Memo(10)
    assert [memo.get("a", lambda: 1), memo.get("a", lambda: 2)] == [1, 1]


def test_the_one_not_used_longest_is_forgotten_first() -> None:
    memo: Memo[str, str] = Memo(10, len)
    for key in ("a", "b", "c"):
        memo.get(key, lambda key=key: key * 3)  # type: ignore[misc]
    memo.get("a", lambda: "again")
    memo.get("d", lambda: "dddd")
    assert memo.get("a", lambda: "made anew") == "aaa"
    assert memo.get("b", lambda: "made anew") == "made anew"


def test_one_value_above_the_bound_is_kept() -> None:
    memo: Memo[str, str] = Memo(3, len)
    memo.get("a", lambda: "longer than that")
    assert memo.get("a", lambda: "made anew") == "longer than that"


def test_a_failure_is_not_remembered() -> None:
    memo: Memo[str, int] = Memo(3)
    with pytest.raises(ZeroDivisionError):
        memo.get("a", lambda: 1 // 0)
    assert memo.get("a", lambda: 1) == 1


def test_threads_get_the_same_value() -> None:
    memo: Memo[str, object] = Memo(10)
    barrier = threading.Barrier(4)
    found: list[object] = []

    def ask() -> None:
        barrier.wait()
        found.append(memo.get("a", object))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, found))) == 1
