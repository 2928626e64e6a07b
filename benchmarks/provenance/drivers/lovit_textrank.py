"""lovit/textrank: keywords of a few sentences, with a bias for some words."""

import json
import sys
from pathlib import Path

import numpy as np
from textrank import KeysentenceSummarizer, KeywordSummarizer

data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
words = {word: number for number, word in enumerate(data["bias"])}
bias = np.array(list(data["bias"].values()))
keywords = KeywordSummarizer(tokenize=str.split, window=2, min_cooccurrence=1, vocab_to_idx=words)
keywords.train_textrank(data["sentences"], bias)
sentences = KeysentenceSummarizer(tokenize=str.split, min_count=1, min_sim=0.1)
sentences.train_textrank(data["sentences"])
for word, rank in keywords.keywords(topk=len(words)):
    print(word, repr(float(rank)))
print([repr(float(rank)) for rank in sentences.R])
