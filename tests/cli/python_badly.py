"""Programs that are hard or impossible to follow: wrong, huge, endless, made at run time, or unlike most programs."""

from __future__ import annotations

from collections.abc import Callable

Program = Callable[[], str]

ENDLESS: dict[str, Program] = {
    "while true": lambda: (
        """
import torch
x = torch.zeros(2, 3)
while True:
    x = x @ torch.zeros(3, 3)
"""
    ),
    "while true that grows a list": lambda: (
        """
rows = []
while True:
    rows.append(len(rows))
"""
    ),
    "mutual recursion": lambda: (
        """
def even(n):
    return odd(n - 1)
def odd(n):
    return even(n + 1)
even(10)
"""
    ),
    "recursion without end in a network": lambda: (
        """
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Net()
    def forward(self, x):
        return self.inner(x)
Net()
"""
    ),
    "recursion that doubles": lambda: (
        """
def f(n, x):
    return f(n + 1, x) + f(n + 2, x)
f(0, 1)
"""
    ),
    "ackermann": lambda: (
        """
def a(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return a(m - 1, 1)
    return a(m - 1, a(m, n - 1))
a(4, 2)
"""
    ),
    "generator that never ends": lambda: (
        """
import itertools
def forever():
    n = 0
    while True:
        yield n
        n += 1
total = 0
for n in forever():
    total += n
for n in itertools.count():
    total += n
list(itertools.repeat(1))
"""
    ),
    "iterator that never stops": lambda: (
        """
class Ones:
    def __iter__(self):
        return self
    def __next__(self):
        return 1
list(Ones())
"""
    ),
    "list that grows while it is read": lambda: (
        """
rows = [1]
for row in rows:
    rows.append(row)
"""
    ),
    "nested loops": lambda: (
        """
import torch
x = torch.zeros(2)
for a in range(10 ** 9):
    for b in range(10 ** 9):
        for c in range(10 ** 9):
            x = x + a * b * c
"""
    ),
    "collatz": lambda: (
        """
n = 27
while n != 0:
    n = n // 2 if n % 2 == 0 else 3 * n + 1
"""
    ),
}
HUGE: dict[str, Program] = {
    "20,000 lines": lambda: "import torch\nx = torch.zeros(3, 3)\n" + "x = torch.relu(x) + 1\n" * 20_000,
    "5,000 functions": lambda: (
        "import torch\n"
        + "".join(f"def f{n}(x):\n    return torch.relu(x) + {n}\n" for n in range(5_000))
        + "x = torch.zeros(2)\n"
        + "".join(f"x = f{n}(x)\n" for n in range(5_000))
    ),
    "2,000 branches": lambda: (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nn = p.parse_args().n\nx = 0\n"
        + "".join(f"if n == {n}:\n    x = x + {n}\n" for n in range(2_000))
    ),
    "deep expressions": lambda: f"x = {'[' * 90}1{']' * 90}\ny = {'f(' * 90}1{')' * 90}\nz = {'+'.join(['x'] * 500)}\n",
    "500 attributes": lambda: f"import torch\nx = torch.zeros(3)\ny = x{'.view(3)' * 500}\n",
    "500 closures": lambda: (
        "def f0(x):\n    return x\n"
        + "".join(f"def f{n}(x):\n    return f{n - 1}(x) + 1\n" for n in range(1, 500))
        + "f499(1)\n"
    ),
    "18 loops in one another": lambda: (
        "".join(f"{' ' * n}for i{n} in range(9):\n" for n in range(18)) + f"{' ' * 18}x = 1\n"
    ),
    "a list of a million": lambda: f"import numpy as np\nx = np.array([{'1,' * 1_000_000}])\n",
    "a string of a million": lambda: f"x = {'a' * 1_000_000!r}\ny = x * 1_000_000\n",
    "a number of 4,000 digits": lambda: f"import torch\nx = torch.zeros({'9' * 4_000})\ny = {'9' * 4_000} ** 9\n",
    "powers": lambda: "x = 9 ** 9 ** 9\ny = 1 << 10 ** 12\nz = 'a' * 10 ** 12\nw = [0] * 10 ** 12\n",
    "a list of a trillion": lambda: "x = list(range(10 ** 12))\ny = [n for n in x]\nz = sum(y)\n",
    "a format of a billion": lambda: "x = f'{1:1000000000}'\ny = '%1000000000d' % 1\nz = 'a'.ljust(10 ** 10)\n",
    "functions of Python on huge arguments": lambda: (
        """
import base64, bisect, itertools, json, math, random, re, string, statistics, textwrap, zlib
a = "a" * 90_000
b = a.replace("a", a)
c = a.join([a] * 50_000)
d = "{:1000000000}".format(1), "{:{}}".format(1, 10 ** 9), format(1, "1000000000"), f"{1:{10 ** 9}}"
e = pow(9, 9 ** 9), pow(9, 9 ** 9, 7), math.factorial(10 ** 8), math.comb(10 ** 9, 10 ** 8), 7 ** 4000 ** 2
f = re.match("(a+)+$", a + "b"), re.sub("(a*)*b", a, a), re.compile("(a|a)*$").match(a + "!")
g = bytes(10 ** 12), bytearray(10 ** 12), bytes([1]) * 10 ** 12, memoryview(bytes(10 ** 11))
h = int("9" * 90_000), str(10 ** 90_000), int(a, 36), float("9" * 90_000), hex(1 << 4000), 10 ** 4000 // 3
i = list(itertools.permutations(range(12))), list(itertools.combinations(range(60), 30)), sum(range(10 ** 12))
j = "".join(random.choice(string.ascii_letters) for n in range(10 ** 9)), random.sample(range(10 ** 12), 10 ** 8)
k = sorted(range(10 ** 9)), tuple(range(10 ** 10)), set(range(10 ** 9)), dict.fromkeys(range(10 ** 9))
l = [[0] * 10 ** 5] * 10 ** 5, [[0] * 10 ** 4 for n in range(10 ** 4)], list("ab" * 10 ** 7), (0,) * 10 ** 11
m = textwrap.fill(a, 1), json.dumps([a] * 10 ** 4), zlib.compress(b.encode()), base64.b64encode(c.encode())
n = any(x > 1 for x in range(10 ** 12)), {x: x for x in range(10 ** 9)}, [*range(10 ** 9)], a[:: -1] * 10 ** 6
o = statistics.mean(range(10 ** 10)), bisect.bisect(range(10 ** 12), 3), math.gcd(9 ** 4000, 7 ** 4000)
"""
    ),
    "NumPy and tensors of huge sizes": lambda: (
        """
import numpy as np
import torch
a = np.zeros((10 ** 6, 10 ** 6))
b = np.arange(10 ** 12), np.linspace(0, 1, 10 ** 10), np.eye(10 ** 6), np.array([0] * 10 ** 7)
c = torch.zeros(10 ** 9, 10 ** 9) @ torch.zeros(10 ** 9, 10 ** 9), torch.arange(10 ** 13), torch.zeros(10 ** 400)
d = [row for row in torch.zeros(10 ** 9, 3)], list(torch.zeros(10 ** 9)), torch.zeros(10 ** 6).tolist()
e = torch.zeros(3).repeat(10 ** 9, 10 ** 9), torch.nn.Linear(10 ** 12, 10 ** 12), torch.split(torch.zeros(10 ** 9), 1)
f = torch.nn.Sequential(*[torch.nn.Linear(3, 3) for n in range(10 ** 6)]), torch.zeros(-1), torch.zeros(2.5)
g = np.random.randn(*[3] * 1_000), torch.zeros(3)[(None,) * 1_000], np.zeros(3)[10 ** 30], torch.stack([a] * 10 ** 6)
for n in range(10 ** 6):
    torch.nn.Conv2d(n, n, n)(torch.zeros(n, n, n, n))
"""
    ),
    "a dictionary of 100,000": lambda: "x = {" + ",".join(f"'k{n}': {n}" for n in range(100_000)) + "}\n",
    "products": lambda: "import itertools\nx = list(itertools.product(range(100), repeat=6))\n",
    "tensors of 10,000 dims": lambda: "import torch\nx = torch.zeros(*[2] * 10_000)\ny = x.sum(0)\n",
    "sizes that grow": lambda: (
        "import sys\nimport torch\nn = int(sys.argv[1])\nm = int(sys.argv[2])\nfor i in range(30):\n"
        "    n = n * m + m // (n + 1)\nx = torch.zeros(n, m)\ny = x.view(m, n)\n"
    ),
}
STRANGE: dict[str, Program] = {
    "Python 2": lambda: 'import torch\nprint "loss:", torch.zeros(3)\nexec "x = 1"\nraise ValueError, "no"\n',
    "a syntax error": lambda: "import torch\nx = torch.zeros(2, 3\ny = x @ x\n",
    "an unfinished string": lambda: 'x = """never ends\n',
    "tabs and spaces": lambda: "if True:\n\tx = 1\n        y = 2\n",
    "nothing": lambda: "",
    "only a comment": lambda: "# nothing\n",
    "null bytes": lambda: "x = 1\0\n",
    "a form feed": lambda: "\fx = 1\n\f\n",
    "exec and eval": lambda: (
        """
import torch
exec("y = torch.zeros(2, 3)")
z = eval("torch.zeros(3, 4)")
globals()["w"] = z
locals()["v"] = z
code = compile("u = 1", "<string>", "exec")
exec(code)
y @ w
__import__("torch").zeros(2) + v
"""
    ),
    "a metaclass": lambda: (
        """
import torch.nn as nn
class Registry(type):
    classes = {}
    def __new__(cls, name, bases, space, **options):
        made = super().__new__(cls, name, bases, dict(space))
        cls.classes[name] = made
        return made
    def __call__(cls, *args):
        return super().__call__(*args)
class Base(metaclass=Registry):
    pass
class Net(Base, size=3):
    def __init__(self, n):
        self.layer = nn.Linear(n, n)
Net(4).layer
type("Made", (nn.Module,), {"forward": lambda self, x: x})()
"""
    ),
    "monkey-patching": lambda: (
        """
import torch
import torch.nn.functional as F
def mine(x, *args, **kwargs):
    return x.view(-1)
F.relu = mine
torch.Tensor.twice = lambda self: self + self
torch.zeros = lambda *a: None
torch.nn.Linear.forward = mine
y = F.relu(torch.ones(2, 3)).twice()
import builtins
builtins.len = lambda x: 3
builtins.print = None
print(len([]))
"""
    ),
    "attribute magic": lambda: (
        """
import torch
class Magic:
    def __getattr__(self, name):
        return getattr(self, name + "_")
    def __getattribute__(self, name):
        return object.__getattribute__(self, name)
    def __setattr__(self, name, value):
        self.__dict__[name] = value
        setattr(self, name + "_", value)
    def __call__(self, *args):
        return self
    def __getitem__(self, key):
        return self[key]
m = Magic()
m.x = 3
torch.zeros(m.size, m(2)(3), m[1])
"""
    ),
    "containers that hold themselves": lambda: (
        """
import torch
x = []
x.append(x)
d = {"d": None}
d["d"] = d
d["x"] = x
class Node:
    pass
n = Node()
n.parent = n
n.children = [n, x, d]
t = (x, d, n)
print(x, d, n, x == x, str(x), len(x), sorted(map(id, x)))
torch.tensor(x)
torch.zeros(x)
import copy
copy.deepcopy(n)
"""
    ),
    "descriptors and slots": lambda: (
        """
class Twice:
    def __set_name__(self, owner, name):
        self.name = name
    def __get__(self, instance, owner):
        return instance.value * 2
    def __set__(self, instance, value):
        instance.value = value
class A:
    __slots__ = ("value", "__dict__")
    twice = Twice()
    def __init_subclass__(cls, **options):
        cls.made = options
    def __class_getitem__(cls, item):
        return cls
class B(A, n=3):
    pass
b = B[int]()
b.twice = 4
b.twice + b.made["n"]
"""
    ),
    "every kind of argument": lambda: (
        """
def f(a, /, b, *args, c=1, d, **rest):
    return a, b, args, c, d, rest
f(1, 2, 3, d=4, e=5)
f(*[1, 2], **{"d": 4})
f(*range(10 ** 12), d=1)
f(1, 2)
f()
(lambda *a, **k: (a, k))(*"abc", **dict(x=1))
"""
    ),
    "scopes": lambda: (
        """
x = 1
def outer():
    x = 2
    def inner():
        nonlocal x
        x += 1
        global y
        y = x
        del x
        return x
    return inner
outer()()
[x := n for n in range(3)]
class A:
    x = x
    def f(self):
        return __class__, x
A().f()
del x
print(x)
"""
    ),
    "control flow": lambda: (
        """
import torch
def f(n):
    for i in range(n):
        try:
            if i == 2:
                continue
            if i == 3:
                break
            return torch.zeros(i)
        except (ValueError, TypeError) as error:
            raise RuntimeError("no") from error
        else:
            i += 1
        finally:
            return i
    else:
        return None
f(5)
match f(3):
    case {"a": [1, *rest], **others} if rest:
        pass
    case torch.Tensor(shape=(2, n)) | n:
        n
    case _:
        pass
async def g():
    async with f(1) as x:
        async for y in x:
            await y
            yield y
assert False, "stop"
x = torch.zeros(2) @ torch.zeros(3)
"""
    ),
    "decorators": lambda: (
        """
import functools
import torch
def d(*options):
    def wrap(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            return f(*args, **kwargs)
        inner.options = options
        return inner
    return wrap
@d(1)
@d(2)
@functools.lru_cache(None)
@torch.no_grad()
@unknown.decorator
def f(x):
    return x
f(torch.zeros(3))
@d
class A:
    @property
    def p(self):
        return self.p
    @staticmethod
    @classmethod
    def s(cls):
        return cls
A().p
"""
    ),
    "an exit": lambda: "import sys\nimport os\nsys.exit(3)\nos._exit(4)\nraise SystemExit\nquit()\nimport torch\n",
    "files and processes": lambda: (
        """
import os, subprocess, shutil, pathlib, pickle, socket
open("made_by_program", "w").write("x")
os.system("touch made_by_shell")
subprocess.run(["touch", "made_by_process"])
pathlib.Path("made_by_path").touch()
pickle.loads(b"cos\\nsystem\\n(S'touch made_by_pickle'\\ntR.")
shutil.rmtree(".")
os.remove(__file__)
os.fork()
os.kill(os.getppid(), 9)
"""
    ),
    "names of other alphabets": lambda: "import torch\nµ = torch.zeros(3)\n变量 = µ @ µ\nprint(ﬁ)\n",
}
EXAMPLES = {**ENDLESS, **HUGE, **STRANGE}
CIRCLE = {
    "first.py": "import second\nfrom second import b\na = second.n + b\ndef f():\n    return second.g()\n",
    "second.py": "import first\nfrom first import *\nn = 2\nb = 3\ndef g():\n    return first.f()\ng()\n",
    "package/__init__.py": "from . import inner\nfrom .inner import x\nfrom . import *\nfrom .. import first\n",
    "package/inner.py": "from . import x\nfrom package import inner\nimport package.inner.inner\nx = inner.x\n",
}
"""Modules that import each other."""
