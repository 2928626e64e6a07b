"""sublee/elo: ratings after a season of games."""

import json
import sys
from pathlib import Path

import elo

data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
ratings = dict(data["ratings"])
table = elo.Elo(k_factor=24, beta=200)
for winner, loser, drawn in data["games"]:
    ratings[winner], ratings[loser] = table.rate_1vs1(ratings[winner], ratings[loser], drawn)
for name, rating in sorted(ratings.items(), key=lambda item: item[1], reverse=True):
    print(name, repr(float(rating)))
