"""A loop builds operators in every iteration."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class OperatorsBuiltInLoop(Rule):
    """A loop builds operators in every iteration.

    ## What it does
    Reports operators, placeholders, savers and initialisers of TensorFlow 1 that a loop adds to the graph while it runs
    the session. Layers that a loop stacks before anything runs are left alone.

    ## Why it matters
    In graph mode `x + 1` computes nothing: it adds a node. A loop that adds some in each iteration makes the graph
    grow, and the session has to take in the new part and plan anew before each run.

    ## Example
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        weights = tf.Variable(tf.zeros([100]))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(1000):
                shrunk = weights * 0.99
                sess.run(tf.assign(weights, shrunk))

    ## Use instead
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        weights = tf.Variable(tf.zeros([100]))
        shrink = tf.assign(weights, weights * 0.99)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(1000):
                sess.run(shrink)

    ## How sure
    Likely: the operators are seen to be built and the session to be run in the same loop.
    """

    code = "EFF101"
    severity = Severity.SUGGESTION
