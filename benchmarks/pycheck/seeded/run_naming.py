"""Run folders, snapshot names and retention of the newest snapshots."""
import argparse
import json
import re
import tempfile
from datetime import datetime, timezone
from pathlib import Path


def run_folder(root: Path, experiment: str) -> Path:
    stamp = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S")
    slug = re.sub(r"[^a-z0-9]+", "-", experiment.lower()).strip("-")
    folder = root / f"{slug}-{stamp}"
    folder.mkdir(parents=True)
    return folder


def write_snapshot(folder: Path, epoch: int, state: dict) -> Path:
    name = "epoch_" + epoch
    target = folder / (name + ".json")
    target.write_text(json.dumps(state))
    return target


def epoch_of(path: Path) -> int:
    match = re.fullmatch(r"epoch_(\d+)", path.stem)
    if match is None:
        raise ValueError(f"not a snapshot: {path.name}")
    return int(match.group(1))


def retain(folder: Path, keep: int) -> list[str]:
    snapshots = sorted(folder.glob("epoch_*.json"), key=epoch_of)
    for old in snapshots[:-keep]:
        old.unlink()
    return [path.name for path in snapshots[-keep:]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--experiment", default="Baseline (wide)")
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        folder = run_folder(Path(root), args.experiment)
        for epoch in range(args.epochs):
            write_snapshot(folder, epoch, {"epoch": epoch, "loss": 1 / (epoch + 1)})
        print(retain(folder, keep=2))


if __name__ == "__main__":
    main()
