"""Plain JAX multilayer perceptron with hand-written SGD."""
import argparse
from functools import partial

import jax
import jax.numpy as jnp
from jax import grad, jit, random


def init_layer(key, inputs, outputs, scale=0.1):
    w_key, b_key = random.split(key)
    return scale * random.normal(w_key, (inputs, outputs)), scale * random.normal(b_key, (outputs,))


def init_network(sizes, key):
    keys = random.split(key, len(sizes))
    return [init_layer(k, m, n) for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def predict(params, inputs):
    activations = inputs
    for w, b in params[:-1]:
        activations = jax.nn.relu(activations @ w + b)
    w, b = params[-1]
    return jax.nn.log_softmax(activations @ w + b)


def loss(params, inputs, targets):
    return -jnp.mean(jnp.sum(predict(params, inputs) * targets, axis=1))


@partial(jit, static_argnames="lr")
def update(params, inputs, targets, lr):
    grads = grad(loss)(params, inputs, targets)
    return [(w - lr * dw, b - lr * db) for (w, b), (dw, db) in zip(params, grads)]


def synthetic(key, count, features, classes):
    inputs = random.normal(key, (count, features))
    labels = jnp.argmax(inputs[:, :classes], axis=1)
    return inputs, jax.nn.one_hot(labels, classes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()

    key = random.PRNGkey(0)
    data_key, net_key = random.split(key)
    inputs, targets = synthetic(data_key, 32, 6, 3)
    params = init_network([6, 16, 3], net_key)
    for step in range(args.steps):
        params = update(params, inputs, targets, args.lr)
        print("step", step, "loss", float(loss(params, inputs, targets)))


if __name__ == "__main__":
    main()
