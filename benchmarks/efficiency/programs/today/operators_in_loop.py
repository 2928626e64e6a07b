"""A running discounted sum in a TF1 graph."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def discounted(rewards, discount):
    total = tf.Variable(0.0)
    history = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for reward in rewards:
            update = tf.assign(total, discount * total + float(reward))
            history.append(session.run(update))
    return np.array(history, dtype=np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rewards", type=int, default=150)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    rewards = np.random.default_rng(0).standard_normal(args.rewards).astype(np.float32)
    history = discounted(rewards, 0.9)
    print(f"last sum {history[-1]:.5f}")
    if args.save:
        np.save(args.save, history)


if __name__ == "__main__":
    main()
