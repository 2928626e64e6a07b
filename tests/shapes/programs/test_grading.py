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
