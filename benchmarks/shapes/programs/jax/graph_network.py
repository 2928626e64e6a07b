"""Label the nodes of a graph with a graph convolution written in flax nnx."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

NODES = 40
FEATURES = 10
GROUPS = 3


class GraphConv(nnx.Module):
    def __init__(self, din, dout, *, rngs):
        self.linear = nnx.Linear(din, dout, use_bias=False, rngs=rngs)
        self.self_loop = nnx.Linear(din, dout, rngs=rngs)

    def __call__(self, x, adjacency):
        return adjacency @ self.linear(x) + self.self_loop(x)


class EdgeAttention(nnx.Module):
    def __init__(self, din, heads, width, *, rngs):
        self.heads, self.width = heads, width
        self.project = nnx.Linear(din, heads * width, rngs=rngs)
        self.left = nnx.Param(jax.random.normal(rngs.params(), (heads, width, 1)))
        self.right = nnx.Param(jax.random.normal(rngs.params(), (heads, width, 1)))

    def __call__(self, x, adjacency):
        h = self.project(x).reshape(-1, self.heads, self.width)
        h = jnp.transpose(h, (1, 0, 2))
        scores = jnp.matmul(h, self.left[...]) + jnp.matmul(h, self.right[...]).swapaxes(1, 2)
        scores = jnp.where(adjacency[None] > 0, nnx.leaky_relu(scores), -1e9)
        mixed = jnp.matmul(jax.nn.softmax(scores, axis=-1), h)
        return jnp.transpose(mixed, (1, 0, 2)).reshape(x.shape[0], self.heads * self.width)


class Network(nnx.Module):
    def __init__(self, *, rngs):
        self.first = GraphConv(FEATURES, 16, rngs=rngs)
        self.attention = EdgeAttention(16, heads=2, width=6, rngs=rngs)
        self.norm = nnx.LayerNorm(12, rngs=rngs)
        self.second = GraphConv(12, 8, rngs=rngs)
        self.head = nnx.Linear(8 + 8, GROUPS, rngs=rngs)

    def __call__(self, x, adjacency):
        x = nnx.relu(self.first(x, adjacency))
        x = self.norm(self.attention(x, adjacency))
        x = nnx.relu(self.second(x, adjacency))
        whole = jnp.broadcast_to(x.mean(axis=0, keepdims=True), x.shape)
        return self.head(jnp.concatenate([x, whole], axis=1))


def make_graph(rng):
    groups = rng.integers(0, GROUPS, NODES)
    same = groups[:, None] == groups[None, :]
    links = rng.random((NODES, NODES)) < np.where(same, 0.3, 0.05)
    adjacency = np.maximum(links, links.T).astype(np.float32) + np.eye(NODES, dtype=np.float32)
    degree = 1 / np.sqrt(adjacency.sum(axis=1))
    adjacency = degree.reshape(NODES, 1) * adjacency * degree.reshape(1, NODES)
    features = rng.standard_normal((NODES, FEATURES)).astype(np.float32)
    features[np.arange(NODES), groups] += 2.0
    return features, adjacency, groups


@nnx.jit
def train_step(model, optimizer, features, adjacency, groups, mask):
    def loss_fn(model):
        logits = model(features, adjacency)
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, groups)
        return jnp.sum(losses * mask) / jnp.sum(mask)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def main():
    rng = np.random.default_rng(0)
    features, adjacency, groups = make_graph(rng)
    mask = (rng.random(NODES) < 0.5).astype(np.float32)
    model = Network(rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    for step in range(4):
        loss = train_step(model, optimizer, features, adjacency, groups, mask)
        print(f"step {step} loss {float(loss):.3f}")
    guessed = np.asarray(model(features, adjacency)).argmax(axis=1)
    table = np.zeros((GROUPS, GROUPS), dtype=int)
    np.add.at(table, (groups, guessed), 1)
    print(table, (guessed == groups).mean())


if __name__ == "__main__":
    main()
