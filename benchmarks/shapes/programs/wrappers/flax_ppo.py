"""Fit the actor and critic network to random screens for a few steps."""

import jax
import jax.numpy as jnp
import models
import optax
from jax import random

BATCH, ACTIONS = 4, 6

key = random.key(0)
model = models.ActorCritic(num_outputs=ACTIONS)
screens = random.randint(key, (BATCH, 84, 84, 4), 0, 255)
params = jax.jit(model.init)(key, screens)["params"]
optimizer = optax.adam(1e-4)
state = optimizer.init(params)
actions = random.randint(key, (BATCH,), 0, ACTIONS)
returns = random.normal(key, (BATCH,))


@jax.jit
@jax.value_and_grad
def loss(params):
    log_probabilities, values = model.apply({"params": params}, screens)
    chosen = jax.vmap(lambda row, action: row[action])(log_probabilities, actions)
    advantage = returns - values[:, 0]
    return -jnp.mean(chosen * jax.lax.stop_gradient(advantage)) + jnp.mean(advantage**2)


for step in range(2):
    value, gradients = loss(params)
    updates, state = optimizer.update(gradients, state)
    params = optax.apply_updates(params, updates)
    print(step, float(value))
