"""Sample from an analytic score."""
import argparse

import jax

from diffusion import Sampler, Schedule


def score(x, t):
    return x / (1.0 + t)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=5)
    args = parser.parse_args()
    sampler = Sampler(Schedule(args.steps), score)
    print(sampler, sampler.sample(jax.random.PRNGKey(0), count=4, dims=2).shape)


if __name__ == "__main__":
    main()
