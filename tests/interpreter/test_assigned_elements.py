"""Elements that a program assigns: an array is no longer what it was, even where the index says nothing."""

from __future__ import annotations

from looking import seen

from mlvet.frontends.python.program import interpret_text


def test_elements_are_assigned_by_a_range() -> None:
    found = interpret_text(
        "import numpy as np\ny = np.zeros(40)\nfor k in range(4):\n    y[range(10 * k, 10 * k + 10)] = k\n"
        "w = np.zeros((5, len(np.unique(y))))\n"
    )
    assert seen(found, "w") == "f64[5, 4]"


def test_an_array_forgets_its_elements_if_the_index_is_not_known() -> None:
    found = interpret_text(
        "import numpy as np\nimport json\nmask = json.load(open('mask.json')) == 1\n"
        "y = np.zeros(40)\ny[mask] = 1\nw = np.zeros((5, len(np.unique(y))))\n"
    )
    assert seen(found, "w") != "f64[5, 1]"
