"""Inference engine of the segmentation package."""
from __future__ import annotations

from pathlib import Path

from .io import list_images, read_image, save_mask
from .model import ThresholdModel


class Engine:
    """Runs a model over every image of a folder."""

    def __init__(self, model: ThresholdModel, output: Path) -> None:
        self.model = model
        self.output = output
        self.processed = 0

    def prepare(self) -> None:
        self.output.mkdir(parents=True, exist_ok=True)

    def coverage(self, mask: list[list[int]]) -> float:
        cells = sum(len(row) for row in mask)
        return sum(map(sum, mask)) / cells

    def run_one(self, path: Path) -> float:
        image = read_image(path)
        mask = self.model.predict(image)
        target = self.output / f"{path.stem}_mask.txt"
        save_mask(target, mask, palette="binary")
        self.processed += 1
        return self.coverage(mask)

    def run(self, folder: Path) -> dict[str, float]:
        self.prepare()
        report = {}
        for path in list_images(folder):
            report[path.name] = self.run_one(path)
        return report

    def summary(self) -> str:
        return f"{self.processed} images in {self.output.name}"
