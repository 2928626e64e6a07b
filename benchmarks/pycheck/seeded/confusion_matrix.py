"""Confusion matrix and derived scores for a CSV of predictions."""
import argparse
import csv
import io

PREDICTIONS = """truth,predicted
cat,cat
cat,dog
dog,dog
dog,dog
bird,cat
bird,bird
"""


def read(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    return [row["truth"] for row in rows], [row["predicted"] for row in rows]


def confusion(truth, predicted):
    labels = sorted(set(truth) | set(predicted))
    matrix = {row: {column: 0 for column in labels} for row in labels}
    for t, p in zip(truth, predicted):
        matrix[t][p] += 1
    return labels, matrix


def recall(labels, matrix):
    scores = {}
    for row in labels:
        total = sum(matrix[row][col] for column in labels)
        scores[row] = matrix[row][row] / total if total else 0.0
    return scores


def precision(labels, matrix):
    scores = {}
    for column in labels:
        total = sum(matrix[row][column] for row in labels)
        scores[column] = matrix[column][column] / total if total else 0.0
    return scores


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--digits", type=int, default=3)
    args = parser.parse_args()
    labels, matrix = confusion(*read(PREDICTIONS))
    recalls, precisions = recall(labels, matrix), precision(labels, matrix)
    for label in labels:
        print(label, round(recalls[label], args.digits), round(precisions[label], args.digits))


if __name__ == "__main__":
    main()
