"""Convert bounding boxes between corner and centre formats."""
import argparse
import io
import sys
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float
    label: str

    @property
    def centre(self):
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    @property
    def size(self):
        return self.right - self.left, self.bottom - self.top

    def normalised(self, width, height):
        return Box(self.left / width, self.top / height, self.right / width, self.bottom / height, self.label)


ANNOTATIONS = [
    Box(10, 20, 50, 60, "car"),
    Box(0, 0, 32, 16, "sign"),
]


def yolo_lines(boxes, classes, width, height):
    for box in boxes:
        scaled = box.normalised(width, height)
        numbers = " ".join(f"{value:.4f}" for value in (*scaled.centre, *scaled.size))
        yield f"{classes.index(box.label)} {numbers}"


def make_writer(stream, style):
    def write_json(box):
        record = asdict(box)
        stream.write(json.dumps(record, sort_keys=True) + "\n")

    def write_text(box):
        stream.write(f"{box.label}: {box.centre}\n")

    return write_json if style == "json" else write_text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--style", choices=["json", "text"], default="json")
    args = parser.parse_args()
    classes = sorted({box.label for box in ANNOTATIONS})
    for line in yolo_lines(ANNOTATIONS, classes, width=100, height=100):
        print(line)
    buffer = io.StringIO()
    write = make_writer(buffer, args.style)
    for box in ANNOTATIONS:
        write(box)
    sys.stdout.write(buffer.getvalue())


if __name__ == "__main__":
    main()
