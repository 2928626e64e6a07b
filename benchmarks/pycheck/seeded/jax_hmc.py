"""Hamiltonian Monte Carlo on a correlated Gaussian."""
import argparse

import jax
import jax.numpy as jnp

COVARIANCE = jnp.array([[1.0, 0.6], [0.6, 1.0]])
PRECISION = jnp.linalg.inv(COVARIANCE)


def potential(position):
    return 0.5 * position @ PRECISION @ position


def leapfrog(position, momentum, step_size, count):
    gradient = jax.grad(potential)
    momentum = momentum - 0.5 * step_size * gradient(position)
    for _ in range(count):
        position = position + step_size * momentum
        momentum = momentum - step_size * gradient(position)
    momentum = momentum + 0.5 * step_size * gradient(position)
    return position, -momentum


def energy(position, momentum):
    return potential(position) + 0.5 * momentum @ momentum


def transition(key, position, step_size, count):
    momentum_key, accept_key = jax.random.split(key)
    momentum = jax.random.normal(momentum_key, position.shape)
    proposal, final = leapfrog(position, momentum, step_size, count, key)
    log_ratio = energy(position, momentum) - energy(proposal, final)
    accepted = jnp.log(jax.random.uniform(accept_key)) < log_ratio
    return jnp.where(accepted, proposal, position), accepted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--step-size", type=float, default=0.2)
    args = parser.parse_args()
    position, accepted_count = jnp.zeros(2), 0
    for key in jax.random.split(jax.random.PRNGKey(0), args.samples):
        position, accepted = transition(key, position, args.step_size, count=4)
        accepted_count += int(accepted)
        print(position)
    print("accepted", accepted_count, "of", args.samples)


if __name__ == "__main__":
    main()
