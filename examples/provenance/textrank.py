"""TextRank: a sentence matters if it shares words with sentences that matter [Mihalcea, Tarau 2004].

    python textrank.py data/lighthouse.txt
"""
import argparse
import math

from texts import read_sentences, words


def textrank(sentences, weights, scores, damping=0.85, epsilon=1e-9, max_iterations=100):
    """The scores of sentences, each a list of words, from first scores; weights[w] is the weight of a word.

    score(i) = (1 - d) + d * sum over j of score(j) * overlap(i, j) / sum over k of overlap(j, k)
    """
    numbers = range(len(sentences))
    overlaps = [[overlap(one, other, weights) if one is not other else 0.0 for other in sentences] for one in sentences]
    totals = [sum(row) for row in overlaps]
    for _ in range(max_iterations):
        old_scores = scores
        scores = []
        for i in numbers:
            total = 0.0
            for j in numbers:
                if overlaps[i][j] > 0:
                    total += old_scores[j] * overlaps[i][j] / totals[j]
            scores.append((1 - damping) + damping * total)

        delta = 0.0
        for i in numbers:
            delta += abs(scores[i] - old_scores[i])
        if delta < epsilon:
            return scores
    return scores


def overlap(one, other, weights):
    """The weight of the words that two sentences share, by the logarithms of their lengths."""
    shared = [word for word in dict.fromkeys(one) if word in other]
    if len(one) < 2 or len(other) < 2 or not shared:
        return 0.0
    return sum(weights[word] for word in shared) / (math.log(len(one)) + math.log(len(other)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="a text")
    parser.add_argument("--sentences", type=int, help="read only so many: time grows with their square")
    parser.add_argument("--damping", type=float, default=0.85)
    parser.add_argument("--epsilon", type=float, default=1e-9)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()

    texts = read_sentences(options.file)[: options.sentences]
    sentences = [words(text) for text in texts]
    weights = {word: 1.0 for sentence in sentences for word in sentence}
    first_scores = [1.0] * len(sentences)
    scores = textrank(sentences, weights, first_scores, options.damping, options.epsilon, options.iterations)
    for i in sorted(range(len(scores)), key=scores.__getitem__, reverse=True)[:5]:
        print(f"{scores[i]:10.6f}  {i:3}  {texts[i][:90]}")
