"""Trainer assembled from mixins."""
import json
import tempfile
from pathlib import Path


class CheckpointMixin:
    def save(self):
        target = self.folder / f"{self.name}-{self.step}.json"
        target.write_text(json.dumps(self.state()))
        return target

    def restore(self, path):
        self.load_state(json.loads(Path(path).read_text()))


class LoggingMixin:
    log_every = 2

    def log(self, **scalars):
        if self.step % self.log_every == 0:
            print(self.name, self.step, *(f"{k}={v:.3f}" for k, v in scalars.items()))


class ScheduleMixin:
    @property
    def lr(self):
        return self.base_lr / (1 + self.step)

    def after_step(self):
        super().after_step()
        self.rates.append(self.lr)


class Core:
    name = "core"

    def __init__(self, folder, base_lr=0.5):
        self.folder = Path(folder)
        self.base_lr = base_lr
        self.step = 0
        self.weight = 4.0
        self.rates = []

    def state(self):
        return {"weight": self.weight, "step": self.step}

    def load_state(self, state):
        self.__dict__.update(state)

    def after_step(self):
        self.step += 1

    def fit(self, steps):
        for _ in range(steps):
            self.weight -= self.lr * 2 * self.weight / 10
            self.log(weight=self.weight)
            self.after_step()


class Trainer(CheckpointMixin, LoggingMixin, ScheduleMixin, Core):
    name = "trainer"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as root:
        trainer = Trainer(root)
        trainer.fit(4)
        path = trainer.save()
        other = Trainer(root)
        other.restore(path)
        print(other.weight == trainer.weight, other.step, len(trainer.rates))
