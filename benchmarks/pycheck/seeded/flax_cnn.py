"""Flax convolutional classifier on random images."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state


class CNN(nn.Module):
    num_classes: int

    @nn.compact
    def __call__(self, x):
        x = nn.Conv(features=8, kernel_size=(3, 3))(x)
        x = nn.relu(x)
        x = nn.avg_pool(x, window_shape=(2, 2), strides=(2, 2))
        x = nn.Conv(features=16)(x)
        x = nn.relu(x)
        x = x.reshape((x.shape[0], -1))
        return nn.Dense(features=self.num_classes)(x)


def create_state(rng, learning_rate):
    model = CNN(num_classes=4)
    params = model.init(rng, jnp.ones([1, 8, 8, 1]))["params"]
    tx = optax.sgd(learning_rate, momentum=0.9)
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=tx)


@jax.jit
def train_step(state, images, labels):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, images)
        one_hot = jax.nn.one_hot(labels, 4)
        return jnp.mean(optax.softmax_cross_entropy(logits=logits, labels=one_hot))

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def batches(rng, count, size):
    for key in jax.random.split(rng, count):
        images = jax.random.normal(key, (size, 8, 8, 1))
        yield images, (images.mean(axis=(1, 2, 3)) > 0).astype(jnp.int32)


def main():
    rng = jax.random.key(0)
    state = create_state(rng, learning_rate=0.05)
    for step, (images, labels) in enumerate(batches(rng, count=3, size=8)):
        state, loss = train_step(state, images, labels)
        print(f"step {step}: loss {loss:.4f}")


if __name__ == "__main__":
    main()
