"""A configuration field that was renamed everywhere but in one branch."""
import argparse
from dataclasses import dataclass


@dataclass
class TrainConfig:
    epochs: int = 3
    batch_size: int = 32
    learning_rate: float = 0.1
    warmup_epochs: int = 1


def rate(config: TrainConfig, epoch: int) -> float:
    if epoch < config.warmup_epochs:
        return config.learning_rate * (epoch + 1) / config.warmup_epochs
    return config.lr * 0.9**epoch  # BUG: the field is learning_rate


def train(config: TrainConfig) -> float:
    weight = 5.0
    for epoch in range(config.epochs):
        weight -= rate(config, epoch) * 2 * weight
        print(f"epoch {epoch}: weight {weight:.3f}")
    return weight


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    train(TrainConfig(epochs=args.epochs))


if __name__ == "__main__":
    main()
