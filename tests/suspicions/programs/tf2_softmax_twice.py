import tensorflow as tf

# instead: layer = tf.keras.layers.Dense(5)
layer = tf.keras.layers.Dense(5, activation="softmax")
optimizer = tf.keras.optimizers.Adam()
x, y = tf.random.normal((64, 12)), tf.random.uniform((64,), maxval=5, dtype=tf.int64)
for _ in range(10):
    with tf.GradientTape() as tape:
        scores = layer(x)
        # told: softmax-before-logits-loss
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=scores)
        loss = tf.reduce_mean(losses)
    grads = tape.gradient(loss, layer.trainable_variables)
    optimizer.apply_gradients(zip(grads, layer.trainable_variables, strict=True))
