"""Calls that the real library refuses, each in a program of a few lines: told once, at the line marked HERE."""

from __future__ import annotations

from pathlib import Path

import pytest
from judging import judged, line_of

from mlvet.core.grade import Certainty

REFUSED = {
    "a gradient of several numbers": """
        import torch

        loss = torch.nn.MSELoss(reduction="none")(torch.zeros(5, 2, requires_grad=True), torch.zeros(5, 2))
        loss.backward()  # HERE
    """,
    "weights for fewer classes": """
        import torch

        loss = torch.nn.CrossEntropyLoss(weight=torch.ones(2))
        loss(torch.zeros(6, 3), torch.zeros(6, dtype=torch.long))  # HERE
    """,
    "whole numbers as targets of logits": """
        import torch

        torch.nn.BCEWithLogitsLoss()(torch.zeros(7, 1), torch.zeros(7, 1, dtype=torch.long))  # HERE
    """,
    "a column of signs": """
        import torch

        torch.nn.CosineEmbeddingLoss()(torch.zeros(8, 16), torch.zeros(8, 16), torch.ones(8, 1))  # HERE
    """,
    "lengths of another batch": """
        import torch

        scores = torch.zeros(8, 100, 29).log_softmax(2)
        lengths = torch.full((8,), 12)
        torch.nn.CTCLoss()(scores, torch.ones(8, 12, dtype=torch.long), lengths, lengths)  # HERE
    """,
    "the state of another model": """
        import torch

        torch.nn.Linear(4, 2).load_state_dict(torch.nn.Linear(4, 3).state_dict())  # HERE
    """,
    "three parts taken apart into two": """
        import torch

        mean, spread = torch.zeros(4, 30).chunk(3, dim=1)  # HERE
    """,
    "a shape taken apart into more sizes": """
        import torch


        def flat(x):
            b, c, h, w = x.shape  # HERE
            return x.view(b, c, h * w)


        flat(torch.zeros(3, 8, 8))
    """,
    "the shape of an array taken apart": """
        import numpy as np

        height, width = np.zeros((32, 32, 3)).shape  # HERE
    """,
    "an array that would grow in its place": """
        import numpy as np

        w = np.zeros((5, 1))
        w -= np.zeros((1, 5))  # HERE
    """,
    "whole numbers that would become fractions": """
        import numpy as np

        counts = np.zeros(3, dtype=np.int64)
        counts += 0.5  # HERE
    """,
    "heads that do not divide the width, told where the layer is made": """
        import torch
        from torch import nn


        class Block(nn.Module):
            def __init__(self, width, heads):
                super().__init__()
                self.attention = nn.MultiheadAttention(width, heads)  # HERE

            def forward(self, x):
                return x + self.attention(x, x, x)[0]


        Block(100, 8)(torch.zeros(7, 2, 100))
    """,
    "groups that do not divide the channels, told where the layer is made": """
        import torch
        from torch import nn

        block = nn.Sequential(
            nn.Conv1d(24, 30, 3, groups=4),  # HERE
            nn.BatchNorm1d(30), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(30, 2),
        )
        block(torch.zeros(4, 24, 100))
    """,
    "sequences of other features": """
        import torch

        torch.nn.utils.rnn.pad_sequence([torch.zeros(3, 4), torch.zeros(2, 5)])  # HERE
    """,
    "rows of another number": """
        import torch

        torch.linalg.lstsq(torch.zeros(5, 3), torch.zeros(4, 1))  # HERE
    """,
    "indices of fewer dims": """
        import torch

        torch.take_along_dim(torch.zeros(3, 4), torch.zeros(3, dtype=torch.long), dim=1)  # HERE
    """,
    "the gradient of a row": """
        import torch

        w = torch.zeros(3, requires_grad=True)
        torch.autograd.grad(w * 2, w)  # HERE
    """,
    "places without values": """
        import numpy as np

        np.polyfit(np.zeros(5), np.zeros(4), 2)  # HERE
    """,
    "knots without values": """
        import numpy as np

        np.interp(np.zeros(3), np.zeros(4), np.zeros(5))  # HERE
    """,
    "weights along another axis": """
        import numpy as np

        np.average(np.zeros((3, 4)), axis=1, weights=np.zeros(3))  # HERE
    """,
    "observations of another number": """
        import numpy as np

        np.corrcoef(np.zeros(5), np.zeros(4))  # HERE
    """,
    "more different ones than there are": """
        import numpy as np

        np.random.choice(5, size=6, replace=False)  # HERE
    """,
    "a filter of a picture": """
        import numpy as np

        np.convolve(np.zeros((2, 3)), np.zeros(2))  # HERE
    """,
    "an array of JAX that is changed": """
        import jax.numpy as jnp

        x = jnp.zeros((2, 2)) + 1
        x[0] = 5.0  # HERE
    """,
    "a tensor of TensorFlow that is changed": """
        import tensorflow as tf

        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        x[0, 0] = 5.0  # HERE
    """,
    "a sample of a replay memory": """
        import random
        from collections import deque, namedtuple

        import torch

        Step = namedtuple("Step", "state action")
        memory = deque(maxlen=100)
        for _ in range(50):
            memory.append(Step(torch.zeros(4), random.randrange(2)))
        batch = random.sample(memory, 16)
        states = torch.stack([step.state for step in batch])
        actions = torch.tensor([step.action for step in batch])
        states.gather(1, actions)  # HERE
    """,
    "a model that leaves out one of its inputs": """
        import keras

        image, age = keras.Input((8,), name="image"), keras.Input((1,), name="age")
        both = keras.layers.concatenate([image, age])
        model = keras.Model(image, keras.layers.Dense(1)(both))  # HERE
    """,
    "strides beside a dilation": """
        import keras

        keras.layers.Conv2D(4, 3, strides=2, dilation_rate=2)  # HERE
    """,
    "a covariance of other numbers": """
        import jax
        import jax.numpy as jnp

        jax.random.multivariate_normal(jax.random.PRNGKey(0), jnp.zeros(3), jnp.eye(4))  # HERE
    """,
    "more choices of JAX than there are": """
        import jax

        jax.random.choice(jax.random.PRNGKey(0), 5, (6,), replace=False)  # HERE
    """,
    "weights of another shape": """
        import keras
        import numpy as np

        layer = keras.layers.Dense(4)
        model = keras.Sequential([keras.Input((3,)), layer])
        layer.set_weights([np.ones((4, 3)), np.zeros(4)])  # HERE
    """,
    "labels of one of two outputs": """
        import keras
        import numpy as np

        x = keras.Input((6,))
        age = keras.layers.Dense(1, name="age")(x)
        genre = keras.layers.Dense(3, activation="softmax", name="genre")(x)
        model = keras.Model(x, [age, genre])
        model.compile(loss={"age": "mse", "genre": "categorical_crossentropy"})
        model.fit(np.zeros((10, 6)), {"age": np.zeros((10, 1)), "genre": np.zeros((10, 4))})  # HERE
    """,
    "an argument that the signature forbids": """
        import tensorflow as tf


        @tf.function(input_signature=[tf.TensorSpec([None, 10], tf.float32)])
        def total(x):
            return tf.reduce_sum(x, axis=1)


        total(tf.zeros((3, 12)))  # HERE
    """,
    "a variable of a loop that grows in a graph": """
        import tensorflow as tf

        x = tf.placeholder(tf.float32, [2, 2])
        step = lambda i, m: [i + 1, tf.concat([m, m], axis=0)]
        _, y = tf.while_loop(lambda i, m: i < 3, step, [tf.constant(0), x])  # HERE
    """,
}

ALLOWED = {
    "views that the order in memory allows": """
        import torch

        x = torch.zeros(2, 3, 4, 5)
        x.permute(0, 2, 3, 1).contiguous().view(2, -1)
        x.permute(1, 0, 2, 3).view(3, 2, 20)
        x.transpose(1, 2).reshape(2, -1)
        x[:1].view(60)
        torch.zeros(2, 1, 5).transpose(1, 2).view(2, 5)
        q, k = torch.nn.Linear(5, 8)(x).chunk(2, -1)
        q.view(2, 3, 4, 2, 2).view(6, 4, 2, 2)
    """,
    "models of models and of parts": """
        import keras
        import numpy as np
        from keras import layers

        inner = keras.Sequential([keras.Input((4,)), layers.Dense(3)])
        image, age = keras.Input((4,)), keras.Input((1,))
        hidden = inner(image)
        model = keras.Model([image, age], layers.concatenate([hidden, age]))
        part = keras.Model(model.inputs, model.layers[-1].output)
        top = keras.Input((3,))
        head = keras.Model(top, layers.Dense(2)(top))
        whole = keras.Model(image, head(inner(image)))
        whole(np.zeros((2, 4)))
        tail = keras.Model(hidden, layers.Dense(5)(hidden))
    """,
    "sums in place": """
        import numpy as np
        import torch

        total = torch.tensor(0.0)
        total += torch.zeros(())
        x = np.zeros((3, 4))
        x += np.ones(4)
        mean = x.mean()
        mean += x
        n = np.arange(5)
        n += 1
    """,
    "a failure that is caught": """
        import torch

        layer = torch.nn.Linear(4, 2)
        x = torch.zeros(3, 5)
        try:
            y = layer(x)
        except RuntimeError:
            y = layer(x[:, :4])
    """,
    "an option that decides the width on both sides": """
        import argparse
        import torch
        from torch import nn

        parser = argparse.ArgumentParser()
        parser.add_argument("--bidirectional", action="store_true")
        args = parser.parse_args()
        rnn = nn.LSTM(5, 8, bidirectional=args.bidirectional, batch_first=True)
        head = nn.Linear(8 * (2 if args.bidirectional else 1), 2)
        out, _ = rnn(torch.zeros(7, 4, 5))
        head(out[:, -1])
    """,
    "a normalisation of an input of unknown rank": """
        import torch
        from torch import nn
        from elsewhere import Encoder

        net = nn.Sequential(Encoder(), nn.BatchNorm1d(30), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(30, 2))
        net(torch.zeros(4, 24, 100))
    """,
}


@pytest.mark.parametrize("program", REFUSED.values(), ids=REFUSED)
def test_refused(program: str, tmp_path: Path) -> None:
    (found,) = judged(program, tmp_path)
    assert found.location.line == line_of(program)
    assert found.certainty is Certainty.PROVED


@pytest.mark.parametrize("program", ALLOWED.values(), ids=ALLOWED)
def test_allowed(program: str, tmp_path: Path) -> None:
    assert [each for each in judged(program, tmp_path) if each.certainty.at_least(Certainty.LIKELY)] == []


def test_a_failure_that_is_only_printed_is_told(tmp_path: Path) -> None:
    program = """
        import torch

        try:
            torch.zeros(2, 3) @ torch.zeros(2, 3)  # HERE
        except RuntimeError as error:
            print(error)
    """
    (found,) = judged(program, tmp_path)
    assert (found.location.line, found.certainty) == (line_of(program), Certainty.PROVED)


def test_a_batch_of_fit_is_as_large_as_it_says(tmp_path: Path) -> None:
    program = """
        import numpy as np
        import tensorflow as tf
        from tensorflow import keras


        class Own(keras.Model):
            def __init__(self, net):
                super().__init__()
                self.net = net

            def train_step(self, data):
                x, y = data
                return {"loss": tf.reduce_mean(tf.matmul(self.net(x), y))}  # HERE


        model = Own(keras.Sequential([keras.Input((6,)), keras.layers.Dense(3)]))
        model.compile(optimizer="adam")
        model.fit(np.zeros((32, 6)), np.zeros((32, 3)), batch_size=8)
    """
    (found,) = judged(program, tmp_path)
    assert (found.location.line, found.certainty) == (line_of(program), Certainty.LIKELY)


def test_rows_of_numbers_are_told_by_their_shape(tmp_path: Path) -> None:
    program = """
        import jax.numpy as jnp

        m = jnp.zeros((5, 3)).at[2].set(jnp.ones(4))
    """
    (found,) = judged(program, tmp_path)
    assert "f32[4]" in found.message


def test_a_subscript_is_told_as_it_is_written(tmp_path: Path) -> None:
    program = """
        import torch

        hidden = torch.zeros(2, 8, 16)
        top = hidden[2]
    """
    (found,) = judged(program, tmp_path)
    assert found.message.startswith("`hidden[2]` gets `hidden` f32[2, 8, 16]")
