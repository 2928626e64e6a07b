"""Data pipelines made of generators."""
import itertools
import random


def forever(items, seed):
    rng = random.Random(seed)
    items = list(items)
    while True:
        rng.shuffle(items)
        yield from items


def batched(stream, size):
    iterator = iter(stream)
    while batch := list(itertools.islice(iterator, size)):
        yield batch


def running_mean():
    count, mean = 0, 0.0
    while True:
        value = yield mean
        if value is None:
            return count
        count += 1
        mean += (value - mean) / count


def delegate(results):
    count = yield from running_mean()
    results.append(count)


class Shards:
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        for shard in range(self.count):
            yield from ((shard, row) for row in range(2))


def pipeline(*stages):
    def run(stream):
        for stage in stages:
            stream = stage(stream)
        return stream
    return run


def numbered(start=0):
    def advance():
        nonlocal start
        start += 1
        return start
    return advance


def main():
    sampler = forever(range(4), seed=0)
    print([next(sampler) for _ in range(6)], list(batched(Shards(2), 3)))
    results = []
    meter = delegate(results)
    next(meter)
    for value in (1.0, 2.0, 6.0):
        mean = meter.send(value)
    with_stop = next(meter, None)
    print(mean, results, with_stop)
    process = pipeline(
        lambda s: (x * x for x in s),
        lambda s: filter(lambda x: x % 2, s),
        sorted,
    )
    print(process(range(6)), *(f() for f in [numbered(3)] * 2))
    first, *rest = itertools.chain.from_iterable(zip("ab", "cd"))
    print(first, rest, {k: list(g) for k, g in itertools.groupby("aab")})


if __name__ == "__main__":
    main()
