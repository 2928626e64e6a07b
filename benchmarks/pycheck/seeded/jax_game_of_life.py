"""Generate cellular-automaton training pairs on the accelerator."""
import argparse

import jax
import jax.numpy as jnp
from jax import lax


def neighbours(board):
    total = jnp.zeros_like(board)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dx or dy:
                total = total + jnp.roll(board, (dy, dx), axis=(0, 1))
    return total


def advance(board):
    count = neighbours(board)
    born = (board == 0) & (count == 3)
    stays = (board == 1) & ((count == 2) | (count == 3))
    return (born | stays).astype(board.dtype)


def evolve(board, steps):
    return lax.for_loop(0, steps, lambda index, state: advance(state), board)


def random_boards(key, count, size, density=0.4):
    return (jax.random.uniform(key, (count, size, size)) < density).astype(jnp.int32)


def make_pairs(key, count, size, steps):
    boards = random_boards(key, count, size)
    futures = jax.vmap(lambda board: evolve(board, steps))(boards)
    return boards, futures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--size", type=int, default=8)
    parser.add_argument("--steps", type=int, default=4)
    args = parser.parse_args()
    boards, futures = make_pairs(jax.random.PRNGKey(2), args.count, args.size, args.steps)
    for before, after in zip(boards, futures):
        print("alive", int(before.sum()), "->", int(after.sum()))


if __name__ == "__main__":
    main()
