"""Evolution strategy over a bit-string encoding of an architecture."""
from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

Genome = list[int]


def random_genome(length: int, rng: random.Random) -> Genome:
    return [rng.randint(0, 1) for _ in range(length)]


def mutate(genome: Genome, rate: float, rng: random.Random) -> Genome:
    return [1 - gene if rng.random() < rate else gene for gene in genome]


def crossover(left: Genome, right: Genome, rng: random.Random) -> Genome:
    cut = rng.randrange(1, len(left))
    return left[:cut] + right[cut:]


def evolve(fitness: Callable[[Genome], float], rng: random.Random, size: int, generations: int) -> Genome:
    population = [random_genome(12, rng) for _ in range(size)]
    for generation in range(generations):
        population.sort(key=fitness, reverse=True)
        parents = population[: size // 2]
        children = [mutate(crossover(*rng.sample(parents, 2), rng), 0.05, rng) for _ in parents]
        population = parents + children
        print("generation", generation, "best", fitness(population[0]))
    return max(population, key=fitness)


def mean_fitness(genomes: list[Genome]) -> Fraction:
    total = Fraction(0)
    for genome in genomes:
        total += sum(genome)
    return total / len(genomes)


def main() -> None:
    rng = random.Random(5)
    best = evolve(fitness=sum, rng=rng, size=8, generations=4)
    print("best", "".join(map(str, best)))
    print("mean of two", mean_fitness([best, random_genome(12, rng)]))


if __name__ == "__main__":
    main()
