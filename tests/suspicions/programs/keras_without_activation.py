import tensorflow as tf

(images, labels), _ = tf.keras.datasets.mnist.load_data()
images = images.reshape(-1, 784) / 255.0
model = tf.keras.models.Sequential(
    [
        tf.keras.layers.Dense(128, activation="relu", input_shape=(784,)),
        tf.keras.layers.Dropout(0.2),
        # instead: tf.keras.layers.Dense(10, activation="softmax"),
        tf.keras.layers.Dense(10),
    ]
)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
# told: scores-taken-for-probabilities
model.fit(images, labels, epochs=5)
