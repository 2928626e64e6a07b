evens = []
for n in range(10):
    if n == 7:
        break
    if n % 2:
        continue
    evens.append(n)
else:
    evens.append("never")

for n in []:
    pass
finished = True

countdown = 5
seen = []
while countdown:
    countdown -= 1
    if countdown == 2:
        continue
    seen.append(countdown)

found = None
for row in range(4):
    for column in range(4):
        if row * column == 6:
            found = row, column
            break
    if found:
        break


def first_positive(values):
    for value in values:
        if value > 0:
            return value
    return None


positive = first_positive([-2, -1, 3, 4])
nothing = first_positive([-1])


def risky(n):
    if n > 2:
        raise ValueError("too large")
    return n


log = []
try:
    log.append(risky(1))
    log.append(risky(5))
    log.append("unreached")
except (KeyError, ValueError):
    log.append("caught")
else:
    log.append("else")
finally:
    log.append("finally")

try:
    clean = risky(2)
except ValueError:
    clean = "failed"
else:
    clean += 100


class Problem(Exception):
    pass


def raising():
    raise Problem("x")


try:
    raising()
    outcome = "no"
except ValueError:
    outcome = "wrong"
except Problem:
    outcome = "right"

try:
    missing = {"a": 1}["b"]
except KeyError:
    missing = "no key"


class Manager:
    def __init__(self):
        self.events = []

    def __enter__(self):
        self.events.append("enter")
        return self

    def __exit__(self, *details):
        self.events.append("exit")


manager = Manager()
with manager as entered:
    entered.events.append("inside")
events = manager.events


def describe(value):
    match value:
        case 0:
            return "zero"
        case int(n) if n < 0:
            return "negative"
        case [x]:
            return "one", x
        case [x, *rest]:
            return "many", x, rest
        case {"kind": kind, "size": size}:
            return kind, size
        case "a" | "b":
            return "letter"
        case None:
            return "none"
        case _:
            return "other"


described = [
    describe(0),
    describe(-3),
    describe([7]),
    describe([1, 2, 3]),
    describe({"kind": "k", "size": 2}),
    describe("b"),
    describe(None),
    describe(9),
]

if (length := len(evens)) > 3:
    walrus = length
small = 1 if length < 3 else 2
chained = 1 < length <= 4
either = None or "fallback"
both = "x" and 0
