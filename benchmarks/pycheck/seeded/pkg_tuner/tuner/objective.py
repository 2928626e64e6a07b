"""A synthetic objective that improves with budget."""
import math


def evaluate(config, budget):
    penalty = (math.log10(config["lr"]) + 2) ** 2 + (config["dropout"] - 0.2) ** 2
    return penalty + 1 / (config["width"] * budget)
