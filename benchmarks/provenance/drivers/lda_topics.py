"""shuyo/iir: latent Dirichlet allocation by collapsed Gibbs sampling, and by variational Bayes."""

import json
import sys
from pathlib import Path

import numpy
from lda import LDA
from lda_cvb0 import LDA_CVB0

data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
documents, alpha, beta = data["documents"], data["alpha"], data["beta"]
size = 1 + max(word for document in documents for word in document)
numpy.random.seed(7)
sampled = LDA(3, alpha, beta, documents, size, smartinit=False)
for _ in range(5):
    sampled.inference()
topics = sampled.worddist()
perplexity = sampled.perplexity()
numpy.random.seed(7)
varied = LDA_CVB0(3, 0.5, beta, documents, size, smartinit=False)
for _ in range(5):
    varied.inference()
variational = varied.perplexity()
print(repr(float(perplexity)), repr(float(variational)))
print([[repr(float(number)) for number in row] for row in topics])
