import numpy as np
import keras

digits = np.random.rand(1000, 64)
labels = np.random.randint(0, 10, 1000)
model = keras.Sequential([keras.layers.Dense(32, activation="relu"), keras.layers.Dense(10, activation="softmax")])
model.compile(loss="sparse_categorical_crossentropy", optimizer="sgd")
model.fit(digits, labels, epochs=2)
# told: argmax-over-batch
# instead: guess = np.argmax(model.predict(digits), axis=1)
guess = np.argmax(model.predict(digits), axis=0)
print(guess)
