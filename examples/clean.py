"""A correct program: gradient descent on a line fit, standard library only."""
import argparse
import math
import random
from dataclasses import dataclass, field


@dataclass
class Config:
    steps: int = 60
    lr: float = 0.3
    warmup: int = 5
    seed: int = 0


@dataclass
class Line:
    slope: float = 0.0
    intercept: float = 0.0
    losses: list[float] = field(default_factory=list)

    def __call__(self, x: float) -> float:
        return self.slope * x + self.intercept


def make_points(count: int, seed: int) -> list[tuple[float, float]]:
    rng = random.Random(seed)
    xs = [rng.uniform(-1, 1) for _ in range(count)]
    return [(x, 3 * x - 1 + rng.gauss(0, 0.05)) for x in xs]


def learning_rate(step: int, config: Config) -> float:
    warm = min(1.0, (step + 1) / config.warmup)
    return config.lr * warm * (1 + math.cos(math.pi * step / config.steps)) / 2


def train(points: list[tuple[float, float]], config: Config) -> Line:
    line = Line()
    for step in range(config.steps):
        errors = [(x, line(x) - y) for x, y in points]
        rate = learning_rate(step, config)
        line.slope -= rate * 2 * sum(e * x for x, e in errors) / len(points)
        line.intercept -= rate * 2 * sum(e for _, e in errors) / len(points)
        line.losses.append(sum(e * e for _, e in errors) / len(points))
    return line


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    args = parser.parse_args()
    config = Config(steps=args.steps)
    line = train(make_points(40, config.seed), config)
    print(f"y = {line.slope:.2f} x + {line.intercept:.2f}, loss {line.losses[-1]:.4f}")


if __name__ == "__main__":
    main()
