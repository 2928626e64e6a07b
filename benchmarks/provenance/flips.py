"""Unstable comparisons by how far an input may move, and how derivatives are distributed, against tainting."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.provenance.processes import Failed, Replayed, job, trace, why
from benchmarks.provenance.subjects import OWN, Subject, first_lines, subject
from benchmarks.table import Table
from mlvet.analyses.provenance.influence import influences
from mlvet.runtime.provenance.predicates import PREDICATES

COMMAND = "python -m benchmarks.provenance --only {} --data DIR"
DELTAS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
THRESHOLDS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6)
OUTPUTS = 20
SEED = 9
COVERED = 0.9


def subjects(data: Path, folder: Path) -> Iterator[Subject]:
    """Programs that run to the end that they set themselves."""
    graphs, texts = data / "graphs", data / "text"
    gnutella, votes = graphs / "p2p-Gnutella08.txt.gz", graphs / "wiki-Vote.txt.gz"
    yield subject("PageRank", "p2p-Gnutella08", gnutella)
    yield subject("PageRank", "wiki-Vote", votes)
    for name in ("weighted PageRank", "personalized PageRank", "CollusionRank"):
        yield subject(name, "p2p-Gnutella08", gnutella)
    for name in ("visits of links", "weighted visits of links"):
        yield subject(name, "p2p-Gnutella08", gnutella)
    yield subject("undirected PageRank", "facebook_combined", graphs / "facebook_combined.txt.gz", "--iterations", 20)
    for name in ("SimRank", "ASCOS"):
        yield subject(name, "followers", OWN / "followers.txt")
    yield subject("TextRank", "SMS, 40 messages", first_lines(texts / "SMSSpamCollection.gz", folder / "sms.txt", 40))
    yield subject("belief propagation", "alarm", data / "bif" / "alarm.bif.gz")
    yield subject("Gibbs sampling", "notices", OWN / "notices.txt")
    judged = first_lines(texts / "SMSSpamCollection.gz", folder / "judged.txt", 200)
    yield subject("naive Bayes", "YouTube, SMS", texts / "YouTube-Spam-Collection-v1.zip", "--test", judged)


def distances(replayed: Replayed) -> dict[str, Any]:
    """For each comparison that was kept: its margin, and how far the nearest input has to move."""
    places = replayed.replay.found.all_places()
    found = []
    for each in PREDICATES.all():
        slopes = np.abs(replayed.sweeps.backward(each.parents)[places])
        steepest = float(slopes.max(initial=0.0))
        reachable = slopes > 0
        found.append(
            {"line": each.place[1], "margin": each.closeness, "slope": steepest,
             "inputs": [int((slopes[reachable] * delta >= each.closeness).sum()) for delta in DELTAS]}
        )  # fmt: skip
    return {"near": found, "comparisons": sum(site.count for site in PREDICATES.sites.values())}


def flips(data: Path, tried: bool = True) -> Table:
    """How many comparisons an input may turn, and what that does to an output."""
    rows: list[list[Any]] = []
    details: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="mlvet-benchmark-") as place:
        folder = Path(place)
        for number, each in enumerate(subjects(data, folder)):
            log = folder / f"{number}.log"
            trace(each.script, each.arguments, log)
            try:
                found = job(f"{__name__}:distances", log, each.algorithm.specifications, [])
            except Failed as error:
                rows.append([each.algorithm.name, each.data, *["-"] * 8, str(error).strip().splitlines()[-1]])
                continue
            near = found["near"]
            ties = sum(one["margin"] == 0 for one in near)
            near = [one for one in near if one["margin"] > 0]
            small = [sum(one["margin"] <= delta for one in near) for delta in DELTAS]
            turned = [sum(bool(one["inputs"][index]) for one in near) for index in range(len(DELTAS))]
            told = _tried(each, log) if tried else {}
            details[each.name] = {"near": near, "ties": ties, "small": small, "turned": turned, **told}
            rows.append(
                [each.algorithm.name, each.data, f"{found['comparisons']:,}", ties + len(near), ties,
                 *(f"{turned[index]} / {small[index]}" for index in range(len(DELTAS))),
                 told.get("words", "-")]
            )  # fmt: skip
            print(" | ".join(map(str, rows[-1])), flush=True)
    return Table(
        "provenance-flips", "Comparisons that a change of one input turns", COMMAND.format("flips"),
        ("algorithm", "data", "comparisons", "nearest kept", "of them ties", *(f"delta {delta:g}" for delta in DELTAS),
         "tried at delta 0.001"), rows,
        ("Cells: unstable comparisons (|slope| x delta reaches the margin for some input) / those whose margin is "
         "at most delta, among the nearest that are kept for each line of a program; ties, whose margin is 0, are not "
         "in them. Tried: `mlvet why` runs the program again with the input moved and with the other side taken.",),
        details,
    )  # fmt: skip


def _tried(each: Subject, log: Path) -> dict[str, Any]:
    """What re-execution says of the flips of one output."""
    output = job(f"{__name__}:largest_output", log, each.algorithm.specifications, [each.algorithm.of])["name"]
    explanation = why(log, [output], each.algorithm.specifications, "--delta", 1e-3)
    found = [{**one, "path": Path(one["path"]).name} for one in explanation["flips"]]
    confirmed = [one for one in found if one["confirmed"]]
    jumps = [one["jump"] for one in found if one["jump"] is not None]
    value = abs(explanation["value"]) or 1.0
    words = f"{len(confirmed)} of {len(found)} confirmed"
    if jumps:
        words += f", largest jump {max(jumps) / value:.1e} of the output"
    return {"flips": found, "words": words}


def largest_output(replayed: Replayed) -> dict[str, str]:
    hanging = [each for each in replayed.outputs if each.place]
    return {"name": max(hanging, key=lambda each: abs(each.value)).name}


def spread(replayed: Replayed) -> dict[str, Any]:
    """Of some outputs: derivatives above thresholds, inputs that carry most of the influence, tainted ones."""
    inputs = replayed.replay.found
    places = inputs.all_places()
    hanging = sorted((each for each in replayed.outputs if each.place), key=lambda each: -abs(each.value))
    largest_first = iter(hanging)
    drawn = iter(random.Random(SEED).sample(hanging, len(hanging)))
    found: list[dict[str, Any]] = []
    while len(found) <= OUTPUTS and (output := next(drawn if found else largest_first, None)) is not None:
        adjoint = replayed.sweeps.backward({output.place: 1.0})
        if not adjoint[places].any():
            continue
        shares = np.sort(influences(output.value, adjoint, inputs).shares)[::-1]
        derivatives = np.abs(adjoint[places])
        largest = derivatives.max()
        found.append(
            {"output": output.name, "tainted": int(replayed.sweeps.tainted(output.place)[places].sum()),
             "above": [float((derivatives > each).mean()) for each in THRESHOLDS],
             "relative": [float((derivatives > each * largest).mean()) for each in THRESHOLDS],
             "carrying": int(np.searchsorted(np.cumsum(shares), COVERED * shares.sum()) + 1),
             "hundred": float(shares[:100].sum())}
        )  # fmt: skip
    return {"inputs": inputs.count, "found": found}


def distribution(data: Path) -> Table:
    """How few of the inputs that tainting reports matter."""
    rows: list[list[Any]] = []
    details: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="mlvet-benchmark-") as place:
        folder = Path(place)
        for number, each in enumerate(subjects(data, folder)):
            log = folder / f"{number}.log"
            trace(each.script, each.arguments, log)
            try:
                found = job(f"{__name__}:spread", log, each.algorithm.specifications, [each.algorithm.of])
            except Failed as error:
                rows.append([each.algorithm.name, each.data, *["-"] * 9, str(error).strip().splitlines()[-1]])
                continue
            details[each.name] = found
            top, others = found["found"][0], found["found"][1:]
            above = np.mean([one["above"] for one in found["found"]], 0)
            carrying, hung = (np.mean([one[key] for one in others]) for key in ("carrying", "tainted"))
            rows.append(
                [each.algorithm.name, each.data, f"{found['inputs']:,}", *(f"{share:.2%}" for share in above),
                 f"{top['tainted']:,}", f"{top['carrying']:,}", f"{top['hundred']:.1%}",
                 f"{hung:,.0f}", f"{carrying:,.0f}"]
            )  # fmt: skip
            print(" | ".join(map(str, rows[-1])), flush=True)
    return Table(
        "provenance-distribution", "How derivatives are distributed, and how much tainting reports",
        COMMAND.format("distribution"),
        ("algorithm", "data", "inputs", *(f"above {each:g}" for each in THRESHOLDS), "largest output: tainted",
         f"carry {COVERED:.0%}", "first 100 carry", f"mean of {OUTPUTS} others: tainted", f"carry {COVERED:.0%}"), rows,
        ("Shares of derivatives, by all inputs, above thresholds; then, of the output with the largest value and of "
         "others drawn at random, how many inputs tainting reports, and how many of them carry most of it.",),
        details,
    )  # fmt: skip
