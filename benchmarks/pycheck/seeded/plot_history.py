"""Plot training curves from JSON-lines logs."""
import argparse
import json
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure


def write_demo_log(path, epochs=6):
    with path.open("w") as handle:
        for epoch in range(epochs):
            row = {"epoch": epoch, "train": 1.0 / (epoch + 1), "valid": 1.2 / (epoch + 1) + 0.05}
            handle.write(json.dumps(row) + "\n")


def read_log(path):
    rows = [json.loads(line) for line in path.read_text().splitlines() if line]
    return {key: [row[key] for row in rows] for key in rows[0]}


def draw_curve(axes: Axes, log, name, style):
    axes.plot(log["epoch"], log[name], style, label=name)
    lowest = min(range(len(log[name])), key=log[name].__getitem__)
    axes.axvline(log["epoch"][lowest], alpha=0.2)


def decorate(axes: Axes, title):
    axes.set_title(title)
    axes.set_xlable("epoch")
    axes.set_ylabel("loss")
    axes.legend(loc="upper right")
    axes.grid(True, linestyle=":")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--title", default="training")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "log.jsonl"
        write_demo_log(source)
        log = read_log(source)
        figure = Figure(figsize=(4, 3))
        axes = figure.add_subplot(1, 1, 1)
        for name, style in (("train", "-"), ("valid", "--")):
            draw_curve(axes, log, name, style)
        decorate(axes, args.title)
        figure.savefig(Path(folder) / "curves.png", dpi=60)


if __name__ == "__main__":
    main()
