"""A traced program behaves as without mlvet: output, errors, tracebacks and exit status bit for bit."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from traced_runs import again, log_of, plain, program, traced

PROGRAMS = {
    "classes": """
        class Account:
            rate = 1.5 if True else 2.5
            def __init__(self, start: float) -> None:
                self.value = start
            @property
            def grown(self):
                return self.value * self.rate if self.value > 0 else 0.0
            @classmethod
            def of(cls, text):
                return cls(float(text))
            @staticmethod
            def sign(x):
                if x < 0:
                    return -1
                elif x == 0:
                    return 0
                return 1
        print([Account.of(x).grown for x in ("1", "-2", "3.25")], Account.sign(-2.0), vars(Account(1.0)))
        print(sorted(k for k in vars(Account) if not k.startswith("__")))
    """,
    "generators": """
        def steps(limit):
            x = 1.0
            while x < limit:
                got = yield x
                x = x * 1.5 if got is None else got
        g = steps(20.0)
        print(next(g), next(g), g.send(9.0), list(g))
        def outer():
            try:
                result = yield from steps(5.0)
            finally:
                print("closed")
        h = outer(); print(next(h)); h.close()
        print(sum(x for x in steps(50) if x > 3))
    """,
    "comprehensions": """
        def f(n):
            a = [x * 0.5 for x in range(n) if x % 3 == 0 if x > 2]
            b = {x: y for x in range(n) for y in range(x) if x > y > 2}
            c = {x if x > 5 else -x for x in range(n)}
            d = [[y for y in range(x) if y < x / 2] for x in range(n)]
            e = [x for x in (range(n) if n > 3 else []) if x != 1 and x > 0 or x == 7]
            return a, b, sorted(c), d, e, [(lambda z: z if z > 2 else 0)(q) for q in range(5)]
        print(f(12))
        print([x for x in range(10) if x > 4.5], (lambda y: y > 1 and y)(3))
    """,
    "dying_objects": """
        import weakref
        class Noisy:
            def __init__(self, name): self.name = name
            def __del__(self): print("gone", self.name)
        def scaled(x): return x * 2.5 if x > 1 else x
        alone, circle = Noisy("alone"), [Noisy("circle")]
        circle.append(circle)
        weakref.finalize(alone, print, "finalized")
        class Holder:
            held = Noisy("class")
        def opened():
            try:
                yield 1
            finally:
                print("closed")
        generator = opened(); next(generator)
        print(scaled(2.0))
    """,
    "recursion": """
        import sys
        def depth(n):
            try:
                return depth(n + 1)
            except RecursionError:
                return n
        def fib(n):
            return n if n < 2 else fib(n - 1) + fib(n - 2)
        print(fib(15), depth(0), sys.getrecursionlimit())
        sys.setrecursionlimit(300); print(depth(0), sys.getrecursionlimit())
    """,
    "exceptions": """
        import traceback
        def risky(x):
            for i in range(3):
                try:
                    if i > x / 2:
                        raise ValueError(i)
                except ValueError as error:
                    traceback.print_exc()
                    print(traceback.format_exc(), error.args)
                    continue
                else:
                    print("fine", i)
                finally:
                    print("finally", i)
            return x
        risky(1.0)
        try:
            open("/nonexistent/file")
        except OSError:
            print(traceback.format_exc())
        try:
            try:
                1 / 0
            except ZeroDivisionError as e:
                raise KeyError("x") from e
        except KeyError:
            print(traceback.format_exc())
    """,
    "pickling": """
        import copy, pickle
        class Point:
            def __init__(self, x, y):
                self.x, self.y = x, y
            def far(self):
                return self.x > 1.0
        def scale(p):
            return p.x * 2.0
        data = pickle.dumps((Point(1.0, 2.0), scale))
        p, f = pickle.loads(data)
        print(data, type(p), f(p), f is scale, copy.deepcopy(p).far(), Point.__module__, scale.__qualname__)
    """,
    "decorators": """
        import functools
        def twice(f):
            @functools.wraps(f)
            def inner(*args, **kwargs):
                return f(*args, **kwargs) * 2.0
            return inner
        @twice
        def g(x: "float", *, y=3 if True else 4) -> "float":
            "Documented."
            return x + y if x > 0 else y
        @functools.lru_cache(maxsize=None)
        def h(n):
            return 1.0 if n < 2 else h(n - 1) * n
        print(g(1), g(-1, y=2), g.__doc__, g.__wrapped__.__annotations__, h(20), h.cache_info())
    """,
    "async_code": """
        import asyncio
        async def ticks(n):
            for i in range(n):
                if i > 1.5:
                    await asyncio.sleep(0)
                yield i * 0.5
        async def main():
            total = 0.0
            async for t in ticks(5):
                total += t if t > 0.5 else 0.0
            values = [x async for x in ticks(4) if x > 0]
            return total, values, await asyncio.gather(*(asyncio.sleep(0, i) for i in range(3)))
        print(asyncio.run(main()))
    """,
    "match_and_walrus": """
        def kind(x):
            match x:
                case int() | float() if x > 10.0:
                    return "large"
                case [a, b, *rest]:
                    return f"list {a + b} {rest}"
                case {"k": v}:
                    return v * 2.0
                case _:
                    return "other"
        print([kind(x) for x in (11, 3, [1, 2, 3], {"k": 4}, "s")])
        def first(xs):
            while (n := len(xs)) > 2:
                xs = xs[1:]
            return n, xs, [y for x in xs if (y := x * 2) > 4]
        print(first([1, 2, 3, 4]))
    """,
    "scopes": """
        total = 0.0
        def add(x):
            global total
            if x > 0:
                total += x
            return total
        def counter():
            n = 0
            def step(by=1):
                nonlocal n
                for i in range(3):
                    if i > 1:
                        n += by
                return n
            return step
        c = counter()
        print(add(1.5), add(-1), c(), c(2), total)
        def namespace():
            for i in range(3):
                if i > 1.0:
                    x = i
            return sorted(locals())
        print(namespace(), sorted(globals()), dir())
        exec("y = 5 if total > 1 else 6\\nprint(y)")
        print(eval("[z for z in range(4) if z > 1]"), __name__, __file__[-10:], __doc__, __spec__, __package__)
    """,
    "inspection": '''
        """The module's text."""
        from __future__ import annotations
        import inspect, sys, warnings
        def f(a, b=2.0, *args, c: float = 3.0, **kw) -> list[float]:
            """Documented."""
            out = []
            for x in range(3):
                for y in range(2):
                    if x * y > a:
                        out.append(x)
            return out
        print(inspect.getsource(f), inspect.signature(f), f.__doc__, f(0), f.__annotations__, f.__code__.co_firstlineno)
        print(__doc__, inspect.getsourcefile(f)[-10:], hash(f.__code__) == hash(f.__code__))
        print(sys.argv, sys.path[0] == __file__.rsplit("/", 1)[0], len(sys.path), __loader__.get_source("__main__")[:9])
        warnings.warn("careful")
        def deprecated():
            warnings.warn("old", DeprecationWarning, stacklevel=2)
        deprecated()
    ''',
    "numbers": """
        import math
        def newton(f, x, tolerance=1e-12):
            for step in range(100):
                value = f(x)
                slope = (f(x + 1e-7) - value) / 1e-7
                new = x - value / slope
                if abs(new - x) < tolerance:
                    return new, step
                x = new
            raise ArithmeticError("no root")
        print(newton(lambda x: x * x - 2 if x > 0 else -x, 1.0))
        best = None
        for k in range(1, 50):
            for j in range(1, 50):
                d = abs(k / j - math.pi)
                if best is None or d < best[0]:
                    best = d, k, j
        print(best, float("nan") < 1.0, max(3.0, float("inf")))
    """,
    "raising": """
        def outer(x):
            for i in range(3):
                for j in range(3):
                    if x > i:
                        inner(
                            x,
                            i,
                        )
        def inner(x, i):
            assert x < 1.0, f"too large: {x}"
        outer(2.5)
    """,
    "exiting": "import sys\nprint('a')\nsys.exit(7)\n",
    "exiting_with_words": "import sys\nprint('a')\nsys.exit('words')\n",
    "syntax_error": "x = 1\nprint(x\n",
    "leaving_at_once": "import os\nprint('lost')\nos._exit(9)\n",
    "hooked": """
        import atexit, sys, threading
        def hook(kind, error, trace):
            print("hook", kind.__name__, error, trace.tb_lineno, trace.tb_next)
        sys.excepthook = hook
        atexit.register(print, "at exit")
        t = threading.Thread(target=lambda: print("thread", threading.main_thread() is threading.current_thread()))
        t.start(); t.join()
        raise ValueError("end")
    """,
    "bytes_out": """
        import sys
        sys.stdout.write("é\\n"); sys.stdout.flush()
        sys.stdout.buffer.write(b"\\xff\\n")
        sys.stderr.write("to stderr\\n")
        print(sys.stdout.name, sys.stdout.mode, sys.stdout.fileno(), sys.stdin.name, sys.stdout.encoding, end="")
        print(sys.stdout.buffer.raw.mode, sys.stdin.mode, sys.stdout.line_buffering)
    """,
    "forking": """
        import os, sys
        if os.fork() == 0:
            print("child", flush=True)
            sys.exit(3)
        print("parent", os.wait()[1] >> 8)
    """,
    "many_processes": """
        import multiprocessing, os
        def square(x):
            return x * x if x > 1.0 else x
        if __name__ == "__main__":
            for way in ("fork", "spawn"):
                with multiprocessing.get_context(way).Pool(2) as pool:
                    print(way, pool.map(square, [0.5, 2.0, 3.0]))
            print("PYTHONHASHSEED" in os.environ)
    """,
    "shadowing": "import json\nprint(json.MINE)\n",
    "chained": """
        def f(a, b, c):
            r = a < b < c
            s = a > b and c or b
            t = not (a > b or b > c)
            return r, s, t, [1, 2][a > b], a if b > c else b if a > c else c
        print(f(1.0, 2.0, 3.0), f(3.0, 2.0, 1.0))
        class Odd:
            calls = 0
            def __bool__(self):
                Odd.calls += 1
                return True
            def __lt__(self, other):
                return Odd()
        def g(x):
            for i in range(2):
                for j in range(2):
                    if x:
                        pass
                    while x < 2:
                        break
            return 1.0
        g(Odd()); print(Odd.calls)
    """,
}


def dedented(text: str) -> str:
    import textwrap

    return textwrap.dedent(text).lstrip("\n")


@pytest.mark.parametrize("mode", ["default", "full"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_unchanged(name: str, mode: str, tmp_path: Path) -> None:
    program(tmp_path, dedented(PROGRAMS[name]))
    if name == "shadowing":
        program(tmp_path, "MINE = 'beside the script'\n", "json.py")
    expected = plain(tmp_path, "program.py", "--output", "x", given=b"in")
    found = traced(tmp_path, "--log", mode, "program.py", "--output", "x", given=b"in")
    assert (found.returncode, found.stdout, found.stderr) == (expected.returncode, expected.stdout, expected.stderr)
    assert log_of(tmp_path).footer is not None


AGAIN = [name for name in PROGRAMS if name not in ("forking", "many_processes", "inspection", "syntax_error", "hooked")]


@pytest.mark.parametrize("name", AGAIN)
def test_a_rerun_takes_the_same_path(name: str, tmp_path: Path) -> None:
    program(tmp_path, dedented(PROGRAMS[name]))
    if name == "shadowing":
        pytest.skip("a process that has loaded json cannot load another")
    if name in ("scopes", "bytes_out", "leaving_at_once", "exceptions", "recursion", "dying_objects"):
        pytest.skip("tells of the process itself")
    traced(tmp_path, "program.py", "--output", "x")
    found = again(tmp_path / "program.py.mlvet-trace")
    assert (found.diverged, found.difference, found.same_output) == (None, None, True)


def test_packages_and_relative_imports(tmp_path: Path) -> None:
    program(tmp_path, "from .parts import half\nLIMIT = 3.0\n", "pack/__init__.py")
    text = "from . import deeper\ndef half(x):\n    return x / 2 if x > 1 else x\n"
    program(tmp_path, text, "pack/parts.py")
    text = "import sys\nNAME = __name__, __package__, sys.modules[__name__].__file__[-9:]\n"
    program(tmp_path, text, "pack/deeper.py")
    program(tmp_path, "import pack, pack.deeper\nprint(pack.half(3.0), pack.deeper.NAME, pack)\n", "sub/program.py")
    program(tmp_path, "import sys, pack\nprint(__name__, sys.argv, pack.half(9.0), sys.path[0][-3:])\n", "__main__.py")
    for script in ("sub/program.py", "."):
        expected = plain(tmp_path, script, PYTHONPATH=f"{tmp_path}:{sys.path[0]}")
        found = traced(tmp_path, "--output", "log", script, PYTHONPATH=_with_mlvet(tmp_path))
        assert found.stderr == expected.stderr
        assert (found.returncode, found.stdout) == (expected.returncode, expected.stdout)


def _with_mlvet(folder: Path) -> str:
    from traced_runs import SOURCE

    return f"{folder}:{SOURCE}"


def test_a_module_that_fails_to_import_shows_its_own_lines(tmp_path: Path) -> None:
    program(tmp_path, "def f(x):\n    return 1 / x if x < 1 else x\nf(0)\n", "other.py")
    program(tmp_path, "import other\n")
    expected, found = plain(tmp_path, "program.py"), traced(tmp_path, "program.py")
    assert found.stderr == expected.stderr
    assert b"mlvet" not in found.stderr


@pytest.mark.parametrize("text", ["x = (1\n", "return 5\n", "x = 1\n\0\n", "# coding: nonsense\n"])
def test_a_module_that_is_no_python_is_complained_of_as_ever(text: str, tmp_path: Path) -> None:
    program(tmp_path, text, "other.py")
    caught = "try:\n    import other\nexcept SyntaxError:\n    traceback.print_exc()\n"
    program(tmp_path, f"import traceback\n{caught}import other\n")
    expected, found = plain(tmp_path, "program.py"), traced(tmp_path, "program.py")
    assert (found.returncode, found.stdout, found.stderr) == (expected.returncode, expected.stdout, expected.stderr)


def test_the_line_at_the_end_says_where_the_log_is(tmp_path: Path) -> None:
    program(tmp_path, "print('out')\n")
    found = plain(tmp_path, "-m", "mlvet", "trace", "program.py")
    assert found.stdout == b"out\n"
    assert re.fullmatch(
        rb"mlvet: log in program.py.mlvet-trace; ask with `mlvet why \S+ --of 'NAME' --inputs 'NAME@FUNCTION'`\n",
        found.stderr,
    )


def test_arguments_after_the_script_are_the_scripts(tmp_path: Path) -> None:
    program(tmp_path, "import sys\nprint(sys.argv)\n")
    found = traced(tmp_path, "--output=mine", "program.py", "--quiet", "--log", "full", "-x", "")
    assert found.stdout == b"['program.py', '--quiet', '--log', 'full', '-x', '']\n"
    assert (tmp_path / "mine").exists()
