"""Loops of real programs: what is marked, and that a replay with turns gives the bits of one without."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mlvet.runtime.provenance.looping import TURN, marked
from tests.provenance.traced_runs import PATIENCE, environment, program, traced

BOTH = """
import hashlib, json, os, sys
import numpy as np
from mlvet.analyses.provenance.outputs import outputs, specifications
from mlvet.analyses.provenance.pairs import blocks
from mlvet.analyses.provenance.paths import stopped
from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.runtime.provenance import looping
from mlvet.runtime.provenance.labels import LABELS
from mlvet.runtime.provenance.log import read
from mlvet.runtime.provenance.replaying import Replay
from mlvet.runtime.provenance.specification import inputs_of
from mlvet.runtime.provenance.tape import TAPE, Step, Turn

def asked(log, inputs, paths):
    replay = Replay(read(log), inputs_of(inputs), specifications(("out",)), labels=paths)
    replay.run()
    found = outputs(("out",), replay)
    sweeps = Sweeps.of(TAPE.parts, TAPE.size)
    places, bits = np.array([each.place for each in found]), hashlib.md5()
    for place in places.tolist():
        derivatives = sweeps.backward({place: 1.0})
        assert derivatives[replay.found.all_places()].any()
        bits.update(derivatives.tobytes())
        bits.update(sweeps.tainted(place).tobytes())
        bits.update(repr(sweeps.row_of(place)).encode())
        if paths:
            bits.update(stopped(sweeps, LABELS).backward(sweeps.row_of(place)).tobytes())
    for _, rows in blocks(sweeps, places, replay.found.all_places(), threads=1):
        bits.update(np.ascontiguousarray(rows).tobytes())
    turns = sum(isinstance(each, Turn) for each in TAPE.parts)
    steps = sum(isinstance(each, Step) for each in sweeps.parts)
    return {"bits": bits.hexdigest(), "turns": turns, "steps": steps, "bytes": TAPE.bytes,
            "entries": sweeps.entries, "difference": replay.difference}

log, inputs, paths = sys.argv[1], tuple(sys.argv[2].split()), sys.argv[3] == "paths"
sys.stdout.flush()
if os.fork() == 0:
    looping.HELPERS[looping.TURN] = lambda loop: None
    print(json.dumps(asked(log, inputs, paths)), flush=True)
    os._exit(0)
assert os.wait()[1] == 0
print(json.dumps(asked(log, inputs, paths)), flush=True)
"""

GRAPH = """
import random
def graph(nodes, edges):
    chance = random.Random(4)
    found = {}
    for node in range(nodes):
        targets = sorted(chance.sample(range(nodes), edges))
        found[node] = {target: chance.random() for target in targets}
    return found
"""
RANKED = """
def step(share, old):
    ranks = {}
    for node in share:
        total = 0.0
        for source in share[node]:
            total += old[source] * share[node][source]
        ranks[node] = 0.15 + 0.1 * total
    return ranks
"""
PAGERANK = f"""
import sys
{GRAPH}
{RANKED}
def ranked(share, ranks, iterations):
    for _ in range(iterations):
        old = ranks
        ranks = step(share, old)
        delta = 0.0
        for node in share:
            delta += abs(ranks[node] - old[node])
    return ranks
share = graph(400, 14)
ranks = ranked(share, {{node: 1.0 / 400 for node in share}}, int(sys.argv[1]))
out = [ranks[0], ranks[7]]
"""
PROGRAMS = {
    "a shape that changes half way": f"""
{GRAPH}
{RANKED}
def ranked(share, ranks):
    for number in range(30):
        ranks = step(share, ranks)
        if number > 14:
            ranks[number] = ranks[number] * ranks[3] + ranks[4]
    return ranks
ranks = ranked(graph(400, 14), {{node: 1.0 / 400 for node in range(400)}})
out = [ranks[0], ranks[29]]
""",
    "loops in functions that loops call": f"""
{GRAPH}
{RANKED}
def ranked(share, ranks, iterations):
    for _ in range(iterations):
        ranks = step(share, ranks)
    return ranks
def tried(share):
    found = []
    for iterations in (20, 35, 25):
        found.append(ranked(share, {{node: 1.0 / 400 for node in share}}, iterations)[5])
    return found
out = tried(graph(400, 14))
""",
    "a while loop with its end in the data": f"""
{GRAPH}
{RANKED}
def ranked(share, ranks):
    delta = 1.0
    while delta > 1e-9:
        old = ranks
        ranks = step(share, old)
        delta = 0.0
        for node in share:
            delta += abs(ranks[node] - old[node])
    return ranks
share = graph(400, 14)
out = ranked(share, {{node: 1.0 / 400 for node in share}})[3]
""",
    "partial derivatives that are infinite or NaN": f"""
{GRAPH}
{RANKED}
FACTORS = {{11: float("inf"), 23: float("nan")}}
def ranked(share, ranks):
    lost = 0.0
    for number in range(40):
        ranks = step(share, ranks)
        lost = ranks[2] * FACTORS.get(number, 1.5)
    return ranks[1], lost
share = graph(400, 14)
out = ranked(share, {{node: 1.0 / 400 for node in share}})
""",
    "arrays between loops": f"""
import numpy as np
{GRAPH}
{RANKED}
def ranked(share, ranks):
    for _ in range(30):
        ranks = step(share, ranks)
    values = np.array([ranks[node] for node in range(20)])
    values = np.linalg.solve(np.eye(20) + 0.01 * np.outer(values, values), values)
    ranks.update(enumerate(values.tolist()))
    for _ in range(30):
        ranks = step(share, ranks)
    return ranks
share = graph(400, 14)
ranks = ranked(share, {{node: 1.0 / 400 for node in share}})
out = [ranks[0], ranks[7]]
""",
}


def both(folder: Path, text: str, *arguments: str, paths: bool = False, **extra: str) -> dict[str, Any]:
    """What a replay with turns told; one without told the same bits."""
    program(folder, text)
    done = traced(folder, "--output", "log", "program.py", *arguments)
    assert done.returncode == 0, done.stderr
    inputs = "share@tried" if "def tried" in text else "share@ranked ranks@ranked"
    command = [sys.executable, "-c", BOTH, "log", inputs, "paths" if paths else ""]
    asked = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, env=environment(**extra)
    )
    assert asked.returncode == 0, asked.stderr
    without, told = (json.loads(line) for line in asked.stdout.splitlines()[-2:])
    assert (without["turns"], without["difference"], told["difference"]) == (0, None, None)
    assert told["turns"] > 4
    assert told["entries"] == without["entries"]
    assert told["steps"] == without["steps"]
    assert told["bits"] == without["bits"]
    assert told["bytes"] < without["bytes"] / 2
    return dict(told)


@pytest.mark.parametrize("name", PROGRAMS)
def test_turns_give_the_same_bits(tmp_path: Path, name: str) -> None:
    both(tmp_path, PROGRAMS[name])


@pytest.mark.parametrize("pure", ["", "1"])
def test_labelled_replays_and_both_forms(tmp_path: Path, pure: str) -> None:
    both(tmp_path, PAGERANK, "40", paths=True, MLVET_PURE_PYTHON=pure)


def test_a_tape_grows_by_values(tmp_path: Path) -> None:
    few, many = both(tmp_path, PAGERANK, "20"), both(tmp_path, PAGERANK, "60")
    assert many["entries"] - few["entries"] > 40 * 400 * 28
    assert many["bytes"] - few["bytes"] < 40 * 400 * 24


def test_marked_loops_have_long_iterations() -> None:
    tree = marked(
        ast.parse("""
from other import far
def near(): return [each for each in "abc"]
for a in b: c += a
for a in b: near()
for a in b: far()
for a in b:
    for c in a:
        for d in c: print(d)
    while c: c -= sum(d for d in c)
def inner():
    while near(): pass
""")
    )
    loops = [each for each in ast.walk(tree) if isinstance(each, ast.For | ast.While)]
    marks = {each.lineno: ast.unparse(each.body[0]) for each in loops if TURN in ast.unparse(each.body[0])[: len(TURN)]}
    assert sorted(marks) == [5, 6, 7, 12]
    assert len(set(marks.values())) == 4
