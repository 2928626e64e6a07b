"""Markov-chain text generation with temperature and top-k sampling."""
import argparse
import math
import random
from collections import Counter, defaultdict

TEMPERATURE = 0.8
TOP_K = 3
TEXT = "to be or not to be that is the question whether it is nobler to suffer or to act"


def fit(words, order=1):
    table = defaultdict(Counter)
    for start in range(len(words) - order):
        context = tuple(words[start:start + order])
        table[context][words[start + order]] += 1
    return table


def top_k(counter, k):
    return counter.most_common(k)


def choose(candidates, temperature, rng):
    logits = [math.log(count) / temperature for _, count in candidates]
    highest = max(logits)
    weights = [math.exp(logit - highest) for logit in logits]
    return rng.choices([word for word, _ in candidates], weights=weights)[0]


def generate(table, start, length, rng, temperature=DEFAULT_TEMPERATURE, k=TOP_K):
    words = list(start)
    for _ in range(length):
        context = tuple(words[-len(start):])
        if context not in table:
            break
        words.append(choose(top_k(table[context], k), temperature, rng))
    return " ".join(words)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--length", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    table = fit(TEXT.split())
    print(generate(table, ("to",), args.length, random.Random(args.seed)))


if __name__ == "__main__":
    main()
