"""Fit the sentence classifier to random tokens for a few steps."""

import jax
import jax.numpy as jnp
import models
import optax
from jax import random

BATCH, LENGTH, VOCABULARY = 4, 12, 50

key = random.key(0)
model = models.TextClassifier(
    embedding_size=24, hidden_size=16, vocab_size=VOCABULARY, output_size=1, dropout_rate=0.1,
    word_dropout_rate=0.1, unk_idx=1,
)  # fmt: skip
tokens = random.randint(key, (BATCH, LENGTH), 2, VOCABULARY)
lengths = jnp.array([12, 7, 5, 9])
labels = jnp.array([[0.0], [1.0], [1.0], [0.0]])
start = jax.jit(lambda keys: model.init(keys, tokens, lengths, deterministic=True))
params = start({"params": key, "dropout": key})["params"]
optimizer = optax.adam(1e-3)
state = optimizer.init(params)


@jax.jit
@jax.value_and_grad
def loss(params, key):
    logits = model.apply({"params": params}, tokens, lengths, deterministic=False, rngs={"dropout": key})
    return jnp.mean(optax.sigmoid_binary_cross_entropy(logits, labels))


for step in range(2):
    value, gradients = loss(params, random.fold_in(key, step))
    updates, state = optimizer.update(gradients, state)
    params = optax.apply_updates(params, updates)
    print(step, float(value))
