"""Mini-batch iteration and evaluation for a JAX softmax model."""
import argparse
import itertools

import jax
import jax.numpy as jnp


def softmax_loss(weights, x, y):
    logits = x @ weights
    return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(y.shape[0]), y])


@jax.jit
def step(weights, x, y, lr):
    value, grad = jax.value_and_grad(softmax_loss)(weights, x, y)
    return weights - lr * grad, value


def toy(key, count, features, classes):
    x = jax.random.normal(key, (count, features))
    return x, jnp.argmax(x[:, :classes], axis=1)


class Loader:
    def __init__(self, x, y, batch_size, seed):
        self.x, self.y = x, y
        self.batch_size = batch_size
        self.seed = seed

    def __len__(self):
        return len(self.x) // self.batch_size

    def forever(self):
        for epoch in itertools.count():
            order = np.random.default_rng(self.seed + epoch).permutation(len(self.x))
            for start in range(0, len(self) * self.batch_size, self.batch_size):
                chosen = order[start:start + self.batch_size]
                yield self.x[chosen], self.y[chosen]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.5)
    args = parser.parse_args()

    x, y = toy(jax.random.PRNGKey(0), 32, 6, 3)
    loader = Loader(x, y, args.batch_size, seed=0)
    weights = jnp.zeros((6, 3))
    for index, (xb, yb) in enumerate(itertools.islice(loader.forever(), args.steps)):
        weights, value = step(weights, xb, yb, args.lr)
        print("step", index, "loss", float(value))


if __name__ == "__main__":
    main()
