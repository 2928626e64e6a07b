"""Graphs and sessions: what TensorFlow was before its second version, still there as tf.compat.v1."""
