"""A loss over the words of translated sentences, padding left out."""

import tensorflow as tf
from tensorflow import keras

model = keras.Sequential(
    [keras.layers.Embedding(8000, 128), keras.layers.LSTM(128, return_sequences=True), keras.layers.Dense(8000)]
)
optimizer = keras.optimizers.Adam()


def masked_loss(labels, scores):
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    mask = tf.cast(tf.not_equal(labels, 0), tf.float32)
    words = tf.reduce_sum(mask)
    return tf.reduce_sum(losses * mask) / tf.maximum(words, 1.0)


for step in range(100):
    tokens = tf.random.uniform((64, 21), 0, 8000, dtype=tf.int32)
    with tf.GradientTape() as tape:
        loss = masked_loss(tokens[:, 1:], model(tokens[:, :-1]))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
