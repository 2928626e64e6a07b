import keras
import numpy as np

model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
# instead: loss = keras.losses.BinaryCrossentropy(from_logits=True)
loss = keras.losses.BinaryCrossentropy()
model.compile(optimizer="adam", loss=loss)
# told: scores-taken-for-probabilities
model.fit(np.random.rand(50, 4), np.random.randint(0, 2, (50, 1)))
