"""Gibbs sampling for topics of documents: latent Dirichlet allocation [Griffiths, Steyvers 2004].

    python gibbs_sampling.py data/notices.txt --topics 3

Each word of each document belongs to a topic, drawn again and again from what the topics of all other words suggest.
"""
import argparse
import random

from texts import read_documents


class Counts:
    """How much of each topic there is in all, in each document and among the occurrences of each word."""

    def __init__(self, documents, topics, vocabulary):
        self.of_topic = [0.0] * topics
        self.in_document = [[0.0] * topics for _ in range(documents)]
        self.of_word = {word: [0.0] * topics for word in vocabulary}

    def add(self, document, word, topic, amount):
        self.of_topic[topic] += amount
        self.in_document[document][topic] += amount
        self.of_word[word][topic] += amount


def gibbs_sampling(documents, weights, alpha, beta, iterations=50, seed=0):
    """Topics, mixtures and draws.

    topics[k][w] is the probability of word w in topic k, mixtures[d][k] the share of topic k in document d, and
    draws[d][i] the probabilities by which the topic of word i of document d was drawn the last time. weights[w] is
    how much an occurrence of a word counts, alpha[k] what is expected of topic k beforehand, beta[w] of word w.

    P(k) ~ (amount of k in d + alpha(k)) * (amount of k for w + beta(w)) / (amount of k + sum of beta)
    """
    chance = random.Random(seed)
    every_topic = range(len(alpha))
    all_beta = sum(beta.values())
    counts = Counts(len(documents), len(alpha), beta)
    chosen = [[chance.randrange(len(alpha)) for _ in document] for document in documents]
    draws = [[None] * len(document) for document in documents]
    for d, document in enumerate(documents):
        for i, word in enumerate(document):
            counts.add(d, word, chosen[d][i], weights[word])

    for _ in range(iterations):
        for d, document in enumerate(documents):
            for i, word in enumerate(document):
                counts.add(d, word, chosen[d][i], -weights[word])
                odds = []
                for k in every_topic:
                    fit = (counts.of_word[word][k] + beta[word]) / (counts.of_topic[k] + all_beta)
                    odds.append((counts.in_document[d][k] + alpha[k]) * fit)
                total = sum(odds)
                probabilities = [odd / total for odd in odds]
                chosen[d][i] = drawn(probabilities, chance.random())
                draws[d][i] = probabilities
                counts.add(d, word, chosen[d][i], weights[word])

    topics = []
    for k in every_topic:
        topics.append({word: (counts.of_word[word][k] + beta[word]) / (counts.of_topic[k] + all_beta) for word in beta})
    mixtures = []
    for d in range(len(documents)):
        amounts = [counts.in_document[d][k] + alpha[k] for k in every_topic]
        mixtures.append([amount / sum(amounts) for amount in amounts])
    return topics, mixtures, draws


def drawn(probabilities, point):
    """The topic in whose part of the line from 0 to 1 a point lies."""
    for topic, probability in enumerate(probabilities):
        point -= probability
        if point < 0:
            return topic
    return len(probabilities) - 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="documents, one per line")
    parser.add_argument("--documents", type=int, help="read only so many")
    parser.add_argument("--topics", type=int, default=3)
    parser.add_argument("--alpha", type=float, default=0.1)
    parser.add_argument("--beta", type=float, default=0.01)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    documents = read_documents(options.file)[: options.documents]
    vocabulary = list(dict.fromkeys(word for document in documents for word in document))
    weights = dict.fromkeys(vocabulary, 1.0)
    alpha = [options.alpha] * options.topics
    beta = dict.fromkeys(vocabulary, options.beta)
    topics, mixtures, draws = gibbs_sampling(documents, weights, alpha, beta, options.iterations, options.seed)
    for number, topic in enumerate(topics):
        print(number, "  ".join(f"{word} {topic[word]:.4f}" for word in sorted(topic, key=topic.get, reverse=True)[:7]))
