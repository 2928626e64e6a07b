"""Classify small pictures with a flax network trained by optax."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn

CLASSES = 7
SIDE = 16


class ResidualBlock(nn.Module):
    features: int

    @nn.compact
    def __call__(self, x, train):
        y = nn.Conv(self.features, (3, 3), use_bias=False)(x)
        y = nn.BatchNorm(use_running_average=not train)(y)
        y = nn.relu(y)
        y = nn.Conv(self.features, (3, 3), use_bias=False)(y)
        if x.shape[-1] != self.features:
            x = nn.Conv(self.features, (1, 1))(x)
        return nn.relu(x + y)


class SqueezeExcite(nn.Module):
    ratio: int = 4

    @nn.compact
    def __call__(self, x):
        channels = x.shape[-1]
        s = jnp.mean(x, axis=(1, 2))
        s = nn.relu(nn.Dense(channels // self.ratio)(s))
        s = nn.sigmoid(nn.Dense(channels)(s))
        return x * s[:, None, None, :]


class Network(nn.Module):
    classes: int = CLASSES

    @nn.compact
    def __call__(self, x, train=True):
        x = ResidualBlock(8)(x, train)
        x = nn.max_pool(x, (2, 2), strides=(2, 2))
        x = ResidualBlock(16)(x, train)
        x = SqueezeExcite()(x)
        x = nn.max_pool(x, (2, 2), strides=(2, 2))
        patches = x.reshape((x.shape[0], 4 * 4, 16))
        attended = nn.MultiHeadDotProductAttention(num_heads=2, qkv_features=16)(patches, patches)
        patches = nn.LayerNorm()(patches + attended)
        x = patches.reshape((x.shape[0], -1))
        x = nn.Dense(32)(x)
        x = nn.relu(x)
        return nn.Dense(self.classes)(x)


def make_data(rng, count):
    images = rng.random((count, 3, SIDE, SIDE), dtype=np.float32)
    labels = rng.integers(0, CLASSES, count)
    return np.transpose(images, (0, 2, 3, 1)), labels


def loss_fn(params, stats, model, images, labels):
    variables = {"params": params, "batch_stats": stats}
    logits, updated = model.apply(variables, images, train=True, mutable=["batch_stats"])
    onehot = jax.nn.one_hot(labels, CLASSES)
    loss = optax.softmax_cross_entropy(logits, onehot).mean()
    return loss, (updated["batch_stats"], logits)


def main():
    model = Network()
    rng = np.random.default_rng(0)
    images, labels = make_data(rng, 48)
    variables = jax.jit(model.init)(jax.random.key(0), jnp.ones((1, SIDE, SIDE, 3)))
    params, stats = variables["params"], variables["batch_stats"]
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
    state = optimizer.init(params)

    @partial(jax.jit, donate_argnums=(0, 2))
    def step(params, stats, state, images, labels):
        (loss, (stats, logits)), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, stats, model, images, labels)
        updates, state = optimizer.update(grads, state, params)
        accuracy = jnp.mean(jnp.argmax(logits, axis=-1) == labels)
        return optax.apply_updates(params, updates), stats, state, loss, accuracy

    for epoch in range(2):
        for start in range(0, len(images), 16):
            chosen = slice(start, start + 16)
            params, stats, state, loss, accuracy = step(params, stats, state, images[chosen], labels[chosen])
        print(f"epoch {epoch} loss {loss:.3f} accuracy {accuracy:.2f}")
    logits = jax.jit(partial(model.apply, train=False))({"params": params, "batch_stats": stats}, images[:8])
    probabilities = jax.nn.softmax(logits).reshape(8, CLASSES)
    print(np.asarray(probabilities).round(2)[:2])


if __name__ == "__main__":
    main()
