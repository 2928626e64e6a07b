"""jinhongjung/pyrwr: a random walk with restart over a weighted graph read from a file."""

import sys

from pyrwr.rwr import RWR

walk = RWR()
walk.read_graph(sys.argv[1], "directed")
restart = 0.15
scores = walk.compute(0, restart, epsilon=0.0, max_iters=200)
for name, score in zip(walk.node_ids, scores, strict=True):
    print(name, repr(float(score)))
