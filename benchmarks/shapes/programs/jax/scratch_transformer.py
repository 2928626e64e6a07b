"""A character model in plain JAX: parameters in a dictionary, attention by einsum and matmul."""

import jax
import jax.numpy as jnp
from jax import random

VOCAB = 32
LENGTH = 24
WIDTH = 32
HEADS = 4
LAYERS = 2


def init_layer(key):
    keys = random.split(key, 4)
    return {
        "qkv": random.normal(keys[0], (WIDTH, 3 * WIDTH)) * 0.05,
        "out": random.normal(keys[1], (WIDTH, WIDTH)) * 0.05,
        "up": random.normal(keys[2], (WIDTH, 4 * WIDTH)) * 0.05,
        "up_bias": jnp.zeros((4 * WIDTH,)),
        "down": random.normal(keys[3], (4 * WIDTH, WIDTH)) * 0.05,
        "down_bias": jnp.zeros((WIDTH,)),
        "scale1": jnp.ones((WIDTH,)),
        "scale2": jnp.ones((WIDTH,)),
    }


def init(key):
    keys = random.split(key, LAYERS + 2)
    return {
        "tokens": random.normal(keys[0], (VOCAB, WIDTH)) * 0.05,
        "positions": random.normal(keys[1], (LENGTH, WIDTH)) * 0.05,
        "layers": [init_layer(each) for each in keys[2:]],
        "head": jnp.zeros((WIDTH, VOCAB)),
    }


def normalise(x, scale):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.var(x, axis=-1, keepdims=True)
    return scale * (x - mean) / jnp.sqrt(variance + 1e-5)


def split_heads(x):
    batch, length, _ = x.shape
    return jnp.transpose(jnp.reshape(x, (batch, length, HEADS, WIDTH // HEADS)), (0, 2, 1, 3))


def attention(layer, x):
    q, k, v = jnp.split(jnp.dot(x, layer["qkv"]), 3, axis=-1)
    q, k, v = split_heads(q), split_heads(k), split_heads(v)
    scores = jnp.matmul(q, jnp.swapaxes(k, -1, -2)) / jnp.sqrt(WIDTH // HEADS)
    mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1])))
    scores = jnp.where(mask[None, None], scores, -1e9)
    y = jnp.matmul(jax.nn.softmax(scores, axis=-1), v)
    y = y.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[1], WIDTH)
    return jnp.dot(y, layer["out"])


def feed_forward(layer, x):
    x = jax.nn.gelu(jnp.dot(x, layer["up"]) + layer["up_bias"])
    return jnp.dot(x, layer["down"]) + layer["down_bias"]


def model(params, tokens):
    x = params["tokens"][tokens] + params["positions"][: tokens.shape[1]]
    for layer in params["layers"]:
        x = x + attention(layer, normalise(x, layer["scale1"]))
        x = x + feed_forward(layer, normalise(x, layer["scale2"]))
    return x @ params["head"]


def loss(params, tokens):
    logits = model(params, tokens[:, :-1])
    flat = logits.reshape(-1, VOCAB)
    answers = tokens[:, 1:].reshape(-1)
    logp = jax.nn.log_softmax(flat)
    return -jnp.mean(jnp.take_along_axis(logp, answers[:, None], axis=1))


@jax.jit
def update(params, tokens, rate):
    value, grads = jax.value_and_grad(loss)(params, tokens)
    return jax.tree.map(lambda p, g: p - rate * g, params, grads), value


@jax.jit
def next_token(params, tokens, key):
    logits = model(params, tokens)[:, -1]
    return random.categorical(key, logits)


if __name__ == "__main__":
    key = random.key(0)
    params = init(key)
    for step in range(4):
        key, drawn = random.split(key)
        tokens = random.randint(drawn, (8, LENGTH), 0, VOCAB)
        params, value = update(params, tokens, 0.1)
        print(f"step {step} loss {value:.3f}")
    text = random.randint(key, (2, 6), 0, VOCAB)
    for _ in range(2):
        key, drawn = random.split(key)
        text = jnp.concatenate([text, next_token(params, text, drawn)[:, None]], axis=1)
    print(text.shape)
