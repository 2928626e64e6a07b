import keras
import numpy as np

base = keras.applications.MobileNetV2(input_shape=(96, 96, 3), include_top=False, pooling="avg")
base.trainable = False
inputs = keras.Input((96, 96, 3))
outputs = keras.layers.Dense(2, activation="softmax")(base(inputs))
model = keras.Model(inputs, outputs)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
x, y = np.zeros((10, 96, 96, 3)), np.zeros(10, dtype=int)
model.fit(x, y)
base.trainable = True
# add: model.compile(optimizer=keras.optimizers.Adam(1e-5), loss="sparse_categorical_crossentropy")
# told: trainable-after-fit
model.fit(x, y)
