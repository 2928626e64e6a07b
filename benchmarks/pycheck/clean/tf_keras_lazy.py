"""Training through tf.keras attributes only."""
import numpy as np
import tensorflow as tf

keras = tf.keras
layers = tf.keras.layers
K = tf.keras.backend


class Scale(tf.keras.layers.Layer):
    def __init__(self, factor=1.0, **kwargs):
        super(Scale, self).__init__(**kwargs)
        self.factor = factor

    def build(self, input_shape):
        self.gain = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="gain")

    def call(self, inputs):
        return inputs * self.gain * self.factor

    def get_config(self):
        config = super().get_config()
        config.update({"factor": self.factor})
        return config


def build():
    inputs = tf.keras.Input(shape=(4,))
    x = Scale(0.5)(inputs)
    x = layers.Dense(8, activation=tf.nn.relu)(x)
    outputs = layers.Dense(2)(x)
    model = keras.models.Model(inputs, outputs)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(1e-3),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[tf.keras.metrics.SparseCategoricalAccuracy(name="acc")],
    )
    return model


def main():
    x = np.random.default_rng(0).normal(size=(16, 4)).astype("float32")
    y = (x[:, 0] > 0).astype("int64")
    model = build()
    stop = tf.keras.callbacks.EarlyStopping(monitor="loss", patience=1)
    history = model.fit(x, y, epochs=2, callbacks=[stop], verbose=0)
    weights = [K.int_shape(w) if hasattr(K, "int_shape") else w.shape for w in model.weights]
    print(sorted(history.history), weights, len(tf.config.list_physical_devices("GPU")))


if __name__ == "__main__":
    main()
