"""Are the derivatives right? Against differences of re-runs without mlvet, and against PageRank's closed form."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.provenance.processes import Failed, Replayed, costs, job, python, trace
from benchmarks.provenance.subjects import OWN, Plain, Subject, difference, first_lines, subject
from benchmarks.table import Table
from mlvet.analyses.provenance.influence import scales
from mlvet.runtime.provenance.predicates import PREDICATES

COMMAND = "python -m benchmarks.provenance --only exactness --data DIR"
INPUTS = 100
OUTPUTS = 5
LOOKED_AT = 500
"""So many outputs are looked at for those that inputs move by enough to be seen."""
STEP = 1e-3
"""Step of a difference, in parts of the input's magnitude; rounded to a power of two, by which counts stay exact."""
SMALLER = {"Gibbs sampling": 1e-4, "naive Bayes": 1e-4, "belief propagation": 1e-4, "belief propagation, arrays": 1e-4}
"""Steps where draws and tests of convergence would turn at a larger one, or where the output is strongly curved."""
SEEN = 1e-8
"""What a step must change of an output, in parts of it, for a re-run to tell its derivatives from rounding."""
ASKED, CLOSED = 1e-6, 1e-9
SEED = 20261118


NETWORKS = ("asia", "alarm", "sachs")


def subjects(data: Path | None, folder: Path) -> Iterator[Subject]:
    """Algorithms and data that suit; without a folder of data, our own small data alone."""
    few = ("--iterations", 10)
    followers, friends, visits = OWN / "followers.txt", OWN / "friends.txt", OWN / "visits.txt"
    directed = ("PageRank", "weighted PageRank", "personalized PageRank", "CollusionRank", "PageRank, arrays")
    for name in directed:
        yield subject(name, "followers", followers, *few)
    yield subject("undirected PageRank", "friends", friends, *few)
    for name in ("visits of links", "weighted visits of links"):
        yield subject(name, "visits", visits, *few)
    for name in ("SimRank", "ASCOS"):
        yield subject(name, "followers", followers, "--edges", 60, "--iterations", 5)
    yield subject("TextRank", "lighthouse", OWN / "lighthouse.txt", *few)
    for name in ("belief propagation", "belief propagation, arrays"):
        yield subject(name, "lungs", OWN / "lungs.bif", "--given", "Smoker=yes", "Age=old", "--iterations", 3)
    yield subject("Gibbs sampling", "notices", OWN / "notices.txt", *few)
    yield subject("naive Bayes", "comments", OWN / "comments.txt", "--test", OWN / "other_comments.txt")
    if data is None:
        return
    graphs, texts = data / "graphs", data / "text"
    gnutella = graphs / "p2p-Gnutella08.txt.gz"
    votes = first_lines(graphs / "wiki-Vote.txt.gz", folder / "wiki-Vote.txt", 20_000)
    for name in (*directed, "visits of links", "weighted visits of links"):
        yield subject(name, "p2p-Gnutella08", gnutella, *few)
        yield subject(name, "wiki-Vote, 20,000 edges", votes, *few)
    yield subject("undirected PageRank", "facebook_combined", graphs / "facebook_combined.txt.gz", "--iterations", 5)
    for name in ("SimRank", "ASCOS"):
        yield subject(name, "wiki-Vote, 100 edges", graphs / "wiki-Vote.txt.gz", "--edges", 100, "--iterations", 5)
    for name in ("belief propagation", "belief propagation, arrays"):
        for network in NETWORKS:
            yield subject(name, network, data / "bif" / f"{network}.bif.gz", "--iterations", 4)
    sms = first_lines(texts / "SMSSpamCollection.gz", folder / "sms.txt", 40)
    yield subject("Gibbs sampling", "SMS, 40 messages", sms, *few)
    yield subject("TextRank", "SMS, 40 messages", sms, *few)
    judged = first_lines(texts / "SMSSpamCollection.gz", folder / "judged.txt", 200)
    yield subject("naive Bayes", "YouTube, SMS", texts / "YouTube-Spam-Collection-v1.zip", "--test", judged)


def sampled(replayed: Replayed, seed: int, step: float) -> dict[str, Any]:
    """In the process of the replay: outputs, inputs that act on them and turn no comparison, and the derivatives."""
    inputs = replayed.replay.found
    chance = random.Random(seed)
    places, values = inputs.all_places(), inputs.all_values()
    steps = 2.0 ** np.floor(np.log2(step * scales(values, inputs)))
    hanging = sorted((each for each in replayed.outputs if each.place), key=lambda each: -abs(each.value))
    drawn = chance.sample(hanging[1:], len(hanging) - 1)
    chosen, gradients = [], np.zeros((0, len(places)))
    for output in (hanging[0], *drawn[:LOOKED_AT]):
        gradient = replayed.sweeps.backward({output.place: 1.0})[places]
        if (np.abs(gradient) * steps).max() > SEEN * abs(output.value) and len(chosen) < OUTPUTS:
            chosen.append(output)
            gradients = np.vstack([gradients, gradient])
    flagged = np.zeros(len(places), bool)
    for predicate in PREDICATES.all():
        slopes = replayed.sweeps.backward(predicate.parents)[places]
        flagged |= (np.abs(slopes) * 2 * steps >= predicate.closeness) & (slopes != 0)
    acting = np.flatnonzero((gradients != 0).any(0) & ~flagged).tolist()
    idle = np.flatnonzero((gradients == 0).all(0) & ~flagged).tolist()
    picked = chance.sample(acting, min(INPUTS, len(acting)))
    picked += chance.sample(idle, min(INPUTS - len(picked), len(idle)))
    return {
        "outputs": [each.name for each in chosen],
        "inputs": [inputs.name(each) for each in picked],
        "steps": steps[picked].tolist(),
        "values": values[picked].tolist(),
        "derivatives": gradients[:, picked].tolist(),
        "largest": np.abs(gradients).max(1).tolist(),
        "all": len(places), "flagged": int(flagged.sum()), "acting": len(acting),
        "compared": len(PREDICATES.all()),
    }  # fmt: skip


def checked(subject: Subject, folder: Path) -> dict[str, Any]:
    """The mean and the greatest difference of one subject, in parts of the output's largest derivative."""
    log = folder / f"{subject.name.replace(' ', '_')}.log"
    trace(subject.script, subject.arguments, log)
    step = SMALLER.get(subject.algorithm.name, STEP)
    algorithm = subject.algorithm
    found = job(f"{__name__}:sampled", log, algorithm.specifications, [algorithm.of], seed=SEED, step=step)
    answered = folder / f"{log.stem}.json"
    answered.write_text(json.dumps(found), encoding="utf-8")
    wanted = [algorithm.name, subject.data, *subject.arguments]
    costs(python("-m", "benchmarks.provenance.exactness", answered, *wanted))
    return {**found, **json.loads(answered.read_text(encoding="utf-8"))}


def _tried(subject: Subject, folder: Path) -> dict[str, Any]:
    try:
        return checked(subject, folder)
    except Failed as error:
        print(f"{subject.name}: {error}", file=sys.stderr)
        return {"failed": str(error).strip().splitlines()[-1]}


def rerun(found: dict[str, Any], subject: Subject) -> dict[str, float]:
    """In a process without mlvet: each input moved, the program run again."""
    plain = Plain.run(subject)
    largest = np.array(found["largest"])
    apart = []
    for index, (name, step) in enumerate(zip(found["inputs"], found["steps"], strict=True)):
        if plain.value(name) != found["values"][index]:
            raise SystemExit(f"{subject.name}: {name} is {plain.value(name)}, not {found['values'][index]}")
        seen = np.array(difference(plain, found["outputs"], name, step))
        told = np.array([row[index] for row in found["derivatives"]])
        apart.append(np.abs(seen - told) / np.maximum(np.abs(told), np.where(largest > 0, largest, 1.0)))
    if not apart:
        raise SystemExit("every input is flagged as unstable")
    every = np.concatenate(apart)
    worst = int(np.argmax([each.max() for each in apart]))
    return {"mean": float(every.mean()), "most": float(every.max()), "worst": found["inputs"][worst]}


def closed_form(replayed: Replayed, iterations: int, damping: float) -> dict[str, Any]:
    """PageRank's derivatives by all inputs and the closed ones by matrices, for some outputs.

    With S the shares, r(k) = b + d S' r(k-1): by the first ranks it is (d S')^k, by the share of an edge from v to u
    the sum over k of d * g(k)[u] * r(k-1)[v], where g(k) are the derivatives by r(k).
    """
    from scipy import sparse

    inputs = replayed.replay.found
    names = replayed.replay.namespace
    number = {node: index for index, node in enumerate(names["share"])}
    edges = [(v, u) for v, targets in names["share"].items() for u in targets]
    source = np.array([number[v] for v, _ in edges])
    target = np.array([number[u] for _, u in edges])
    weight = np.array([float(names["share"][v][u]) for v, u in edges])
    matrix = sparse.csr_array((weight, (target, source)), shape=(len(number), len(number)))
    ranks = [np.full(len(number), 1.0 / len(number))]
    for _ in range(iterations):
        ranks.append((1 - damping) / len(number) + damping * (matrix @ ranks[-1]))
    place = {inputs.path(index): index for index in range(inputs.count)}
    by_share = [place[((("share",), "[", v), "[", u)] for v, u in edges]
    by_rank = [place[(("ranks",), "[", node)] for node in number]
    chance = random.Random(SEED)
    worst = 0.0
    outputs = [max(replayed.outputs, key=lambda each: each.value), *chance.sample(replayed.outputs, OUTPUTS - 1)]
    for output in outputs:
        told = replayed.sweeps.backward({output.place: 1.0})[inputs.all_places()]
        node = number[output.name.partition("[")[2].strip('"]')]
        adjoint = np.zeros(len(number))
        adjoint[node] = 1.0
        share = np.zeros(len(edges))
        for before in reversed(ranks[:-1]):
            share += damping * adjoint[target] * before[source]
            adjoint = damping * (matrix.T @ adjoint)
        for mine, theirs in ((told[by_share], share), (told[by_rank], adjoint)):
            worst = max(worst, float(np.abs(mine - theirs).max() / np.abs(theirs).max()))
    return {"worst": worst, "inputs": inputs.count, "outputs": len(outputs)}


def main(data: Path | None) -> Table:
    rows: list[list[Any]] = []
    details: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="mlvet-benchmark-") as place:
        folder = Path(place)
        for each in subjects(data, folder):
            found = _tried(each, folder)
            if "failed" in found:
                rows.append([each.algorithm.name, each.data, "-", "-", "-", "-", "-", f"NO: {found['failed']}"])
            else:
                right = found["mean"] <= ASKED
                rows.append(
                    [each.algorithm.name, each.data, f"{found['all']:,}", f"{found['flagged']:,}",
                     len(found["inputs"]), f"{found['mean']:.1e}", f"{found['most']:.1e}", "yes" if right else "NO"]
                )  # fmt: skip
                details[each.name] = {
                    name: found[name] for name in ("mean", "most", "worst", "all", "flagged", "acting", "compared")
                }
            print(" | ".join(map(str, rows[-1])), flush=True)
        rows += closed(data, folder)
    means = [found["mean"] for found in details.values()]
    return Table(
        "provenance-exactness", "Derivatives against re-runs with one input moved", COMMAND,
        ("algorithm", "data", "inputs", "unstable", "tried", "mean difference", "greatest", f"at most {ASKED:g}"), rows,
        (f"{INPUTS} inputs drawn from those that act on one of {OUTPUTS} outputs and turn no comparison within the "
         "step, the rest from those that do not act; differences of fourth order by four runs without mlvet, "
         "in parts of the "
         f"output's largest derivative. Mean over all: {fmean(means):.1e}. Closed form: all inputs, at most {CLOSED:g} "
         "asked. Gibbs sampling: the probabilities before each draw of the last round.",),
        details,
    )  # fmt: skip


def closed(data: Path | None, folder: Path) -> Iterator[list[Any]]:
    """Rows of the closed form."""
    files = [("followers", OWN / "followers.txt")]
    if data is not None:
        files += [(name, data / "graphs" / f"{name}.txt.gz") for name in ("p2p-Gnutella08", "wiki-Vote")]
    for name, file in files:
        subject_ = subject("PageRank", name, file, "--iterations", 20, "--epsilon", 0)
        log = folder / f"closed-{name}.log"
        trace(subject_.script, subject_.arguments, log)
        found = job(
            f"{__name__}:closed_form", log, subject_.algorithm.specifications, ["ranks"], iterations=20, damping=0.85
        )
        yield [
            "PageRank, closed form", name, f"{found['inputs']:,}", "-", f"all, {found['outputs']} outputs", "-",
            f"{found['worst']:.1e}", "yes" if found["worst"] <= CLOSED else "NO",
        ]  # fmt: skip


def _process(arguments: Sequence[str]) -> None:
    """The process of the re-runs: answer file, algorithm, data, arguments."""
    answered, algorithm, data, *rest = arguments
    found = json.loads(Path(answered).read_text(encoding="utf-8"))
    made = rerun(found, subject(algorithm, data, *rest))
    Path(answered).write_text(json.dumps(made), encoding="utf-8")


if __name__ == "__main__":
    _process(sys.argv[1:])
