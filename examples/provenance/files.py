"""Text files, plain or compressed."""
import gzip


def open_text(path):
    """A text file for reading; one whose name ends in .gz is unpacked on the way."""
    if str(path).endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8")
    return open(path, encoding="utf-8")
