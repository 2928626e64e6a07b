"""A spam filter: naive Bayes as in "A Plan for Spam" [Graham 2002].

    python naive_bayes.py data/comments.txt --message "subscribe to my channel"
    python naive_bayes.py data/comments.txt --test data/other_comments.txt

Each word has a probability to be a sign of spam, from how often it was seen in spam and in other messages. The most
telling words of a message decide.
"""
import argparse
from pathlib import Path

from texts import read_messages, words


def word_probabilities(messages, rarest=5):
    """For each word that is not too rare the probability that a message with it is spam.

    Occurrences in good messages count twice, against false alarms; no word is proof, so that probabilities keep to
    0.01 .. 0.99.
    """
    good, bad = {}, {}
    for is_spam, text in messages:
        counts = bad if is_spam else good
        for word in words(text):
            counts[word] = counts.get(word, 0) + 1
    bad_messages = sum(is_spam for is_spam, _ in messages)
    good_messages = len(messages) - bad_messages

    probabilities = {}
    for word in good | bad:
        in_good, in_bad = 2 * good.get(word, 0), bad.get(word, 0)
        if in_good + in_bad >= rarest:
            good_rate = min(1.0, in_good / good_messages)
            bad_rate = min(1.0, in_bad / bad_messages)
            probabilities[word] = max(0.01, min(0.99, bad_rate / (good_rate + bad_rate)))
    return probabilities


def word_scores(text, probabilities, unknown=0.4, ignored=()):
    """The probabilities of a message's words; words that were not learned have that of unknown words."""
    return {word: probabilities.get(word, unknown) for word in words(text) if word not in ignored}


def spam_score(scores, telling=15):
    """The probability that a message is spam, from the scores of its words that are furthest from 1/2.

    p1 p2 ... / (p1 p2 ... + (1 - p1) (1 - p2) ...)
    """
    spam = ham = 1.0
    for word in sorted(scores, key=lambda word: abs(scores[word] - 0.5), reverse=True)[:telling]:
        spam *= scores[word]
        ham *= 1.0 - scores[word]
    return spam / (spam + ham)


def print_confusion(truth, verdicts):
    """Prints how many messages of either kind were taken for which."""
    print(f"{'':12}{'taken for spam':>16}{'for good':>10}{'total':>8}")
    for name, kind in (("spam", True), ("good", False)):
        taken = [verdict for is_spam, verdict in zip(truth, verdicts) if is_spam == kind]
        print(f"{name:12}{sum(taken):16}{len(taken) - sum(taken):10}{len(taken):8}")
    right = sum(is_spam == verdict for is_spam, verdict in zip(truth, verdicts))
    print(f"accuracy {right / len(truth):.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="messages to learn from: lines of spam or ham, a tab, text; or a .zip of tables")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--message", help="a message to judge")
    what.add_argument("--test", nargs="+", metavar="FILE", help="messages to judge")
    parser.add_argument("--unknown", type=float, default=0.4, help="the probability of words that were not learned")
    parser.add_argument("--ignore", metavar="FILE", help="words that count for nothing")
    options = parser.parse_args()

    probabilities = word_probabilities(read_messages(options.file))
    unknown = options.unknown
    ignored = set(Path(options.ignore).read_text(encoding="utf-8").split()) if options.ignore else set()
    if options.message:
        evidence = word_scores(options.message, probabilities, unknown, ignored)
        score = spam_score(evidence)
        print(f"{score:.6f}  {'spam' if score > 0.9 else 'good'}")
    else:
        messages = [message for file in options.test for message in read_messages(file)]
        scores = [spam_score(word_scores(text, probabilities, unknown, ignored)) for _, text in messages]
        print_confusion([is_spam for is_spam, _ in messages], [score > 0.9 for score in scores])
