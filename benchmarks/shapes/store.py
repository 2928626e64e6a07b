"""Small random data sets in the formats that the libraries look for.

The sizes of each example are those of the real data set; the number of examples is small. Every file is drawn with
one seed, so that two stores are equal.
"""

from __future__ import annotations

import gzip
import io
import pickle
import string
import tarfile
from pathlib import Path

import numpy as np

SEED = 20261116
TRAIN, TEST, MANY = 300, 200, 5400
WORDS = 400
"""The number of different words of the texts."""


def fill(store: Path) -> None:
    """Write every stand-in below a folder."""
    random = np.random.default_rng(SEED)
    store.mkdir(parents=True, exist_ok=True)
    _mnist_files(random, store, MANY, TEST)
    _mnist_files(random, store / "torch-mnist" / "MNIST" / "raw", TRAIN, TEST)
    _cifar(random, store / "torch-cifar" / "cifar-10-batches-py")
    _keras_files(random, store)
    _texts(random, store)
    _graph(random, store)
    _series(random, store)
    _images(random, store)


def _mnist_files(random: np.random.Generator, folder: Path, train: int, test: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, count in (("train", train), ("t10k", test)):
        images, labels = random.integers(0, 256, (count, 28, 28), np.uint8), random.integers(0, 10, count, np.uint8)
        for part, magic, sizes, content in (
            ("images-idx3-ubyte", 2051, (count, 28, 28), images),
            ("labels-idx1-ubyte", 2049, (count,), labels),
        ):
            head = b"".join(number.to_bytes(4, "big") for number in (magic, *sizes))
            (folder / f"{name}-{part}").write_bytes(head + content.tobytes())
            with gzip.open(folder / f"{name}-{part}.gz", "wb", 1) as packed:
                packed.write(head + content.tobytes())


def _cifar(random: np.random.Generator, folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in ("data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"):
        batch = {"data": random.integers(0, 256, (100, 3072), np.uint8), "labels": random.integers(0, 10, 100).tolist()}
        (folder / name).write_bytes(pickle.dumps(batch))
    (folder / "batches.meta").write_bytes(pickle.dumps({"label_names": [f"class {n}" for n in range(10)]}))


def _keras_files(random: np.random.Generator, store: Path) -> None:
    """What `keras.datasets` reads below its home: arrays of MNIST, archives of CIFAR, indices of reviews."""
    folder = store / "keras" / "datasets"
    folder.mkdir(parents=True)
    np.savez(
        folder / "mnist.npz",
        x_train=random.integers(0, 256, (TRAIN, 28, 28), np.uint8), y_train=random.integers(0, 10, TRAIN, np.uint8),
        x_test=random.integers(0, 256, (TEST, 28, 28), np.uint8), y_test=random.integers(0, 10, TEST, np.uint8),
    )  # fmt: skip
    for name in (
        "train-images-idx3-ubyte",
        "train-labels-idx1-ubyte",
        "t10k-images-idx3-ubyte",
        "t10k-labels-idx1-ubyte",
    ):
        source = store / "torch-mnist" / "MNIST" / "raw" / f"{name}.gz"
        (folder / "fashion-mnist").mkdir(exist_ok=True)
        (folder / "fashion-mnist" / f"{name}.gz").write_bytes(source.read_bytes())
    _cifar_of_keras(random, store / "cifar-100-python.tar.gz")

    def reviews(count: int) -> np.ndarray:
        found = np.empty(count, object)
        found[:] = [random.integers(1, 200, random.integers(20, 300)).tolist() for _ in range(count)]
        return found

    np.savez(
        folder / "imdb.npz",
        x_train=reviews(TRAIN), y_train=random.integers(0, 2, TRAIN),
        x_test=reviews(TEST), y_test=random.integers(0, 2, TEST),
    )  # fmt: skip


def _cifar_of_keras(random: np.random.Generator, path: Path) -> None:
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for part, count in (("train", TRAIN), ("test", TEST)):
            labels = random.integers(0, 100, count).tolist()
            images = random.integers(0, 256, (count, 3072), np.uint8)
            batch = {b"data": images, b"fine_labels": labels, b"coarse_labels": labels}
            _pack(archive, f"cifar-100-python/{part}", pickle.dumps(batch))


def _pack(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def _texts(random: np.random.Generator, store: Path) -> None:
    """Texts of a few random words: three parts of a language model's corpus, and one file of characters."""
    letters = list(string.ascii_lowercase)
    words = ["".join(random.choice(letters, random.integers(2, 8))) for _ in range(WORDS)]

    def text(lines: int) -> str:
        return "\n".join(" ".join(random.choice(words, 12)) for _ in range(lines)) + "\n"

    folder = store / "wikitext"
    folder.mkdir()
    for name, lines in (("train", 150), ("valid", 40), ("test", 40)):
        (folder / f"{name}.txt").write_text(text(lines))
    (store / "nietzsche.txt").write_text(text(120))
    characters = store / "characters"
    characters.mkdir()
    for name in ("train", "val"):
        random.integers(0, 65, 20000).astype(np.uint16).tofile(characters / f"{name}.bin")
    table = {number: chr(40 + number) for number in range(65)}
    meta = {"vocab_size": 65, "itos": table, "stoi": {value: key for key, value in table.items()}}
    (characters / "meta.pkl").write_bytes(pickle.dumps(meta))


def _graph(random: np.random.Generator, store: Path) -> None:
    """A citation graph in the form of Cora, with its number of words and classes."""
    nodes, words = 1700, 1433
    names = ["Case_Based", "Genetic_Algorithms", "Neural_Networks", "Probabilistic_Methods",
             "Reinforcement_Learning", "Rule_Learning", "Theory"]  # fmt: skip
    marks = (random.random((nodes, words)) < 0.01).astype(int)
    content = "".join(
        "\t".join([str(1000 + node), *map(str, marks[node]), names[random.integers(7)]]) + "\n" for node in range(nodes)
    )
    cites = "".join(f"{1000 + a}\t{1000 + b}\n" for a, b in random.integers(0, nodes, (3000, 2)))
    with tarfile.open(store / "cora.tgz", "w:gz", compresslevel=1) as archive:
        for name, text in (("cora.content", content), ("cora.cites", cites)):
            _pack(archive, f"cora/{name}", text.encode())


def _series(random: np.random.Generator, store: Path) -> None:
    """Tables of time series: one row per series, the class before the 500 values."""
    for name, rows in (("FordA_TRAIN.tsv", 128), ("FordA_TEST.tsv", 48)):
        classes = random.choice([-1, 1], (rows, 1))
        np.savetxt(store / name, np.hstack([classes, random.standard_normal((rows, 500))]), delimiter="\t", fmt="%.4f")


def _images(random: np.random.Generator, store: Path) -> None:
    """A few pictures of 120 by 100 points, for folders of pictures."""
    from PIL import Image

    for part in ("train", "test"):
        folder = store / "pictures" / "BSDS300" / "images" / part
        folder.mkdir(parents=True)
        for number in range(12):
            Image.fromarray(random.integers(0, 256, (321, 481, 3), np.uint8)).save(folder / f"{number}.jpg")
