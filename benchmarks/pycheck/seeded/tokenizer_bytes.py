"""Byte-pair merges learned from a handful of lines."""
from collections import Counter

LINES = ["hug hugs hugging", "pug pugs", "bun buns bunny", "hug the bunny"]


def to_symbols(lines):
    words = Counter(word for line in lines for word in line.split())
    return {tuple(word) + ("</w>",): count for word, count in words.items()}


def pair_counts(words):
    counts = Counter()
    for symbols, count in words.items():
        for pair in zip(symbols, symbols[1:]):
            counts[pair] += count
    return counts


def merge_word(symbols, pair):
    merged, index = [], 0
    while index < len(symbols):
        if symbols[index:index + 2] == pair:
            merged.append("".join(pair))
            index += 2
        else:
            merged.append(symbols[index])
            index += 1
    return tuple(merged)


def learn(words, merges):
    learned = []
    for _ in range(merges):
        counts = pair_counts(words)
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        words = {merge_word(symbols, best): count for symbols, count in words.items()}
        learned.append(best)
    return words, learned


def render(pairs) -> str:
    return "\n".join(f"{left} {right}" for left, right in pairs)


def main():
    words, learned = learn(to_symbols(LINES), merges=6)
    text = render(learned).decode("utf-8")
    print(text)
    print(sorted("|".join(symbols) for symbols in words))


if __name__ == "__main__":
    main()
