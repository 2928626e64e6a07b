"""Partial application in a JAX loop."""
from functools import partial, reduce

import jax
import jax.numpy as jnp
from jax import lax


@partial(jax.jit, static_argnums=(2,), static_argnames=("normalise",))
def power(x, scale, exponent, normalise=False):
    y = scale * x**exponent
    return y / jnp.sum(y) if normalise else y


def loss(params, x, y, *, penalty):
    prediction = x @ params["w"] + params["b"]
    return jnp.mean((prediction - y) ** 2) + penalty * jnp.sum(params["w"] ** 2)


ridge = partial(loss, penalty=0.1)
square = partial(power, scale=1.0, exponent=2)


@jax.custom_vjp
def clipped(x):
    return x


def clipped_forward(x):
    return clipped(x), None


def clipped_backward(residual, gradient):
    return (jnp.clip(gradient, -1.0, 1.0),)


clipped.defvjp(clipped_forward, clipped_backward)


def main():
    x = jnp.arange(6.0).reshape(3, 2)
    y = jnp.ones(3)
    params = {"w": jnp.zeros(2), "b": 0.0}
    value, grads = jax.value_and_grad(ridge)(params, x, y)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
    print(float(value), params["w"].shape, square(x).sum(), power(x, 1.0, 3, normalise=True).sum())
    print(jax.grad(lambda t: 5.0 * clipped(t))(2.0))
    rows = jax.vmap(partial(jnp.dot, params["w"]))(x)
    total, history = lax.scan(lambda carry, row: (carry + row, carry), 0.0, rows)
    compose = reduce(lambda f, g: lambda v: g(f(v)), [jnp.sin, partial(jnp.multiply, 2.0)])
    print(total, history.shape, compose(0.5))


if __name__ == "__main__":
    main()
