"""Words to ids."""
import numpy as np

CAPTIONS = ["a dog on grass", "a cat on sofa", "two birds in sky"]


class Vocabulary:
    def __init__(self, captions):
        words = sorted({word for caption in captions for word in caption.split()})
        self.index = {"<pad>": 0, "<start>": 1, "<end>": 2}
        for word in words:
            self.index[word] = len(self.index)

    def __len__(self):
        return len(self.index)

    def encode_all(self, captions):
        rows = [["<start>", *caption.split(), "<end>"] for caption in captions]
        length = max(map(len, rows))
        padded = [row + ["<pad>"] * (length - len(row)) for row in rows]
        return np.array([[self.index[word] for word in row] for row in padded])
