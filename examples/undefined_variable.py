"""Training that would stop at its first checkpoint, hours into the job."""
import json
import tempfile
from pathlib import Path

SAVE_EVERY = 3


def save(path, step, weights):
    path.write_text(json.dumps({"step": step, "weights": weights}))


def gradient(weights):
    return [2 * (w - target) for w, target in zip(weights, (1.0, -2.0))]


def train(folder, steps, lr=0.1):
    weights = [0.0, 0.0]
    for step in range(1, steps + 1):
        weights = [w - lr * g for w, g in zip(weights, gradient(weights))]
        if step % SAVE_EVERY == 0:
            save(folder / f"step{step}.json", step, wieghts)  # BUG: misspelt weights
    return weights


def main():
    with tempfile.TemporaryDirectory() as name:
        print(train(Path(name), steps=10))


if __name__ == "__main__":
    main()
