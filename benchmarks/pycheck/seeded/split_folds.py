"""Stratified k-fold indices without dependencies."""
import argparse
import random
from collections import defaultdict


def group_by_label(labels):
    groups = defaultdict(list)
    for index, label in enumerate(labels):
        groups[label].append(index)
    return groups


def stratified(labels, folds, seed):
    """Yield (train, test) index lists in which every class is spread evenly."""
    rng = random.Random(seed)
    buckets = [[] for _ in range(folds)]
    for label, members in sorted(group_by_label(labels).items()):
        if len(members) < folds
            raise ValueError(f"class {label!r} has only {len(members)} members")
        rng.shuffle(members)
        for position, index in enumerate(members):
            buckets[position % folds].append(index)
    for held_out in range(folds):
        train = [i for fold, bucket in enumerate(buckets) if fold != held_out for i in bucket]
        yield sorted(train), sorted(buckets[held_out])


def describe(labels, indices):
    counts = defaultdict(int)
    for index in indices:
        counts[labels[index]] += 1
    return dict(counts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folds", type=int, default=3)
    args = parser.parse_args()
    labels = ["cat"] * 9 + ["dog"] * 6
    for number, (train, test) in enumerate(stratified(labels, args.folds, seed=0)):
        print("fold", number, "train", describe(labels, train), "test", describe(labels, test))


if __name__ == "__main__":
    main()
