"""Programs that fail, each with one line marked, and what that line is when the fix is applied."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

TORCH = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
NUMPY = "import numpy as np\n"
TENSORFLOW = "import tensorflow as tf\n"
JAX = "import jax\nimport jax.numpy as jnp\n"
KERAS = "import numpy as np\nimport keras\nfrom keras import layers\n"


@dataclass(frozen=True, slots=True)
class Case:
    """A program, and the lines that are marked in it as they are with the fix."""

    name: str
    text: str
    fixed: tuple[str, ...]

    def __str__(self) -> str:
        return self.name

    @property
    def library(self) -> str:
        """The library that the program computes with."""
        found = (each for each in ("torch", "keras", "tensorflow", "jax") if f"import {each}" in self.text)
        return next(found, "keras" if "from keras" in self.text else "numpy")

    @property
    def expected(self) -> str:
        """The text with the marked lines put right."""
        left = list(self.fixed)
        lines = [_put_right(line, left) if "# HERE" in line else line for line in self.text.splitlines(keepends=True)]
        assert not left, self.name
        return "".join(lines)


def _put_right(line: str, left: list[str]) -> str:
    indentation = line[: len(line) - len(line.lstrip())]
    return "".join(f"{indentation}{each}\n" for each in left.pop(0).split("\n"))


def case(name: str, imports: str, text: str, *fixed: str) -> Case:
    return Case(name, imports + dedent(text), tuple(f"{each}  # HERE" for each in fixed))


CASES = [
    case(
        "torch-matmul-right", TORCH,
        """
        v, w = torch.randn(5, 20), torch.randn(10, 20)
        u = v @ w  # HERE
        """,
        "u = v @ w.T",
    ),
    case(
        "torch-matmul-left", TORCH,
        """
        v, w = torch.randn(20, 5), torch.randn(20, 7)
        u = torch.matmul(v, w)  # HERE
        """,
        "u = torch.matmul(v.T, w)",
    ),
    case(
        "torch-scores-of-attention", TORCH,
        """
        queries, keys = torch.randn(4, 6, 16), torch.randn(4, 9, 16)
        scores = torch.bmm(queries, keys) / 4  # HERE
        """,
        "scores = torch.bmm(queries, keys.transpose(1, 2)) / 4",
    ),
    case(
        "numpy-dot", NUMPY,
        """
        x, w = np.ones((32, 8)), np.ones((4, 8))
        y = np.dot(x, w)  # HERE
        """,
        "y = np.dot(x, w.T)",
    ),
    case(
        "tensorflow-matmul", TENSORFLOW,
        """
        x, w = tf.ones((32, 8)), tf.ones((4, 8))
        y = tf.matmul(x, w)  # HERE
        """,
        "y = tf.matmul(x, tf.transpose(w))",
    ),
    case(
        "jax-matmul", JAX,
        """
        x, w = jnp.ones((32, 8)), jnp.ones((4, 8))
        y = x @ w  # HERE
        """,
        "y = x @ w.T",
    ),
    case(
        "conv1d-of-sequences", TORCH,
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv1d(16, 32, 3)
                self.head = nn.Linear(32, 10)

            def forward(self, x):
                x = F.relu(self.conv(x))  # HERE
                return self.head(x.mean(2))


        loss = F.cross_entropy(Net()(torch.randn(8, 50, 16)), torch.zeros(8, dtype=torch.long))
        """,
        "x = F.relu(self.conv(x.transpose(1, 2)))",
    ),
    case(
        "lstm-batch-first", TORCH,
        """
        class Tagger(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm = nn.LSTM(16, 32)  # HERE
                self.head = nn.Linear(32, 10)

            def forward(self, x):
                states, _ = self.lstm(x, (torch.zeros(1, x.size(0), 32), torch.zeros(1, x.size(0), 32)))
                return self.head(states[:, -1])


        loss = F.cross_entropy(Tagger()(torch.randn(8, 50, 16)), torch.zeros(8, dtype=torch.long))
        """,
        "self.lstm = nn.LSTM(16, 32, batch_first=True)",
    ),
    case(
        "loss-of-a-column", TORCH,
        """
        model = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())
        scores = model(torch.randn(64, 8))
        loss = nn.BCELoss()(scores, torch.ones(64))  # HERE
        """,
        "loss = nn.BCELoss()(scores.squeeze(1), torch.ones(64))",
    ),
    case(
        "labels-in-a-column", TORCH,
        """
        model = nn.Linear(8, 3)
        y = torch.zeros(64, 1, dtype=torch.long)
        loss = F.cross_entropy(model(torch.randn(64, 8)), y)  # HERE
        """,
        "loss = F.cross_entropy(model(torch.randn(64, 8)), y.squeeze(1))",
    ),
    case(
        "channel-axis-missing", TORCH,
        """
        conv = nn.Conv2d(1, 8, 3)
        images = torch.randn(16, 28, 28)
        maps = conv(images)  # HERE
        pooled = F.adaptive_avg_pool2d(maps, 1).view(16, 8)
        """,
        "maps = conv(images.unsqueeze(1))",
    ),
    case(
        "batch-axis-missing", TORCH,
        """
        bn = nn.BatchNorm2d(3)
        bn.eval()
        picture = torch.randn(3, 32, 32)
        out = bn(picture)  # HERE
        """,
        "out = bn(picture.unsqueeze(0))",
    ),
    case(
        "images-with-channels-last", TORCH,
        """
        net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 30 * 30, 10))
        images = torch.randn(16, 32, 32, 3)
        scores = net(images)  # HERE
        """,
        "scores = net(images.permute(0, 3, 1, 2))",
    ),
    case(
        "flatten-missing", TORCH,
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(1, 16, 5)
                self.head = nn.Linear(16 * 12 * 12, 10)

            def forward(self, x):
                x = F.max_pool2d(self.conv(x), 2)
                return self.head(x)  # HERE


        loss = F.cross_entropy(Net()(torch.randn(8, 1, 28, 28)), torch.zeros(8, dtype=torch.long))
        """,
        "return self.head(x.flatten(1))",
    ),
    case(
        "labels-of-32-bits", TORCH,
        """
        model = nn.Linear(8, 3)
        labels = torch.zeros(64, dtype=torch.int32)
        loss = F.cross_entropy(model(torch.randn(64, 8)), labels)  # HERE
        """,
        "loss = F.cross_entropy(model(torch.randn(64, 8)), labels.long())",
    ),
    case(
        "doubles-of-numpy", "import numpy as np\n" + TORCH,
        """
        model = nn.Linear(8, 3)
        x = torch.from_numpy(np.zeros((64, 8)))
        y = model(x)  # HERE
        """,
        "y = model(x.float())",
    ),
    case(
        "axis-of-a-join", TORCH,
        """
        left, right = torch.randn(8, 3), torch.randn(8, 5)
        both = torch.cat([left, right])  # HERE
        """,
        "both = torch.cat([left, right], dim=1)",
    ),
    case(
        "needless-transpose", TORCH,
        """
        model = nn.Linear(8, 3)
        x = torch.randn(64, 8)
        y = model(x.T)  # HERE
        """,
        "y = model(x)",
    ),
    case(
        "number-of-features", TORCH,
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(1, 16, 5)
                self.head = nn.Linear(1024, 10)  # HERE

            def forward(self, x):
                x = F.max_pool2d(self.conv(x), 2)
                return self.head(torch.flatten(x, 1))


        loss = F.cross_entropy(Net()(torch.randn(8, 1, 28, 28)), torch.zeros(8, dtype=torch.long))
        """,
        "self.head = nn.Linear(2304, 10)",
    ),
    case(
        "number-by-name", TORCH,
        """
        FEATURES = 1024  # HERE


        class Net(nn.Module):
            def __init__(self, features=FEATURES):
                super().__init__()
                self.conv = nn.Conv2d(1, 16, 5)
                self.head = nn.Linear(features, 10)

            def forward(self, x):
                x = F.max_pool2d(self.conv(x), 2)
                return self.head(torch.flatten(x, 1))


        loss = F.cross_entropy(Net()(torch.randn(8, 1, 28, 28)), torch.zeros(8, dtype=torch.long))
        """,
        "FEATURES = 2304",
    ),
    case(
        "keras-channels-first", KERAS,
        """
        model = keras.Sequential([keras.Input((28, 28, 1)), layers.Conv2D(8, 3), layers.Flatten(), layers.Dense(10)])
        model.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        x, y = np.zeros((100, 1, 28, 28), "float32"), np.zeros((100,), "int64")
        model.fit(x, y, verbose=0)  # HERE
        """,
        "model.fit(x.transpose(0, 2, 3, 1), y, verbose=0)",
    ),
    case(
        "tensorflow-axis-missing", TENSORFLOW,
        """
        features, ages = tf.ones((16, 28)), tf.ones((16,))
        rows = tf.concat([features, ages], 1)  # HERE
        scores = tf.matmul(rows, tf.ones((29, 2)))
        """,
        "rows = tf.concat([features, tf.expand_dims(ages, -1)], 1)",
    ),
    case(
        "keras-sparse-labels", KERAS,
        """
        model = keras.Sequential([keras.Input((28, 28)), layers.Flatten(), layers.Dense(10, activation="softmax")])
        model.compile(optimizer="adam", loss="categorical_crossentropy")  # HERE
        x, y = np.zeros((100, 28, 28), "float32"), np.zeros((100,), "int64")
        model.fit(x, y, verbose=0)
        """,
        'model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")',
    ),
    case(
        "keras-flatten-missing", KERAS,
        """
        model = keras.Sequential()
        model.add(keras.Input((28, 28, 1)))
        model.add(layers.Conv2D(8, 3, activation="relu"))
        model.add(layers.Dense(10, activation="softmax"))  # HERE
        model.compile(optimizer="adam", loss="categorical_crossentropy")
        x, y = np.zeros((100, 28, 28, 1), "float32"), np.zeros((100, 10), "float32")
        model.fit(x, y, verbose=0)
        """,
        'model.add(layers.Flatten())\nmodel.add(layers.Dense(10, activation="softmax"))',
    ),
    case(
        "keras-flatten-missing-in-a-list", NUMPY,
        """
        from keras import Input, Sequential
        from keras.layers import Conv2D, Dense  # HERE

        model = Sequential([Input((28, 28, 1)), Conv2D(8, 3), Dense(10, activation="softmax")])  # HERE
        model.compile(optimizer="adam", loss="categorical_crossentropy")
        x, y = np.zeros((100, 28, 28, 1), "float32"), np.zeros((100, 10), "float32")
        model.fit(x, y, verbose=0)
        """,
        "from keras.layers import Conv2D, Dense, Flatten",
        'model = Sequential([Input((28, 28, 1)), Conv2D(8, 3), Flatten(), Dense(10, activation="softmax")])',
    ),
    case(
        "torch-flatten-missing-in-a-list", TORCH,
        """
        net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Linear(4 * 30 * 30, 2))  # HERE
        scores = net(torch.randn(2, 3, 32, 32))
        """,
        "net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 30 * 30, 2))",
    ),
    case(
        "labels-of-floats", TORCH,
        """
        model = nn.Linear(8, 3)
        labels = torch.zeros(64)
        loss = F.cross_entropy(model(torch.randn(64, 8)), labels)  # HERE
        """,
        "loss = F.cross_entropy(model(torch.randn(64, 8)), labels.long())",
    ),
    case(
        "labels-of-whole-numbers", TORCH,
        """
        model = nn.Linear(8, 1)
        labels = torch.zeros(64, 1, dtype=torch.long)
        loss = F.binary_cross_entropy_with_logits(model(torch.randn(64, 8)), labels)  # HERE
        """,
        "loss = F.binary_cross_entropy_with_logits(model(torch.randn(64, 8)), labels.float())",
    ),
    case(
        "shape-said-in-place-of-a-reshape", TENSORFLOW,
        """
        y = tf.ones((12,))
        y.set_shape([3, 4])  # HERE
        """,
        "y = tf.reshape(y, [3, 4])",
    ),
    case(
        "sizes-exchanged", TORCH,
        """
        first = nn.Linear(8, 32)
        second = nn.Linear(4, 32)  # HERE
        scores = second(first(torch.randn(2, 8)))
        """,
        "second = nn.Linear(32, 4)",
    ),
    case(
        "target-of-a-reshape", TORCH,
        """
        maps = torch.randn(8, 16, 5, 5)
        flat = maps.view(8, 256)  # HERE
        scores = nn.Linear(400, 3)(flat)
        """,
        "flat = maps.view(8, -1)",
    ),
    case(
        "features-of-a-reshape", TORCH,
        """
        maps = torch.randn(8, 16, 5, 5)
        flat = maps.view(-1, 256)  # HERE
        scores = nn.Linear(400, 3)(flat)
        """,
        "flat = maps.view(-1, 400)",
    ),
    case(
        "other-axes-exchanged", TORCH,
        """
        queries, keys = torch.randn(2, 4, 6, 16), torch.randn(2, 4, 9, 16)
        scores = queries @ keys.transpose(1, 2)  # HERE
        """,
        "scores = queries @ keys.transpose(-2, -1)",
    ),
    case(
        "sizes-by-name-exchanged", TORCH,
        """
        rnn = nn.LSTM(input_size=64, hidden_size=28)  # HERE
        states, _ = rnn(torch.randn(5, 3, 28))
        scores = nn.Linear(64, 3)(states)
        """,
        "rnn = nn.LSTM(input_size=28, hidden_size=64)",
    ),
    case(
        "channels-of-a-convolution", TORCH,
        """
        first = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16))
        second = nn.Conv2d(24, 4, 3)  # HERE
        maps = second(first(torch.randn(2, 3, 32, 32)))
        """,
        "second = nn.Conv2d(16, 4, 3)",
    ),
    case(
        "channels-exchanged", TORCH,
        """
        first = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16))
        second = nn.Sequential(nn.Conv2d(32, 16, 3), nn.BatchNorm2d(32))  # HERE
        maps = second(first(torch.randn(2, 3, 32, 32)))
        """,
        "second = nn.Sequential(nn.Conv2d(16, 32, 3), nn.BatchNorm2d(32))",
    ),
    case(
        "two-loops-fail-alike", TORCH,
        """
        model = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())
        criterion = nn.BCELoss()
        for step in range(2):
            x, y = torch.randn(64, 8), torch.ones(64)
            loss = criterion(model(x), y)  # HERE
        for step in range(2):
            x, y = torch.randn(32, 8), torch.ones(32)
            loss = criterion(model(x), y)  # HERE
        """,
        "loss = criterion(model(x).squeeze(1), y)",
        "loss = criterion(model(x).squeeze(1), y)",
    ),
]  # fmt: skip
