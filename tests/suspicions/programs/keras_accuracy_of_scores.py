import keras
import numpy as np

model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
model.compile(
    optimizer="adam",
    loss=keras.losses.BinaryCrossentropy(from_logits=True),
    # instead: metrics=[keras.metrics.BinaryAccuracy(threshold=0.0)],
    metrics=["accuracy"],
)
# told: scores-compared-with-half
model.fit(np.random.rand(60, 5), np.random.randint(0, 2, 60))
