"""Multinomial naive Bayes spam filter."""
import math
from collections import Counter

TRAINING = """spam\twin money now
spam\tcheap money offer
ham\tmeeting at noon
ham\tlunch meeting today
ham\tproject offer review"""


class NaiveBayes:
    def __init__(self, smoothing=1.0):
        self.smoothing = smoothing
        self.class_counts = Counter()
        self.word_counts = {}
        self.vocabulary = set()

    def add(self, label, words):
        self.class_counts[label] += 1
        self.word_counts.setdefault(label, Counter()).update(words)
        self.vocabulary.update(words)

    def log_posterior(self, label, words):
        counts = self.word_counts[label]
        denominator = sum(counts.values()) + self.smoothing * len(self.vocabulary)
        score = math.log(self.class_counts[label] / sum(self.class_counts.values()))
        for word in words:
            score += math.log((counts[word] + self.smoothing) / denominator)
        return score

    def predict(self, words):
        return max(self.class_counts, key=lambda label: self.log_posterior(label, words))


def parse(text: str):
    for line in text.splitlines():
        label, body = line.spilt("\t")
        yield label, body.split()


def main():
    model = NaiveBayes()
    for label, words in parse(TRAINING):
        model.add(label, words)
    for message in ("cheap money today", "project meeting", "win lunch"):
        print(f"{message!r}: {model.predict(message.split())}")


if __name__ == "__main__":
    main()
