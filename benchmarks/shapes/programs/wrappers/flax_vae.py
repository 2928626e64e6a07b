"""Train the variational autoencoder on random images for a few steps."""

import jax
import jax.numpy as jnp
import models
import optax
from flax.training import train_state
from jax import random
from train import eval_f, train_step

LATENTS = 20
BATCH = 16

rng = random.key(0)
rng, key, noise = random.split(rng, 3)
images = random.bernoulli(key, 0.3, (BATCH, 784)).astype(jnp.float32)
params = models.model(LATENTS).init(key, images, noise)["params"]
state = train_state.TrainState.create(apply_fn=models.model(LATENTS).apply, params=params, tx=optax.adam(1e-3))
step = jax.jit(train_step, static_argnums=3)
for _ in range(3):
    rng, key = random.split(rng)
    state = step(state, images, key, LATENTS)
z = random.normal(key, (64, LATENTS))
metrics, comparison, sample = jax.jit(eval_f, static_argnums=4)(state.params, images, z, key, LATENTS)
print(jax.tree.map(float, metrics), comparison.shape, sample.shape)
