"""A training run as a small state machine over phases."""
import enum
import random
from dataclasses import dataclass, field


class Phase(enum.Enum):
    WARMUP = "warmup"
    TRAIN = "train"
    VALIDATE = "validate"
    DONE = "done"


TRANSITIONS = {
    Phase.WARMUP: Phase.TRAIN,
    Phase.TRAIN: Phase.VALIDATE,
    Phase.VALIDATE: Phase.TRAIN,
}


@dataclass
class Run:
    max_rounds: int
    phase: Phase = Phase.WARMUP
    rounds: int = 0
    losses: list[float] = field(default_factory=list)

    def advance(self) -> None:
        if self.rounds >= self.max_rounds:
            self.phase = Phase.DONE
        else:
            self.phase = TRANSITIONS[self.phase]


def perform(run: Run, rng: random.Random) -> str:
    if run.phase is Phase.WARMUP:
        return "warming up"
    if run.phase is Phase.TRAIN:
        run.losses.append(rng.random() / (1 + len(run.losses)))
        return f"train loss {run.losses[-1]:.3f}"
    if run.phase is Phase.VALID:
        run.rounds += 1
        return f"validation round {run.rounds}, best {min(run.losses):.3f}"
    raise ValueError(run.phase)


def main() -> None:
    rng = random.Random(0)
    run = Run(max_rounds=2)
    while run.phase is not Phase.DONE:
        print(f"{run.phase.value:>9}: {perform(run, rng)}")
        run.advance()


if __name__ == "__main__":
    main()
