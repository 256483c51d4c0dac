"""The user's own keys: ids are checked, keys that would not act are refused, clashes are told."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError
from ctxtui.tui.keys.commands import COMMANDS, FIXED, OVERLAYS, useful_commands
from ctxtui.tui.keys.key_names import is_typed, split_keys
from ctxtui.tui.keys.keymap import check_keys, clashes, is_key
from tests.cases import cases

IDS = sorted({command.id for command in COMMANDS})


@settings(max_examples=20)
@given(st.text(max_size=20))
def test_whatever_the_id_it_exists_or_another_is_named(id_: str) -> None:
    if id_ in FIXED:
        with pytest.raises(ContextError, match="cannot be remapped"):
            check_keys({id_: "f9"})
    elif id_ in IDS:
        check_keys({id_: "f9"})
    else:
        with pytest.raises(ContextError) as caught:
            check_keys({id_: "f9"})
        named = any(f"`{known}`" in str(caught.value.hint) for known in IDS)
        assert named or caught.value.hint == "see ctxtui help keys"


@cases("id_", ["field_clear", "scope", "engine", "field_pick", "store", "position"])
def test_what_one_needs_while_typing_gets_no_character(id_: str) -> None:
    for keys in ("x", "space", "?", "question_mark,minus"):
        with pytest.raises(ContextError, match="would be typed"):
            check_keys({id_: keys})
    check_keys({id_: "x,f9"})


def test_the_keys_of_dialogs_that_act_are_fixed() -> None:
    """They answer and leave every dialog; nothing else of a dialog starts, writes or sends."""
    assert {command.id for command in COMMANDS if "confirm" in command.bound_by} <= FIXED
    for id_ in FIXED:
        with pytest.raises(ContextError, match=rf"`{id_}` cannot be remapped"):
            check_keys({id_: "n"})


@cases(
    ("id_", "keys", "message", "hint"),
    [
        ("sorrt", "Z", "`sorrt` does not exist", "did you mean `sort`?"),
        ("homefiles", "Z", "`homefiles` does not exist", "did you mean `home_files`?"),
        ("next-tab", "Z", "`next-tab` does not exist", "did you mean `next_tab`?"),
        ("\x1b[31mx", "Z", "`␛[31mx` does not exist", "see ctxtui help keys"),
        ("pick", "a,", "`pick` has an empty key", "separate keys with commas"),
        ("pick", "ctlr+x", "names a key that does not exist", "`ctrl`"),
        ("pick", "f55", "names a key that does not exist", "`f5`"),
        ("pick", "escpe", "names a key that does not exist", "`escape`"),
        ("pick", "a,pagdown", "names a key that does not exist", "`pagedown`"),
        ("pick", "ctrl+shfit+a", "names a key that does not exist", "`shift`"),
    ],
)
def test_what_cannot_be_bound_is_named_with_what_can(id_: str, keys: str, message: str, hint: str) -> None:
    with pytest.raises(ContextError) as caught:
        check_keys({id_: keys})
    assert caught.value.message.startswith("[keys]: ")
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


def test_every_key_of_the_table_exists_and_characters_are_known() -> None:
    assert [key for command in COMMANDS for key in split_keys(command.keys) if not is_key(key)] == []
    assert all(map(is_key, ("ctrl+shift+f5", "é", "vertical_line", "+", "latin_small_letter_e_with_acute")))
    for key in ("a", "7", "?", "question_mark", "space", "minus", "vertical_line", "é"):
        assert is_typed(key), key
    for key in ("up", "tab", "escape", "enter", "f2", "ctrl+s", "pageup", "home", "shift+up"):
        assert not is_typed(key), key


def test_a_key_that_means_two_things_is_told() -> None:
    assert clashes({}) == []
    assert clashes({"sort": "Z"}) == []
    assert clashes({"pick": "a", "pick_shown": "space"}) == []
    assert clashes({"sort": "T"}) == ["T is the key of both sort and tasks (main)"]
    assert clashes({"fewer_files": "k"}) == ["k is the key of both fewer_files and up (detect)"]
    assert clashes({"view": "/"}) == ["/ is the key of both filter and view (audit)"]


# Commands that mean the same on their screens: leave, write text, change the text, more or less of something.
_ALIKE = [
    {*ids.split()}
    for ids in ("quit close", "prompt new triggers", "editor edit", "rendered view", "next_match no", "copy yes")
] + [{"wider", "more_files"}, {"narrower", "fewer_files"}]


def test_a_letter_means_one_thing_on_every_screen() -> None:
    meanings: dict[str, set[str]] = {}
    for command in COMMANDS:
        for key in filter(is_typed, split_keys(command.keys)):
            meanings.setdefault(key, set()).add(command.id)
    several = [found for found in meanings.values() if len(found) > 1]
    assert [found for found in several if found not in _ALIKE] == []


def test_the_first_help_has_a_dozen_keys_at_most() -> None:
    for screen in ("main", *OVERLAYS, "fleet"):
        assert 0 < len(useful_commands(screen)) <= 12
