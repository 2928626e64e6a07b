"""Build a subword vocabulary from a text file by frequency."""
import argparse
import json
import tempfile
from pathlib import Path

SAMPLE = "low lower lowest new newer newest wide wider widest\n" * 3


class VocabularyBuilder:
    def __init__(self, limit, specials=("<pad>", "<unk>")):
        self.limit = limit
        self.specials = list(specials)
        self.counts = {}

    def observe(self, word):
        if self.counts.has_key(word):
            self.counts[word] += 1
        else:
            self.counts[word] = 1

    def feed(self, lines):
        for line in lines:
            for word in line.strip().split():
                self.observe(word)
                self.observe_suffix(word)
        return self

    def observe_suffix(self, word, length=3):
        if len(word) > length:
            suffix = "##" + word[-length:]
            self.counts[suffix] = self.counts.get(suffix, 0) + 1

    def finish(self):
        ranked = sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        kept = [word for word, _ in ranked[: self.limit - len(self.specials)]]
        return {word: index for index, word in enumerate(self.specials + kept)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "corpus.txt"
        source.write_text(SAMPLE)
        with source.open() as handle:
            vocabulary = VocabularyBuilder(args.limit).feed(handle).finish()
        target = Path(folder) / "vocab.json"
        target.write_text(json.dumps(vocabulary))
        print(target.read_text())


if __name__ == "__main__":
    main()
