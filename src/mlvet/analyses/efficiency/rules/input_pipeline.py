"""Input is prepared one item at a time."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class InputPipeline(Rule):
    """Input is prepared one item at a time.

    ## What it does
    Suggests `num_parallel_calls` for a `map` of tf.data that reads or decodes, `map` after `batch` where the
    function means the same for batches, workers for a `DataLoader` whose data set reads a file for each item, or
    computes on it for a millisecond or more, and none for one whose data set is in memory.

    ## Why it matters
    The model waits while one core prepares the next batch. Data that is in memory already gains nothing from workers:
    to start them in each epoch and to send batches between processes takes several times as long as to gather a batch.

    ## Example
        import tensorflow as tf


        def load(path):
            image = tf.io.decode_png(tf.io.read_file(path), channels=3)
            return tf.image.resize(image, (64, 64))


        paths = tf.data.Dataset.list_files("images/*.png")
        for batch in paths.map(load).batch(32):
            print(tf.reduce_mean(batch))

    ## Use instead
        import tensorflow as tf


        def load(path):
            image = tf.io.decode_png(tf.io.read_file(path), channels=3)
            return tf.image.resize(image, (64, 64))


        paths = tf.data.Dataset.list_files("images/*.png")
        for batch in paths.map(load, num_parallel_calls=tf.data.AUTOTUNE).batch(32):
            print(tf.reduce_mean(batch))

    ## How sure
    Likely, on the conditions that the finding names: the machine has cores to spare and input takes a part of a step.
    Data sets that keep items once they are made, or make them on a device, are left alone, and so are those that are
    known to have few items, or whose items are computed by what uses all cores anyway. An item that is made of several
    files has them read at once without any setting: the condition then names the cores that are needed beyond these.
    """

    code = "EFF175"
    severity = Severity.SUGGESTION
