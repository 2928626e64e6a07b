"""The words that a PyTorch model has chosen, looked up in a vocabulary."""

import argparse

import numpy as np
import torch


def make_vocabulary(size):
    return [f"word{number}" for number in range(size)]


def decode(choices, vocabulary):
    words = []
    for i in range(choices.shape[0]):
        words.append(vocabulary[choices[i].item()])
    return words


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, default=300000)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    torch.manual_seed(0)
    vocabulary = make_vocabulary(1000)
    choices = torch.randint(1000, (args.words,))
    words = decode(choices, vocabulary)
    average = choices.float().mean().item()
    print(words[:5], f"mean choice {average:.2f}")
    if args.save:
        np.save(args.save, np.array([len(word) for word in words]))


if __name__ == "__main__":
    main()
