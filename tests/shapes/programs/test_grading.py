"""What is not told, or only as possible: other elements, paths that hang on unmodelled things, expected errors."""

from __future__ import annotations

from pathlib import Path

from judging import judged

from mlvet.core.grade import Certainty


def test_elements_of_a_list_of_unknown_length_have_sizes_of_their_own(tmp_path: Path) -> None:
    program = """
        import glob

        import numpy as np

        weights = [np.load(name) for name in glob.glob("*.npy")]
        first = weights[0].reshape(3, 4)
        second = weights[1].reshape(5, 6)
    """
    assert judged(program, tmp_path) == []


def test_a_path_that_an_unmodelled_library_decides_is_doubtful(tmp_path: Path) -> None:
    program = """
        import somewhere
        import torch

        kind = somewhere.settings().kind
        rows = torch.zeros(4, 5)
        if kind == 3:
            torch.dot(rows[0], torch.zeros(6))
    """
    (found,) = judged(program, tmp_path)
    assert found.certainty is Certainty.POSSIBLE


def test_a_check_that_ends_the_program_leaves_no_doubt(tmp_path: Path) -> None:
    program = """
        import somewhere
        import torch

        if somewhere.settings().kind != 3:
            raise SystemExit("wrong kind")
        torch.dot(torch.zeros(5), torch.zeros(6))
    """
    (found,) = judged(program, tmp_path)
    assert found.certainty is Certainty.PROVED


def test_a_string_that_is_one_of_several_may_hang_on_the_path(tmp_path: Path) -> None:
    program = """
        import argparse

        import numpy as np

        parser = argparse.ArgumentParser()
        parser.add_argument("--kind", default="small", choices=["small", "large"])
        args = parser.parse_args()
        if args.kind == "small":
            rows, names = np.zeros((5, 3)), ["a", "b"]
        else:
            rows, names = np.zeros((1, 3)), ["a", "b", "test"]
        for name in names:
            if name == "test":
                rows = np.concatenate([rows, np.zeros((1, 4))], axis=1)
    """
    assert [each.certainty for each in judged(program, tmp_path)] == [Certainty.POSSIBLE]


def test_numbers_of_a_list_may_be_two_of_them(tmp_path: Path) -> None:
    program = """
        import torch
        from torch import nn

        def build(dim, depth):
            dims = [2 ** i * dim for i in range(depth)]
            return nn.LayerNorm(dims[-1])(torch.zeros(3, 2 * dims[0]))
    """
    assert [each.certainty for each in judged(program, tmp_path)] == [Certainty.POSSIBLE]


def test_a_path_on_which_a_size_is_not_the_default_is_not_judged_by_it(tmp_path: Path) -> None:
    program = """
        import argparse

        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--width", type=int, default=448)
        width = parser.parse_args().width
        down = torch.zeros(width // 32, width // 64)
        up = torch.zeros(width // 32, 2 * (width // 128))
        if width > 64 and up.shape[1] == down.shape[1]:
            both = torch.cat([up, down])
    """
    assert [each.certainty for each in judged(program, tmp_path)] == [Certainty.POSSIBLE]


def test_the_width_of_a_padding_may_be_0(tmp_path: Path) -> None:
    program = """
        import tensorflow as tf

        def padded(image, widths):
            image = tf.reshape(image, [1, 8, 8, 3])
            return tf.squeeze(tf.pad(image, tf.reshape(widths, [4, 2])), axis=[0])
    """
    assert judged(program, tmp_path) == []


def test_a_layer_that_cannot_be_made_is_not_called(tmp_path: Path) -> None:
    program = """
        import torch
        from torch import nn

        x = torch.zeros(2, 10, 8, 8)
        y = nn.Conv2d(10, 12, 3, groups=3)(x)
        z = nn.Conv2d(8, 12, 3, groups=2)(torch.zeros(2, 10, 8, 8))
    """
    told = [(each.rule, each.location.line) for each in judged(program, tmp_path)]
    assert told == [("not-divisible", 6), ("conv-channels", 7)]


def test_a_combination_of_unusual_settings_is_doubtful(tmp_path: Path) -> None:
    program = """
        import argparse

        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--video", action="store_true")
        parser.add_argument("--flat", action="store_true")
        args = parser.parse_args()
        images = torch.zeros(2, 5, 3, 8, 8) if args.video else torch.zeros(2, 3, 8, 8)
        if args.flat:
            images = torch.nn.functional.conv2d(images, torch.zeros(4, 3, 3, 3))
    """
    (found,) = judged(program, tmp_path)
    assert found.certainty is Certainty.POSSIBLE


def test_a_test_that_expects_an_error_has_no_defect(tmp_path: Path) -> None:
    program = """
        import unittest

        import tensorflow.compat.v1 as tf


        class Cropping(unittest.TestCase):
            def test_too_large(self):
                cropped = tf.slice(tf.zeros([4, 5, 3]), [0, 0, 0], [5, 9, 3])
                with self.assertRaises(tf.errors.InvalidArgumentError):
                    with tf.Session() as session:
                        session.run(cropped)
    """
    assert judged(program, tmp_path) == []


def test_paths_that_are_no_longer_told_apart_are_doubtful(tmp_path: Path) -> None:
    many = "".join(
        f"        if int(input()) > 0:\n            kinds = kinds + [lambda: torch.zeros({n})]\n" for n in range(40)
    )
    program = f"""
        import torch

        kinds = []
{many}
        rows = input().split()
        if len(rows) > 3:
            torch.dot(torch.zeros(5), torch.zeros(6))
    """
    (found,) = judged(program, tmp_path)
    assert found.certainty is Certainty.POSSIBLE
    (found,) = judged(program.replace(many, ""), tmp_path)
    assert found.certainty is Certainty.PROVED
    (found,) = judged(program.replace("len(rows) > 3", "int(input()) > 3"), tmp_path)
    assert found.certainty is Certainty.PROVED
