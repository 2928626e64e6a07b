numbers = [3, 1, 2]
numbers.append(5)
numbers += [4]
ordered = sorted(numbers, reverse=True)
numbers.sort()
middle = numbers[1:-1]
stepped = numbers[::2]
backwards = numbers[::-1]
numbers[0] = 10
numbers[1:3] = [7, 7, 7]
popped = numbers.pop()
joined = [1] + [2] * 3 + list((4, 5))
first, *rest, last = range(6)
(a, b), c = (1, 2), 3
a, b = b, a
nested = [[row * column for column in range(3)] for row in range(3)]
flat = [item for row in nested for item in row if item % 2 == 0]
table = {name: len(name) for name in ("a", "bb", "ccc")}
table["dddd"] = 4
table.update(e=5)
keys, values, items = list(table), list(table.values()), list(table.items())
got, default = table.get("a"), table.get("z", -1)
del table["a"]
merged = {**table, "z": 26}
unique = sorted({3, 1, 2})
pairs = list(zip("abc", range(3)))
numbered = list(enumerate("ab", start=1))
mapped = list(map(lambda x: x * x, [1, 2, 3]))
filtered = list(filter(None, [0, 1, "", "x"]))
total, least, most = sum([1, 2, 3]), min(4, 2, 8), max([4, 9, 1])
every, some = all([1, True]), any([0, ""])
has = 2 in [1, 2], "k" in {"k": 1}, "z" not in "abc"
text = ", ".join(str(n) for n in [1, 2])
words = "a b  c".split()
formatted = f"{total}-{'x' * 3}"
percent = "%d of %s" % (3, "ten")
upper = "abc".upper().replace("B", "-")
shape = (2, 3, 4)
tail = shape[1:] + (5,)
product = 1
for dim in shape:
    product *= dim
matrix = [[0] * 3 for _ in range(2)]
matrix[1][2] = 9
alias = matrix
alias[0][0] = 1
counts = {}
for letter in "hello":
    counts[letter] = counts.get(letter, 0) + 1


def squares(n):
    for i in range(n):
        yield i * i


generated = list(squares(5))


def chained():
    yield 0
    yield from squares(3)


chained_items = list(chained())
lazily = sum(x for x in squares(4))
iterator = iter([1, 2, 3])
taken = next(iterator), next(iterator)
copied = numbers.copy()
copied.append(99)
as_tuple = tuple(numbers)
divided = divmod(17, 5)
bits = (6 & 3, 6 | 3, 6 ^ 3, ~6, 1 << 4, 256 >> 2)
power = 2**10, 7 // 2, -7 // 2, 7 % 3, 7 / 2
rounded = round(2.567, 2), abs(-3), int("42"), float("1.5"), str(7), bool([])
reversed_list = list(reversed([1, 2, 3]))
