"""Flax modules whose attributes come from setup and dataclass fields."""
from typing import Any, Callable

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import struct
from flax.training import train_state


@struct.dataclass
class Metrics:
    total: jax.Array
    count: int = struct.field(pytree_node=False, default=0)

    def add(self, value):
        return self.replace(total=self.total + value, count=self.count + 1)


class TrainState(train_state.TrainState):
    batch_stats: Any = None


class Net(nn.Module):
    width: int
    activation: Callable = nn.relu

    def setup(self):
        self.blocks = [nn.Dense(self.width, name=f"block_{i}") for i in range(2)]
        self.norm = nn.BatchNorm(momentum=0.9)
        self.head = nn.Dense(1)
        self.offset = self.param("offset", nn.initializers.zeros, (1,))

    def __call__(self, x, train: bool = False):
        for block in self.blocks:
            x = self.activation(block(x))
        x = self.norm(x, use_running_average=not train)
        return self.head(x) + self.offset


def main():
    key = jax.random.key(0)
    x = jax.random.normal(key, (8, 3))
    model = Net(width=4)
    variables = model.init(key, x)
    state = TrainState.create(
        apply_fn=model.apply,
        params=variables["params"],
        tx=optax.sgd(0.1),
        batch_stats=variables["batch_stats"],
    )

    def loss_fn(params):
        inputs = {"params": params, "batch_stats": state.batch_stats}
        out, updates = state.apply_fn(inputs, x, train=True, mutable=["batch_stats"])
        return jnp.mean(out**2), updates

    (loss, updates), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    state = state.apply_gradients(grads=grads)
    state = state.replace(batch_stats=updates["batch_stats"])
    metrics = Metrics(total=jnp.zeros(())).add(loss)
    print(metrics.count, int(state.step), sorted(state.params), x.at[0].set(0.0).sum().shape)


if __name__ == "__main__":
    main()
