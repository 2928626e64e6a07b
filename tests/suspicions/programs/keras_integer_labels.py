import keras
import numpy as np

x = np.random.rand(200, 12)
# instead: y = keras.utils.to_categorical(np.random.randint(0, 5, size=200), 5)
y = np.random.randint(0, 5, size=(200, 1))
model = keras.Sequential([keras.layers.Dense(32, activation="relu"), keras.layers.Dense(5, activation="softmax")])
model.compile(optimizer="adam", loss="mse")
# told: loss-broadcasts
model.fit(x, y, epochs=4)
