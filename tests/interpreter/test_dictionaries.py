"""Dictionaries whose keys only execution knows: how many there are is open, what they hold is not forgotten."""

from __future__ import annotations

from looking import seen

from mlvet.domains.dims import Expr, symbol
from mlvet.frontends.python.program import interpret_text

NAMES = {"n": symbol("n", low=1)}


def test_a_loop_of_any_length_fills_a_dictionary_with_any_number_of_entries() -> None:
    found = interpret_text(
        "import numpy as np\nd = {}\nfor i in range(n):\n    d[i] = np.zeros((3, 4))\n"
        "a = len(d)\nkeys = list(d)\nx = d[2]\ny = np.stack(list(d.values()))\n",
        NAMES,
    )
    assert (seen(found, "a"), seen(found, "keys")) == ("entries", "[i] * count")
    assert seen(found, "x") == "f64[3, 4]"
    assert seen(found, "y").endswith(", 3, 4]")


def test_what_a_default_dictionary_makes_for_an_unknown_key_is_kept() -> None:
    found = interpret_text(
        "import collections\nimport numpy as np\nd = collections.defaultdict(list)\n"
        "for user, film in np.random.randint(0, 9, (50, 2)):\n    d[user].append({'film': film})\n"
        "for user in d:\n    films = [int(each['film']) for each in d[user]]\n    x = np.array(films)\nmany = len(d)\n"
    )
    assert seen(found, "x").startswith("i64[")
    assert seen(found, "x") != "i64[0]"
    assert seen(found, "many").startswith("entries")


def test_a_size_is_a_key_like_any_other() -> None:
    found = interpret_text("import numpy as np\nd = {}\nd[n] = np.zeros(3)\nx = d[n]\na = len(d)\n", NAMES)
    assert (seen(found, "x"), found.names["a"]) == ("f64[3]", 1)


def test_entries_that_a_loop_makes_or_extends_have_any_number_of_items() -> None:
    found = interpret_text(
        "m = {}\nfor line in open('captions').readlines():\n    name, caption = line.split(':')\n"
        "    if name in m:\n        m[name].append(caption)\n    else:\n        m[name] = [caption]\n"
        "x = list(m.values())[0]\n"
    )
    assert "[str] * count" in seen(found, "x")


def test_an_entry_that_one_branch_adds_is_perhaps_not_counted() -> None:
    found = interpret_text(
        "import sys\nkept = {'a': 1}\nif len(sys.argv) > 1:\n    kept['b'] = 2\nn = len(kept)\n"
        "kept['b'] = 3\nother = {'a': 1}\nif len(sys.argv) > 1:\n    other['a'] = 2\nm = len(other)\n"
    )
    assert isinstance(found.names["n"], Expr)
    assert found.names["m"] == 1


def test_dictionaries_of_sizes_under_any_keys_are_joined() -> None:
    found = interpret_text(
        "import sys\nkept = {}\nfor i in range(n):\n    kept[str(i)] = i\n"
        "other = {}\nfor i in range(n):\n    other[str(i)] = 2 * i\n"
        "rows = [kept, other]\nfor i in range(n):\n    rows.append(kept)\nlast = rows[-1]\nv = last['3']\n",
        NAMES,
    )
    assert isinstance(found.names["v"], Expr)
