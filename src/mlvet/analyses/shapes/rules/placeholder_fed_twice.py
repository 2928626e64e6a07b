"""A placeholder is written twice among the feeds of a run."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class PlaceholderFedTwice(Rule):
    """A placeholder is written twice among the feeds of a run.

    ## What it does
    Reports a `feed_dict` that is written with the same placeholder as two keys.

    ## Why it matters
    The later value takes the place of the earlier one without a word. Mostly another placeholder was meant, which then
    has no value.

    ## Example
        import numpy as np
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        rows = tf.placeholder(tf.float32, [None, 10])
        labels = tf.placeholder(tf.float32, [None, 10])
        error = tf.reduce_mean(tf.square(rows - labels))
        with tf.Session() as session:
            session.run(error, feed_dict={rows: np.zeros((4, 10)), rows: np.ones((4, 10))})

    ## Use instead
        import numpy as np
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        rows = tf.placeholder(tf.float32, [None, 10])
        labels = tf.placeholder(tf.float32, [None, 10])
        error = tf.reduce_mean(tf.square(rows - labels))
        with tf.Session() as session:
            session.run(error, feed_dict={rows: np.zeros((4, 10)), labels: np.ones((4, 10))})

    ## How sure
    Proved.
    """

    code = "SHP118"
    severity = Severity.WARNING
