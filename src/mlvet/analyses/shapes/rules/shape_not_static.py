"""A variable is made of a tensor whose shape the graph does not know."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ShapeNotStatic(Rule):
    """A variable is made of a tensor whose shape the graph does not know.

    ## What it does
    Reports variables of TensorFlow 1 whose initial value has sizes that a placeholder leaves open, or sizes that the
    graph reads from a tensor.

    ## Why it matters
    A variable needs its shape when the graph is built, and these sizes are known to a run only. The line that makes
    the variable fails.

    ## Example
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        images = tf.placeholder(tf.float32, [None, 784])
        state = tf.Variable(tf.zeros([tf.shape(images)[0], 10]))

    ## Use instead
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        images = tf.placeholder(tf.float32, [None, 784])
        state = tf.Variable(tf.zeros([784, 10]))

    ## How sure
    Proved.
    """

    code = "SHP119"
    severity = Severity.ERROR
