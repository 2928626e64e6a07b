"""Random Python programs that always end: numbers, strings, containers, control flow, functions, classes.

Names tell what a variable holds: x numbers, s strings, l lists, d dictionaries, t tuples. Every variable is bound
before the program proper begins, so that most programs run without raising. What is called u is not known beforehand.
"""

from __future__ import annotations

from hypothesis import strategies as st

NUMBERS = ("x0", "x1", "x2")
STRINGS = ("s0", "s1")
LISTS = ("l0", "l1")
DICTS = ("d0",)
TUPLES = ("t0",)
VARIABLES = (*NUMBERS, *STRINGS, *LISTS, *DICTS, *TUPLES)
START = "x0, x1, x2 = 3, -1, 2\ns0, s1 = 'ab', ''\nl0, l1 = [1, 2], []\nd0 = {'a': 1}\nt0 = (1, 2, 3)\ncaught = []\n"
CAUGHT = "caught.append(x0)"

UNKNOWN = "u"

atoms = st.integers(-3, 9).map(str) | st.sampled_from(NUMBERS)
truths = st.deferred(
    lambda: (
        st.builds("{} {} {}".format, numbers, st.sampled_from(["<", "<=", "==", "!=", ">", ">="]), numbers)
        | st.builds("{} in {}".format, numbers, st.sampled_from([*LISTS, *TUPLES]))
        | st.builds("not ({})".format, truths)
        | st.builds("({}) {} ({})".format, truths, st.sampled_from(["and", "or"]), truths)
        | st.builds("bool({})".format, st.sampled_from(VARIABLES))
        | st.builds("{} < {} < {}".format, atoms, atoms, atoms)
        | st.builds(
            "isinstance({}, {})".format, st.sampled_from(VARIABLES), st.sampled_from(["int", "str", "list", "dict"])
        )
    )
)
numbers: st.SearchStrategy[str] = st.recursive(
    atoms,
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*"]), inner)
        | st.builds("({} // ({} * {} + 1))".format, inner, inner, inner)
        | st.builds("({} % 5)".format, inner)
        | st.builds("(-{})".format, inner)
        | st.builds("({} if {} else {})".format, inner, truths, inner)
        | st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner)
        | st.builds("abs({})".format, inner)
        | st.builds("len({})".format, st.sampled_from([*STRINGS, *LISTS, *DICTS, *TUPLES]))
        | st.builds("sum({})".format, st.sampled_from(LISTS))
        | st.builds("{}[{} % 3]".format, st.sampled_from(TUPLES), inner)
        | st.builds("d0.get({!r}, {})".format, st.sampled_from("abc"), inner)
        | st.builds("f0({})".format, inner)
        | st.builds("f1({}, k={})".format, inner, inner)
        | st.builds("C0({}).m({})".format, inner, inner)
        | st.builds("(lambda n, m={}: n - m)({})".format, inner, inner)
    ),
    max_leaves=4,
)
strings = (
    st.sampled_from([*STRINGS, "'x'", "'a,b'"])
    | st.builds("({} + {})".format, st.sampled_from(STRINGS), st.sampled_from(STRINGS))
    | st.builds("str({})".format, numbers)
    | st.builds("f'{{{}}}-{{{}}}'".format, atoms, st.sampled_from(STRINGS))
    | st.builds("'{{}}:{{:>3}}'.format({}, {})".format, numbers, atoms)
    | st.builds("{}.{}()".format, st.sampled_from(STRINGS), st.sampled_from(["upper", "lower", "strip", "title"]))
    | st.builds("','.join(map(str, {}))".format, st.sampled_from(LISTS))
    | st.builds("{}[{}:]".format, st.sampled_from(STRINGS), st.integers(-2, 2))
)
lists = (
    st.sampled_from(LISTS)
    | st.lists(numbers, max_size=3).map(lambda each: f"[{', '.join(each)}]")
    | st.builds("[{} for n in range({}) if n != {}]".format, st.just("n * 2"), st.integers(0, 4), atoms)
    | st.builds("[n + {} for n in {}]".format, atoms, st.sampled_from(LISTS))
    | st.builds("list(range({}, {}))".format, st.integers(-2, 3), st.integers(0, 5))
    | st.builds("sorted({})".format, st.sampled_from([*LISTS, *TUPLES]))
    | st.builds("({} + {})[:6]".format, st.sampled_from(LISTS), st.sampled_from(LISTS))
    | st.builds("{}[::-1]".format, st.sampled_from(LISTS))
    | st.builds("list(map(f0, {}))[:5]".format, st.sampled_from(LISTS))
    | st.builds("[*{}, {}][-5:]".format, st.sampled_from(TUPLES), numbers)
)
tuples = (
    st.tuples(numbers, numbers, numbers).map(lambda each: f"({', '.join(each)})")
    | st.builds("(*{}, 1, 2, 3)[:3]".format, st.sampled_from(LISTS))
    | st.just("t0[::-1]")
)


def _block(lines: list[str], indent: str = "    ") -> str:
    return "\n".join(f"{indent}{line}" for text in lines for line in text.split("\n"))


def _some(inner: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(inner, min_size=1, max_size=3)


simple = (
    st.builds("{} = {}".format, st.sampled_from(NUMBERS), numbers)
    | st.builds("{} {}= {}".format, st.sampled_from(NUMBERS), st.sampled_from("+-*"), atoms)
    | st.builds("{} = {}".format, st.sampled_from(STRINGS), strings)
    | st.builds("{} = {}".format, st.sampled_from(LISTS), lists)
    | st.builds("{} = {}".format, st.sampled_from(TUPLES), tuples)
    | st.builds("{}.append({})".format, st.sampled_from(LISTS), numbers)
    | st.builds("{}.insert(0, {})".format, st.sampled_from(LISTS), atoms)
    | st.builds("{}[:1] = [{}]".format, st.sampled_from(LISTS), atoms)
    | st.builds("d0[{!r}] = {}".format, st.sampled_from("abc"), numbers)
    | st.builds("d0.update({}={})".format, st.sampled_from("abc"), atoms)
    | st.builds("d0 = {{k: v + {} for k, v in d0.items()}}".format, atoms)
    | st.builds("{}, {} = {}, {}".format, st.sampled_from(NUMBERS), st.sampled_from(NUMBERS), numbers, numbers)
    | st.builds("x0, *l0 = {}".format, tuples)
    | st.builds("c0.n = {}\nx1 = c0.n + C0.shared".format, numbers)
    | st.builds("C0.shared += {}".format, atoms)
    | st.builds("global_counter.append({})".format, atoms)
    | st.builds("f2()".format)
    | st.builds("x2 = sum(g0({}))".format, st.integers(0, 4))
    | st.builds("l1 = [a * b for a, b in zip({}, {})]".format, st.sampled_from(LISTS), st.sampled_from(TUPLES))
    | st.builds("x0 = next((n for n in {} if n > {}), {})".format, st.sampled_from(LISTS), atoms, atoms)
    | st.just("del l0[1:]")
    | st.builds("x0 = {}[{}]".format, st.sampled_from([*LISTS, *TUPLES]), st.integers(-3, 4))
    | st.builds("x1 = d0[{!r}] // {}".format, st.sampled_from("abc"), st.sampled_from([*NUMBERS, "2"]))
    | st.builds("x2 = int({})".format, st.sampled_from([*STRINGS, "'7'"]))
    | st.builds("x0 = f3({})".format, numbers)
)
statements: st.SearchStrategy[str] = st.recursive(
    simple,
    lambda inner: st.builds(lambda test, body: f"if {test}:\n{_block(body)}", truths, _some(inner))
    | st.builds(
        lambda test, body, other: f"if {test}:\n{_block(body)}\nelse:\n{_block(other)}",
        truths, _some(inner), _some(inner),
    )
    | st.builds(lambda count, body: f"for i in range({count}):\n{_block(body)}", st.integers(0, 4), _some(inner))
    | st.builds(
        lambda name, test, word, body: f"for i in list({name})[:4]:\n    if {test}:\n        {word}\n{_block(body)}",
        st.sampled_from([*LISTS, *TUPLES]), truths, st.sampled_from(["break", "continue"]), _some(inner),
    )
    | st.builds(
        lambda count, body, other: f"n = {count}\nwhile n > 0:\n    n -= 1\n{_block(body)}\nelse:\n{_block(other)}",
        st.integers(0, 4), _some(inner), _some(inner),
    )
    | st.builds(
        lambda body, error, other: (
            f"try:\n{_block(body)}\n    raise {error}\nexcept {error}:\n    {CAUGHT}\n{_block(other)}"
        ),
        _some(inner), st.sampled_from(["ValueError", "KeyError('a')", "IndexError"]).map(lambda e: e.partition("(")[0]),
        _some(inner),
    )
    | st.builds(
        lambda a, body: (
            f"try:\n    {a}.pop()\n{_block(body)}\nexcept LookupError:\n    {CAUGHT}\nfinally:\n    x1 = 0"
        ),
        st.sampled_from(LISTS), _some(inner),
    ),
    max_leaves=6,
)  # fmt: skip


DECIDE_TRIPS = ("range(", "n -= ", "n = ", "n > ", "i == ")


@st.composite
def open_programs(draw: st.DrawFn) -> str:
    """A program whose numbers and branches hang on what u is, but not how often loops run and what generators yield.

    Loops whose trips are not known are taken to run, and a generator to yield all that it may.
    """
    text = draw(programs())
    places = [
        index
        for index, char in enumerate(text)
        if index > len(START) and char.isdigit() and text[index - 1] in " (" and text[index + 1] in " ),:]\n"
        if not any(word in text[index - 6 : index] for word in DECIDE_TRIPS)
    ]
    for index in draw(st.lists(st.sampled_from(places), min_size=1, max_size=3, unique=True)) if places else ():
        text = f"{text[:index]}{UNKNOWN}{text[index + 1 :]}"
    return text


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program that ends by itself, and raises seldom."""
    f0 = f"def f0(n):\n    if n > {draw(st.integers(-2, 3))}:\n        return n - 1\n    return {draw(atoms)}"
    f1 = f"def f1(n, *rest, k={draw(st.integers(0, 3))}, **more):\n    return n * k + len(rest) + len(more)"
    f2 = f"def f2():\n    global x2\n    x2 = x2 + {draw(st.integers(0, 3))}\n    global_counter.append(x2)"
    f3 = "def f3(n):\n    assert n % 7 != 0, 'no'\n    return n"
    g0 = "def g0(n):\n    for i in range(n):\n        if i == 2:\n            continue\n        yield i * 2"
    method = f"def m(self, k):\n        self.n += k\n        return self.n - {draw(atoms)}"
    c0 = f"class C0:\n    shared = 1\n    def __init__(self, n):\n        self.n = n\n    {method}"
    head = [START.rstrip(), "global_counter = []", f0, f1, f2, f3, g0, c0, "c0 = C0(1)"]
    return "\n".join([*head, *draw(st.lists(statements, min_size=1, max_size=6))]) + "\n"
