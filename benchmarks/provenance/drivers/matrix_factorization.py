"""albertauyeung/matrix-factorization-in-python: a recommender trained by stochastic gradient descent."""

import json
import sys
from pathlib import Path

import numpy as np
from mf import MF

stars = np.array(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
np.random.seed(3)
model = MF(stars, K=2, alpha=0.1, beta=0.01, iterations=20)
model.train()
guesses = model.full_matrix()
print([[repr(float(number)) for number in row] for row in guesses])
