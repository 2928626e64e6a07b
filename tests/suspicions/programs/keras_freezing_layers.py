import numpy as np
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(16), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
x, y = np.random.rand(32, 4), np.random.rand(32, 1)
model.fit(x, y)
for layer in model.layers[:-1]:
    layer.trainable = False
# add: model.compile(optimizer="sgd", loss="mse")
# told: trainable-after-fit
model.fit(x, y, epochs=3)
