"""Flax regression with weight decay masks and gradient clipping."""
from typing import Sequence

import flax
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class MLP(nn.Module):
    widths: Sequence[int]

    @nn.compact
    def __call__(self, x):
        for width in self.widths[:-1]:
            x = nn.tanh(nn.Dense(width)(x))
        return nn.Dense(self.widths[-1])(x)


def decay_mask(params):
    flat = flax.traverse_util.flatten_dict(params)
    mask = {path: path[-1] != "bias" for path in flat}
    return flax.traverse_util.unflatten_dict(mask)


def make_optimizer(lr, weight_decay, clip):
    return optax.chain(
        optax.clip_by_global_norm(clip),
        optax.adamw(lr, weight_decay=weight_decay, mask=decay_mask),
    )


def create_state(rng, model, inputs):
    variables = model.init(rng, jnp.zeros((1, inputs)))
    tx = make_optimizer(lr=1e-2, weight_decay=1e-3, clip=1.0)
    return TrainState.create(apply_fn=model.apply, param=variables["params"], tx=tx)


@jax.jit
def step(state, x, y):
    def loss_fn(params):
        prediction = state.apply_fn({"params": params}, x)
        return jnp.mean((prediction - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main(steps=3):
    rng = jax.random.PRNGKey(0)
    x = jax.random.normal(rng, (32, 4))
    y = jnp.sin(x).sum(axis=1, keepdims=True)
    state = create_state(rng, MLP((16, 1)), inputs=4)
    for _ in range(steps):
        state, loss = step(state, x, y)
        print("step", int(state.step), "loss", float(loss))


if __name__ == "__main__":
    main()
