"""Ancestral sampling."""
from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp

from .process import Schedule, denoise

Score = Callable[[jax.Array, int], jax.Array]


class Sampler:
    """Draws samples by walking the diffusion backwards."""

    def __init__(self, schedule: Schedule, score: Score, temperature: float = 1.0):
        self.schedule = schedule
        self.score = score
        self.temperature = temperature

    def initial(self, key: jax.Array, count: int, dims: int) -> jax.Array:
        return self.temperature * jax.random.normal(key, (count, dims))

    def step(self, key: jax.Array, x: jax.Array, t: int) -> jax.Array:
        mean = denoise(x, t, self.schedule, self.score, schedule=self.schedule)
        if t == 0:
            return mean
        noise = jax.random.normal(key, x.shape)
        return mean + jnp.sqrt(self.schedule.betas[t]) * noise

    def sample(self, key: jax.Array, count: int, dims: int) -> jax.Array:
        keys = jax.random.split(key, self.schedule.steps + 1)
        x = self.initial(keys[0], count, dims)
        for t, step_key in zip(reversed(range(self.schedule.steps)), keys[1:]):
            x = self.step(step_key, x, t)
        return x

    def __repr__(self) -> str:
        return f"Sampler(steps={self.schedule.steps}, temperature={self.temperature})"
