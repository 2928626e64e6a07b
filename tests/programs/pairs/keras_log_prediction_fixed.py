"""A classifier with a loss of its own."""

import tensorflow as tf
from tensorflow import keras

(x_train, y_train), (x_test, y_test) = keras.datasets.mnist.load_data()
x_train = x_train.reshape(-1, 784).astype("float32") / 255.0
y_train = keras.utils.to_categorical(y_train, 10).astype("float32")

model = keras.Sequential(
    [
        keras.Input(shape=(784,)),
        keras.layers.Dense(128, activation="relu"),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
optimizer = keras.optimizers.SGD(0.01)
dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(64)

for epoch in range(3):
    for images, labels in dataset:
        with tf.GradientTape() as tape:
            predictions = model(images, training=True)
            cross_entropy = -tf.reduce_sum(labels * tf.math.log(tf.clip_by_value(predictions, 1e-7, 1.0)), axis=1)
            loss = tf.reduce_mean(cross_entropy)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
