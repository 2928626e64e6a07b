"""Embeddings of unit length for a retrieval loss."""

import jax
import jax.numpy as jnp


def embed(weights, x):
    hidden = jax.nn.relu(x @ weights)
    length = jnp.sqrt(jnp.sum(hidden**2, axis=-1, keepdims=True) + 1e-12)
    return hidden / jnp.max(hidden, axis=-1, keepdims=True), length  # NUM


def loss(weights, queries, documents):
    left, _ = embed(weights, queries)
    right, _ = embed(weights, documents)
    similarity = left @ right.T
    return -jnp.mean(jnp.diag(jax.nn.log_softmax(similarity, axis=-1)))


key = jax.random.PRNGKey(1)
weights = 0.01 * jax.random.normal(key, (300, 64))
for step in range(200):
    key, first, second = jax.random.split(key, 3)
    queries = jax.random.normal(first, (32, 300))
    documents = jax.random.normal(second, (32, 300))
    weights = weights - 0.1 * jax.grad(loss)(weights, queries, documents)
