"""An autoencoder of pictures with lax convolutions and hand-written momentum."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random

SIDE = 20
CODE = 12
DIMS = ("NHWC", "HWIO", "NHWC")


def he(key, shape):
    return random.normal(key, shape) * jnp.sqrt(2.0 / np.prod(shape[:-1]))


def init(key):
    k = random.split(key, 6)
    return {
        "conv1": {"w": he(k[0], (3, 3, 1, 8)), "b": jnp.zeros((8,))},
        "conv2": {"w": he(k[1], (3, 3, 8, 16)), "b": jnp.zeros((16,))},
        "code": {"w": he(k[2], (5 * 5 * 16, CODE)), "b": jnp.zeros((CODE,))},
        "expand": {"w": he(k[3], (CODE, 5 * 5 * 16)), "b": jnp.zeros((5 * 5 * 16,))},
        "up1": {"w": he(k[4], (3, 3, 16, 8)), "b": jnp.zeros((8,))},
        "up2": {"w": he(k[5], (3, 3, 8, 1)), "b": jnp.zeros((1,))},
    }


def conv(layer, x, stride):
    y = lax.conv_general_dilated(x, layer["w"], (stride, stride), "SAME", dimension_numbers=DIMS)
    return y + layer["b"]


def grow(layer, x):
    batch, height, width, channels = x.shape
    x = jax.image.resize(x, (batch, 2 * height, 2 * width, channels), "nearest")
    return conv(layer, x, 1)


def encode(params, images):
    x = jax.nn.relu(conv(params["conv1"], images, 2))
    x = jax.nn.relu(conv(params["conv2"], x, 2))
    x = x.reshape(x.shape[0], 5 * 5 * 16)
    return jnp.dot(x, params["code"]["w"]) + params["code"]["b"]


def decode(params, code):
    x = jax.nn.relu(jnp.dot(code, params["expand"]["w"]) + params["expand"]["b"])
    x = jnp.reshape(x, (-1, 5, 5, 16))
    x = jax.nn.relu(grow(params["up1"], x))
    return grow(params["up2"], x)


def loss(params, images, key):
    noisy = images + 0.1 * random.normal(key, images.shape)
    rebuilt = decode(params, encode(params, noisy))
    pixels = jnp.mean(jnp.square(rebuilt - images))
    rows = jnp.mean(rebuilt, axis=2) - jnp.mean(images, axis=2)
    return pixels + 0.1 * jnp.mean(rows**2)


@jax.jit
def step(params, velocity, images, key):
    value, grads = jax.value_and_grad(loss)(params, images, key)
    velocity = jax.tree.map(lambda v, g: 0.9 * v - 0.01 * g, velocity, grads)
    return jax.tree.map(jnp.add, params, velocity), velocity, value


def pictures(rng, count):
    rows = np.linspace(0, 3, SIDE)[None, :, None]
    columns = np.linspace(0, 3, SIDE)[None, None, :]
    phase = rng.random(count).reshape(count, 1, 1)
    waves = np.sin(rows + 6 * phase) * np.cos(columns - 6 * phase)
    return np.expand_dims(waves, -1).astype(np.float32)


def main():
    rng = np.random.default_rng(0)
    key = random.key(0)
    params = init(key)
    velocity = jax.tree.map(jnp.zeros_like, params)
    for epoch in range(3):
        images = pictures(rng, 12)
        params, velocity, value = step(params, velocity, images, random.fold_in(key, epoch))
        print(f"epoch {epoch} loss {value:.4f}")
    codes = encode(params, pictures(rng, 6))
    centred = codes - codes.mean(axis=0, keepdims=True)
    covariance = jnp.dot(centred.T, centred) / 5
    values, vectors = jnp.linalg.eigh(covariance)
    print(values[-3:], jnp.dot(centred, vectors[:, -2:]).shape)


if __name__ == "__main__":
    main()
