"""Train the network of the MNIST example on random images for a few steps."""

import jax
import numpy as np
import optax
from flax import nnx
from train import CNN, eval_step, train_step

model = CNN(rngs=nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.sgd(0.1, 0.9), wrt=nnx.Param)
metrics = nnx.MultiMetric(accuracy=nnx.metrics.Accuracy(), loss=nnx.metrics.Average("loss"))
rngs = nnx.Rngs(0)
random = np.random.default_rng(0)

model.train()
for _ in range(2):
    images = random.random((8, 28, 28, 1)).astype(np.float32)
    labels = random.integers(0, 10, (8,)).astype(np.int32)
    train_step(model, optimizer, metrics, {"image": images, "label": labels}, rngs)
print(jax.tree.map(float, metrics.compute()))
model.eval()
metrics.reset()
eval_step(model, metrics, {"image": images, "label": labels})
print(jax.tree.map(float, metrics.compute()))
