"""Layers that create their weights late."""
import keras
import numpy as np
from keras import ops


class LowRank(keras.layers.Layer):
    def __init__(self, units, rank=2, **kwargs):
        super().__init__(**kwargs)
        self.units, self.rank = units, rank
        self.bias = None

    def build(self, input_shape):
        self.left = self.add_weight(shape=(input_shape[-1], self.rank), name="left")
        self.right = self.add_weight(shape=(self.rank, self.units), name="right")
        self.bias = self.add_weight(shape=(self.units,), initializer="zeros", name="bias")

    def call(self, inputs):
        return ops.matmul(ops.matmul(inputs, self.left), self.right) + self.bias


class Averaged(keras.Model):
    def __init__(self, units):
        super().__init__()
        self.branches = [LowRank(units) for _ in range(2)]
        self.tracker = keras.metrics.Mean(name="spread")

    def call(self, inputs, training=None):
        outputs = [branch(inputs) for branch in self.branches]
        self.tracker.update_state(ops.std(outputs[0] - outputs[1]))
        return sum(outputs) / len(outputs)

    @property
    def metrics(self):
        return [*super().metrics, self.tracker]


class Recorder(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.values = []

    def on_epoch_end(self, epoch, logs=None):
        logs = logs or {}
        self.values.append(logs.get("loss"))
        self.model.optimizer.learning_rate = 0.01 / (epoch + 1)


def main():
    x = np.random.default_rng(0).normal(size=(16, 5)).astype("float32")
    model = Averaged(3)
    model.compile(optimizer="sgd", loss="mse", run_eagerly=True)
    recorder = Recorder()
    history = model.fit(x, x[:, :3], epochs=2, batch_size=8, callbacks=[recorder], verbose=0)
    print(len(recorder.values), sorted(history.history), model.branches[0].left.shape)


if __name__ == "__main__":
    main()
