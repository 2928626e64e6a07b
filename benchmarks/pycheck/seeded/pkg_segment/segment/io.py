"""Reading and writing of images stored as rows of numbers."""
from pathlib import Path


def list_images(folder):
    return sorted(Path(folder).glob("*.img"))


def read_image(path):
    text = Path(path).read_text()
    return [[float(cell) for cell in line.split()] for line in text.splitlines()]


def write_image(path, image):
    Path(path).write_text("\n".join(" ".join(str(cell) for cell in row) for row in image))


def save_mask(path, mask):
    write_image(path, mask)
