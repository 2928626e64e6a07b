"""Sweep of Gaussian-process hyper-parameters in JAX."""
from __future__ import annotations

import dataclasses
import json

import jax
import jax.numpy as jnp


@dataclasses.dataclass
class SweepConfig:
    lengthscales: tuple[float, ...] = (0.5, 1.0)
    noise: float = 0.1
    batch_size: int = 16
    seed: int = 0

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), sort_keys=True)


def kernel(x1, x2, lengthscale):
    squared = (x1[:, None] - x2[None, :]) ** 2
    return jnp.exp(-0.5 * squared / lengthscale**2)


@jax.jit
def negative_log_likelihood(x, y, lengthscale, noise):
    covariance = kernel(x, x, lengthscale) + noise**2 * jnp.eye(x.shape[0])
    chol = jnp.linalg.cholesky(covariance)
    alpha = jax.scipy.linalg.cho_solve((chol, True), y)
    log_det = jnp.sum(jnp.log(jnp.diag(chol)))
    return 0.5 * y @ alpha + log_det + 0.5 * x.shape[0] * jnp.log(2 * jnp.pi)


def sample(config: SweepConfig):
    key = jax.random.PRNGKey(config.seed)
    x = jnp.linspace(0.0, 4.0, config.batch_size)
    return x, jnp.sin(2 * x) + config.noise * jax.random.normal(key, x.shape)


def sweep(config: SweepConfig) -> dict[float, float]:
    x, y = sample(config)
    return {ls: float(negative_log_likelihood(x, y, ls, config.noise)) for ls in config.lengthscales}


def main():
    config = SweepConfig(lengthscales=(0.3, 0.6, 1.2), batchsize=8)
    print(config.to_json())
    scores = sweep(config)
    best = min(scores, key=scores.get)
    print("best lengthscale", best, "nll", scores[best])


if __name__ == "__main__":
    main()
