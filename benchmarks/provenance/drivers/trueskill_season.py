"""sublee/trueskill: skills after games of one against one and of teams, by messages over a factor graph."""

import json
import sys
from pathlib import Path

import trueskill

data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
start = dict(data["ratings"])
world = trueskill.TrueSkill(mu=1300.0, sigma=400.0, beta=200.0, tau=4.0, draw_probability=0.1)
skills = {name: world.create_rating(mu, 100.0) for name, mu in start.items()}
for winner, loser, drawn in data["games"]:
    skills[winner], skills[loser] = trueskill.rate_1vs1(skills[winner], skills[loser], drawn, env=world)
teams = world.rate([(skills["ann"], skills["bob"]), (skills["cid"], skills["dot"])], ranks=[1, 0])
final = teams[1][0].mu
spread = teams[1][0].sigma
for name in start:
    print(name, repr(skills[name].mu), repr(skills[name].sigma))
print(repr(final), repr(spread))
