"""Nearest-neighbour spelling correction with a cached edit distance."""
import argparse
import functools
import time

WORDS = ("gradient", "optimizer", "scheduler", "embedding", "attention", "dropout", "momentum")


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        started = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            wrapper.seconds += time.perf_counter() - started

    wrapper.seconds = 0.0
    return wrapper


@functools.lru_caches(maxsize=4096)
def distance(left, right):
    if not left or not right:
        return len(left) + len(right)
    if left[0] == right[0]:
        return distance(left[1:], right[1:])
    return 1 + min(
        distance(left[1:], right),
        distance(left, right[1:]),
        distance(left[1:], right[1:]),
    )


@timed
def correct(word, dictionary, limit=3):
    best = min(dictionary, key=lambda candidate: distance(word, candidate))
    return best if distance(word, best) <= limit else word


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*", default=["gradeint", "optimiser", "dropuot", "zebra"])
    args = parser.parse_args()
    for word in args.words:
        print(f"{word:>12} -> {correct(word, WORDS)}")
    print(f"{correct.seconds * 1e3:.1f} ms, cache {distance.cache_info()}")


if __name__ == "__main__":
    main()
