"""Compares learning-rate schedules, one of them imported from the program next door."""
import math

from clean import Config, learning_rate_schedule  # BUG: clean.py calls it learning_rate


def constant(step, config):
    return config.lr


def exponential(step, config):
    return config.lr * math.exp(-step / config.steps)


SCHEDULES = {
    "constant": constant,
    "exponential": exponential,
    "cosine": learning_rate_schedule,
}


def main():
    config = Config(steps=10)
    for name, schedule in SCHEDULES.items():
        rates = [schedule(step, config) for step in range(config.steps)]
        print(f"{name:>12}", " ".join(f"{rate:.3f}" for rate in rates))


if __name__ == "__main__":
    main()
