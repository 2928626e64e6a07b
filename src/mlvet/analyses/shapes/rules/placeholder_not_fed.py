"""A run needs a placeholder that it is not fed."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class PlaceholderNotFed(Rule):
    """A run needs a placeholder that it is not fed.

    ## What it does
    Reports runs of a session that compute something from a placeholder without a default for which `feed_dict` has no
    value. It needs to know all of `feed_dict`, so it says nothing where parts of it come from elsewhere.

    ## Why it matters
    The session has no value for the placeholder, so the run fails. Often it is the evaluation at the end that fails,
    after the training.

    ## Example
        import numpy as np
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        rows = tf.placeholder(tf.float32, [None, 10])
        keep = tf.placeholder(tf.float32, [])
        scaled = rows * keep
        with tf.Session() as session:
            session.run(scaled, feed_dict={rows: np.zeros((4, 10))})

    ## Use instead
        import numpy as np
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        rows = tf.placeholder(tf.float32, [None, 10])
        keep = tf.placeholder_with_default(1.0, [])
        scaled = rows * keep
        with tf.Session() as session:
            session.run(scaled, feed_dict={rows: np.zeros((4, 10))})

    ## How sure
    Proved.
    """

    code = "SHP117"
    severity = Severity.ERROR
