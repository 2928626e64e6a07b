"""Append-only CSV log of experiments with a summary at the end."""
import csv
import random
import statistics
import tempfile
from pathlib import Path


class ExperimentLog:
    FIELDS = ("run", "epoch", "loss")

    def __init__(self, path):
        self.path = Path(path)
        self.handle = self.path.open("w", newline="")
        self.writer = csv.DictWriter(self.handle, fieldnames=self.FIELDS)
        self.writer.writeheader()
        self.rows = 0

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.handle.close()

    def log(self, run, epoch, loss):
        row = {"run": run, "epoch": epoch, "loss": f"{loss:.6f}"}
        self.writter.writerow(row)
        self.rows += 1


def summarise(path):
    finals = {}
    with open(path, newline="") as handle:
        for row in csv.DictReader(handle):
            finals[row["run"]] = float(row["loss"])
    return statistics.mean(finals.values()), statistics.pstdev(finals.values())


def experiment(seed, epochs):
    rng = random.Random(seed)
    loss = 1.0
    for epoch in range(epochs):
        loss *= rng.uniform(0.7, 0.95)
        yield epoch, loss


def main(runs=3, epochs=4):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        with ExperimentLog(path) as log:
            for seed in range(runs):
                for epoch, loss in experiment(seed, epochs):
                    log.log(f"run{seed}", epoch, loss)
        print("final loss %.4f +- %.4f" % summarise(path))


if __name__ == "__main__":
    main()
