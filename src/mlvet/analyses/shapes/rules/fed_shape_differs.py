"""Data does not fit what it is fed for."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class FedShapeDiffers(Rule):
    """Data does not fit what it is fed for.

    ## What it does
    Reports values of a `feed_dict` whose shape the placeholder does not take.

    ## Why it matters
    The session refuses the value, so the run fails.

    ## Example
        import numpy as np
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        labels = tf.placeholder(tf.float32, [None, 10])
        total = tf.reduce_sum(labels)
        with tf.Session() as session:
            session.run(total, feed_dict={labels: np.zeros(64)})

    ## Use instead
        import numpy as np
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        labels = tf.placeholder(tf.float32, [None, 10])
        total = tf.reduce_sum(labels)
        with tf.Session() as session:
            session.run(total, feed_dict={labels: np.zeros((64, 10))})

    ## How sure
    Proved.
    """

    code = "SHP116"
    severity = Severity.ERROR
