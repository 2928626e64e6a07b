import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

x = np.random.rand(500, 20)
y = np.random.randint(0, 2, size=(500,))
model = keras.Sequential()
model.add(keras.Input(shape=(20,)))
model.add(layers.Dense(32, activation="relu"))
# told: softmax-over-one
# instead: model.add(layers.Dense(1, "sigmoid"))
model.add(layers.Dense(1, activation="softmax"))
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
model.fit(x, y, epochs=5, batch_size=32)
