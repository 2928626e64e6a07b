"""eriklindernoren/ML-From-Scratch: logistic regression and k-means over arrays."""

import json
import sys
from pathlib import Path

import numpy as np
from mlfromscratch.supervised_learning.logistic_regression import LogisticRegression
from mlfromscratch.unsupervised_learning.k_means import KMeans

data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
measured = np.array(data["measured"])
labels = np.array(data["labels"])
np.random.seed(5)
model = LogisticRegression(learning_rate=0.05)
model.fit(measured, labels, n_iterations=200)
chance = model.sigmoid(measured.dot(model.param))
clusters = KMeans(k=2)
centres = clusters._init_random_centroids(measured)
for _ in range(5):
    members = clusters._create_clusters(centres, measured)
    centres = clusters._calculate_centroids(members, measured)
print([repr(float(number)) for number in chance], model.predict(measured))
print([[repr(float(number)) for number in row] for row in centres])
