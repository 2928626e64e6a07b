import collections
import copy
import functools
import itertools
import math
import os.path
from collections import OrderedDict, defaultdict, namedtuple

root = math.sqrt(16)
floor, ceiling = math.floor(2.7), math.ceil(2.1)
tau = math.pi * 2
product = math.prod([2, 3, 4])
logs = math.log2(8), math.gcd(12, 18)
pairs = list(itertools.product([1, 2], "ab"))
chain = list(itertools.chain([1], [2, 3]))
combos = list(itertools.combinations([1, 2, 3], 2))
accumulated = list(itertools.accumulate([1, 2, 3]))
sliced = list(itertools.islice(range(10), 2, 6, 2))
add = functools.partial(lambda a, b, c=0: a + b + c, 1, c=10)
partial = add(2)
reduced = functools.reduce(lambda a, b: a * b, [1, 2, 3, 4])
groups = defaultdict(list)
for word in ("apple", "avocado", "bean"):
    groups[word[0]].append(word)
grouped = {key: value for key, value in groups.items()}
Point = namedtuple("Point", ["x", "y"])
point = Point(3, y=4)
x, y = point
coordinate = point.x * point.y
ordered = OrderedDict([("a", 1), ("b", 2)])
ordered_keys = list(ordered.keys())
original = {"a": [1, 2]}
shallow = copy.copy(original)
deep = copy.deepcopy(original)
original["a"].append(3)
shared, separate = shallow["a"], deep["a"]
path = os.path.join("data", "train", "x.txt")
base, extension = os.path.splitext(path)
name = os.path.basename(path)
counted = collections.Counter("banana")["a"]
queue = collections.deque([1, 2], maxlen=2)
queue.append(3)
queued = list(queue)


@functools.cache
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


fifth = fibonacci(5)
