import keras
import numpy as np

inputs = keras.Input((16,))
hidden = keras.layers.Dense(32, activation="relu")(inputs)
# instead: outputs = keras.layers.Dense(3)(hidden)
outputs = keras.layers.Dense(3, activation="softmax")(hidden)
model = keras.Model(inputs, outputs)
model.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
# told: softmax-before-logits-loss
model.fit(np.random.rand(90, 16), np.random.randint(0, 3, 90), epochs=2)
