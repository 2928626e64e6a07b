"""Demands that cannot be met: of one operator, of two together, with a default, and in a run that is fed."""

from __future__ import annotations

from pathlib import Path

from judging import judged, line_of

from mlvet.core.grade import Certainty, Severity

CLASSIFIER = """
    import torch
    import torch.nn as nn
    import torch.nn.functional as F


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 64, 5)
            self.head = nn.Linear(1024, 10)  # WRITTEN

        def forward(self, x):
            x = F.max_pool2d(self.conv(x), 2)
            x = torch.flatten(x, 1)
            return self.head(x)  # HERE


    net = Net()
    for step in range(3):
        scores = net(torch.zeros(8, 1, 28, 28))
        loss = F.cross_entropy(scores, torch.zeros(8, dtype=torch.long))
"""


def test_the_operator_that_fails_is_told_once_with_shapes_arithmetic_and_cure(tmp_path: Path) -> None:
    (found,) = judged(CLASSIFIER, tmp_path)
    assert (found.rule, found.severity, found.certainty) == ("matmul-inner-dims", Severity.ERROR, Certainty.PROVED)
    assert found.location.line == line_of(CLASSIFIER)
    assert "`x` f32[8, 9216]" in found.message
    assert "f32[10, 1024]" in found.message
    assert "9216 = 64*12*12 is not 1024" in found.message
    assert found.fix is not None
    (edit,) = found.fix.edits
    assert (edit.location.line, edit.content) == (line_of(CLASSIFIER, "# WRITTEN"), "9216")


def test_two_demands_on_a_tensor_of_unknown_rank_contradict_each_other(tmp_path: Path) -> None:
    program = """
        import torch


        def attend(behaviour, profile):
            image = torch.nn.functional.conv2d(behaviour, torch.zeros(8, 3, 3, 3))
            return torch.bmm(behaviour, torch.zeros(2, 4, 5))  # HERE
    """
    (found,) = judged(program, tmp_path)
    assert found.location.line == line_of(program)
    assert "3 dims" in found.message


def test_a_default_that_fails_is_likely_and_says_what_works(tmp_path: Path) -> None:
    program = """
        import argparse

        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--batch-size", type=int, default=50)
        args = parser.parse_args()
        images = torch.zeros(args.batch_size, 3, 8, 8)
        pairs = images.view(-1, 4, 3, 8, 8)  # HERE
    """
    (found,) = judged(program, tmp_path)
    assert (found.severity, found.certainty) == (Severity.ERROR, Certainty.LIKELY)
    assert found.location.line == line_of(program)
    assert "with the default batch_size = 50" in found.message
    assert "batch_size must be a multiple of 4" in found.message
    assert [each.text for each in found.assumptions] == ["batch_size is 50, as by default"]


def test_a_setting_that_has_no_choice_is_a_warning_even_where_its_default_works(tmp_path: Path) -> None:
    program = """
        import argparse

        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--rows", type=int, default=32)
        args = parser.parse_args()
        total = torch.zeros(args.rows, 4) @ torch.zeros(4, 2)
        loss = torch.nn.functional.nll_loss(total, torch.zeros(32, dtype=torch.long))  # HERE
    """
    (found,) = judged(program, tmp_path)
    assert (found.rule, found.severity) == ("restricted-setting", Severity.WARNING)
    assert found.location.line == line_of(program)
    assert "rows must be 32" in found.message


def test_a_run_that_is_fed_fails_at_the_operator_and_names_the_run(tmp_path: Path) -> None:
    program = """
        import numpy as np
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        images = tf.placeholder(tf.float32, [None, 784])
        labels = tf.placeholder(tf.float32)
        scores = tf.matmul(images, tf.Variable(tf.zeros([784, 10])))
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=scores))  # HERE
        step = tf.train.AdamOptimizer(0.1).minimize(loss)
        with tf.Session() as session:
            session.run(step, feed_dict={images: np.zeros((50, 784)), labels: np.zeros((50, 7))})  # RUN
    """
    (found,) = judged(program, tmp_path)
    assert found.location.line == line_of(program)
    assert "f32[50, 10]" in found.message
    assert "f32[50, 7]" in found.message
    runs = [each for each in found.related if each.message == "this run fails"]
    assert [each.location.line for each in runs if each.location] == [line_of(program, "# RUN")]


def test_runs_with_other_feeds_are_judged_apart(tmp_path: Path) -> None:
    program = """
        import numpy as np
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        rows = tf.placeholder(tf.float32, [None, 4])
        total = tf.reduce_sum(rows)
        with tf.Session() as session:
            session.run(total, feed_dict={rows: np.zeros((10, 4))})
            session.run(total, feed_dict={rows: np.zeros((3, 4))})
            session.run(total, feed_dict={rows: np.zeros((3, 5))})  # HERE
    """
    (found,) = judged(program, tmp_path)
    assert (found.rule, found.location.line) == ("fed-shape-differs", line_of(program))


def test_a_defect_of_one_path_is_told_with_that_path(tmp_path: Path) -> None:
    program = """
        import argparse

        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--loss", default="ce")
        args = parser.parse_args()
        scores, labels = torch.zeros(8, 5), torch.zeros(8, dtype=torch.long)
        if args.loss == "mae":
            loss = torch.nn.functional.l1_loss(scores, labels.float())  # HERE
        else:
            loss = torch.nn.functional.cross_entropy(scores, labels)
    """
    (found,) = judged(program, tmp_path)
    assert found.location.line == line_of(program)
    assert [each.message for each in found.related if "path" in each.message] == [
        'on the path where args.loss == "mae"'
    ]


def test_independent_defects_are_told_each(tmp_path: Path) -> None:
    program = """
        import torch

        torch.zeros(2, 3) @ torch.zeros(4, 5)
        torch.zeros(6) + torch.zeros(7)
    """
    assert [each.location.line for each in judged(program, tmp_path)] == [4, 5]


def test_what_follows_from_a_defect_is_not_told(tmp_path: Path) -> None:
    program = """
        import torch

        x = torch.zeros(2, 3)
        y = x @ torch.zeros(4, 5)  # HERE
        z = x @ torch.zeros(6, 5)
        (y + z).view(7)
    """
    (found,) = judged(program, tmp_path)
    assert found.location.line == line_of(program)


def test_sizes_beyond_all_machines_are_numbers_like_others(tmp_path: Path) -> None:
    program = """
        import torch

        x = torch.empty(10**18, 10**18, device="meta")
        x.view(10**18, 10**9, 10**9)
        x.view(10**18, 10**18 + 1)  # HERE
    """
    (found,) = judged(program, tmp_path)
    assert found.location.line == line_of(program)
    assert str(10**36 + 10**18) in found.message


def test_a_layer_that_cannot_be_made_is_told_once_with_its_numbers(tmp_path: Path) -> None:
    program = """
        import torch
        from torch import nn

        layer = nn.Conv2d(16, 24, 1, groups=16)  # HERE
        layer(torch.zeros(2, 16, 8, 8))
    """
    (found,) = judged(program, tmp_path)
    assert found.location.line == line_of(program)
    assert "24 is no multiple of 16" in found.message


PACKED = """
    import random

    import torch
    from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

    recordings = []
    for _ in range(9):
        recordings.append(torch.zeros(random.randint(LEAST, 80), 13))
    lengths = torch.tensor([len(each) for each in recordings])
    padded = pad_sequence(recordings)
    packed = pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False)  # HERE
"""


def test_sequences_of_chosen_lengths_keep_the_bounds_of_the_choice(tmp_path: Path) -> None:
    program = PACKED.replace("LEAST", "40")
    (found,) = judged(program, tmp_path)
    assert found.location.line == line_of(program)
    assert "one length for each sequence" in found.message


def test_as_many_steps_as_sequences_can_be_packed_either_way(tmp_path: Path) -> None:
    assert judged(PACKED.replace("LEAST", "4"), tmp_path) == []


def test_sizes_that_a_loop_lets_grow_have_no_bounds(tmp_path: Path) -> None:
    program = """
        import random

        import torch

        size = random.randint(2, 5)
        other = random.randint(2, 5)
        while random.random() < 0.9:
            size, other = other, size + other
        torch.zeros(size) + torch.zeros(40)
    """
    assert judged(program, tmp_path) == []


def test_sizes_of_what_could_not_be_made_are_not_told_as_well(tmp_path: Path) -> None:
    program = """
        import torch
        from torch import nn

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.out = nn.Linear(8, 8)
            def forward(self, x):
                b, t, c = x.size()
                return self.out(x.view(b, t, 2, 4))

        x = torch.zeros(2, 3, 8)
        for block in [Block(), Block()]:
            x = block(x)
    """
    (found,) = judged(program, tmp_path)
    assert found.rule == "matmul-inner-dims"
