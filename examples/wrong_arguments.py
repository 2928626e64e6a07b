"""Evaluation that runs once, after the last epoch, with the wrong arguments."""
import random


def make_batches(count, size, seed):
    rng = random.Random(seed)
    return [[(rng.gauss(0, 1), rng.random() > 0.5) for _ in range(size)] for _ in range(count)]


def train_epoch(threshold, batches, lr):
    for batch in batches:
        wrong = sum((x > threshold) != label for x, label in batch)
        threshold += lr * (wrong / len(batch) - 0.5)
    return threshold


def evaluate(threshold, batches, *, metric):
    pairs = [(x > threshold, label) for batch in batches for x, label in batch]
    if metric == "accuracy":
        return sum(p == t for p, t in pairs) / len(pairs)
    return sum(p and t for p, t in pairs) / max(1, sum(t for _, t in pairs))


def main():
    train_set, test_set = make_batches(20, 8, seed=0), make_batches(5, 8, seed=1)
    threshold = 0.0
    for epoch in range(3):
        threshold = train_epoch(threshold, train_set, lr=0.1)
        print("epoch", epoch, "threshold", round(threshold, 3))
    score = evaluate(threshold, test_set, metrics="recall")  # BUG: the keyword is metric
    print("recall", score)


if __name__ == "__main__":
    main()
