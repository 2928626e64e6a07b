"""Noise schedule and one denoising step."""
import jax.numpy as jnp


class Schedule:
    def __init__(self, steps, low=1e-3, high=0.2):
        self.steps = steps
        self.betas = jnp.linspace(low, high, steps)
        self.alphas = 1.0 - self.betas
        self.bars = jnp.cumprod(self.alphas)


def denoise(x, t, schedule, score):
    alpha, bar = schedule.alphas[t], schedule.bars[t]
    return (x - (1 - alpha) / jnp.sqrt(1 - bar) * score(x, t)) / jnp.sqrt(alpha)
