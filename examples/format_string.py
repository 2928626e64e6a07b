"""A progress line with one placeholder too many."""
import random
import time


def train_step(rng, loss):
    return loss * rng.uniform(0.8, 1.0)


def report(step, total, loss, started):
    seconds = time.perf_counter() - started
    # BUG: four placeholders, three values
    return "step %d/%d loss %.4f (%.1f s)" % (step, loss, seconds)


def main(total=100, every=10):
    rng = random.Random(0)
    started = time.perf_counter()
    loss = 2.3
    for step in range(total):
        loss = train_step(rng, loss)
        if step % every == 0:
            print(report(step, total, loss, started))


if __name__ == "__main__":
    main()
