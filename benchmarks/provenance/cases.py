"""The case studies through `mlvet trace` and `mlvet why`, faults injected into networks, and spam filters repaired."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.provenance.processes import Failed, Replayed, environment, job, python, trace, why
from benchmarks.provenance.subjects import FOLDER, OWN
from benchmarks.table import Table

COMMAND = "python -m benchmarks.provenance --only cases --data DIR"
CASES = FOLDER / "cases"
BUGS = CASES / "implementation_bugs"
INJECTED = 20
SEED = 9
NETWORKS = ("asia", "cancer", "earthquake", "survey", "sachs", "child", "alarm", "insurance")


@dataclass(frozen=True, slots=True)
class Case:
    """A question to a program with a mistake; the culprit is told by the names of inputs that match `culprit`.

    Without an influence that ought to be there, `missing` matches the inputs that must not be listed.
    """

    name: str
    script: Path
    arguments: Sequence[str]
    of: str
    inputs: str
    culprit: str
    missing: str = ""


def every_case() -> Iterator[Case]:
    negative = CASES / "negative_weights" / "followers.txt"
    yield Case(
        "negative weights", FOLDER / "weighted_pagerank.py", [str(negative)], 'ranks["mira"]',
        "graph@weighted_pagerank", r'graph\["otto"\]',
    )  # fmt: skip
    spam = FOLDER / "naive_bayes.py"
    alarm, passed = _messages()
    known, scores = [str(OWN / "comments.txt"), "--message"], "scores@spam_score"
    yield Case("spam: false alarm", spam, [*known, alarm], "score", scores, r'scores\["(my|and|i|have)"\]')
    yield Case(
        "spam: passed", spam, [*known, passed], "score", scores, r'scores\["(loans|instant|approval|paperwork|apply)"\]'
    )
    given = ["--given", "Gender=male", "Age=young", "Smoker=no", "Location=country"]
    network = str(CASES / "diagnosis" / "lungs_faulty.bif")
    for symptom in ("Coughing", "ChestPain", "Wheezing"):
        yield Case(
            f"diagnosis: {symptom}", FOLDER / "belief_propagation.py", [network, *given],
            f'beliefs["{symptom}"]["yes"]', "observed@belief_propagation", r'observed\["Gender"\]',
        )  # fmt: skip
    edges = CASES / "outgoing_edges"
    nodes = (("A", r'base\["A"\]', r'base\["[BCDEF]"\]'), ("D", r'base\["[ABD]"\]', r'base\["[CEF]"\]'))
    for node, culprit, missing in nodes:
        yield Case(
            f"outgoing edges: {node}", edges / "pagerank.py", [str(edges / "network.txt")], f'ranks["{node}"]',
            "base@pagerank", culprit, missing,
        )  # fmt: skip
    for bug, of, inputs, culprit, missing in (
        (
            "wrong_graph_structure",
            'ranks["dmitri"] - base["dmitri"]',
            "base",
            r'base\["(ada|boris|carla|greta|hugo)"\]',
            "",
        ),
        ("directed_graph", 'ranks["carla"]', "base", "", r'base\["dmitri"\]'),
        ("missing_initial_values", 'ranks["ada"]', "ranks", r'ranks\["boris"\]', ""),
        ("missing_step", 'ranks["boris"]', "base", "", r'base\["ada"\]'),
        ("wrong_dependency", 'ranks["ada"]', "base", r'base\["hugo"\]', ""),
    ):
        yield Case(bug.replace("_", " "), BUGS / f"{bug}.py", [], of, f"{inputs}@pagerank", culprit, missing)


def _messages() -> tuple[str, str]:
    """The false alarm and the spam that passed, as the README of the case has them."""
    text = (CASES / "spam" / "README.md").read_text(encoding="utf-8")
    alarm, passed = re.findall(r'--message "([^"]+)"', text)[:2]
    return alarm, passed


def asked(case: Case, folder: Path) -> list[Any]:
    log = folder / "case.log"
    log.unlink(missing_ok=True)
    try:
        trace(case.script, case.arguments, log)
        found = why(log, [case.of], [case.inputs], "--top", 50)
    except Failed as error:
        return [case.name, f"`{case.of}`", "-", "-", f"NO: {str(error).strip().splitlines()[-1]}", "-"]
    listed = [each["input"] for each in found["influences"]]
    places = [place for place, name in enumerate(listed, 1) if case.culprit and re.match(case.culprit, name)]
    lacking = not any(re.match(case.missing, name) for name in listed) if case.missing else None
    rules = Counter(each["rule"] for each in found["findings"])
    if case.missing and lacking:
        verdict = f"{places[0]}; what should act is missing" if case.culprit else "what should act is missing"
    else:
        verdict = str(places[0]) if places else "not listed"
    words = ", ".join(f"`{name}`" if count == 1 else f"{count} `{name}`" for name, count in rules.items()) or "-"
    top = f"`{listed[0]}`" if listed else "none"
    return [case.name, f"`{case.of}`", top, f"{len(places)} of {len(listed)}", verdict, words]


def case_table() -> Table:
    with tempfile.TemporaryDirectory(prefix="mlvet-benchmark-") as place:
        rows = [asked(case, Path(place)) for case in every_case()]
    return Table(
        "provenance-cases", "Case studies", COMMAND,
        ("case", "output", "first input", "culprits among those listed", "rank of the first culprit", "findings"), rows,
    )  # fmt: skip


@contextmanager
def _examples() -> Iterator[None]:
    """The modules of the examples, as their programs see them."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield
    finally:
        sys.path.remove(str(FOLDER))


def blamed(replayed: Replayed, expected: dict[str, dict[str, float]], leaves: list[str]) -> dict[str, Any]:
    """Tables and their rows by influence on the belief that is furthest from what is expected: of all, of leaves."""
    inputs = replayed.replay.found
    beliefs = replayed.replay.namespace["beliefs"]
    place = {each.name: each.place for each in replayed.outputs}
    off = {
        (variable, state): float(beliefs[variable][state]) - belief
        for variable, states in expected.items()
        for state, belief in states.items()
    }
    told: dict[str, Any] = {}
    seeds: dict[str, dict[int, float]] = {}
    for name, seen in (("all", list(expected)), ("leaves", leaves)):
        strangest = max((key for key in off if key[0] in seen), key=lambda key: abs(off[key]))
        told[f"{name} strangest"], told[f"{name} off"] = strangest[0], off[strangest]
        seeds[name] = {place['beliefs["{}"]["{}"]'.format(*strangest)]: 1.0}
    values, places = inputs.all_values(), inputs.all_places()
    paths = [inputs.path(index) for index in range(inputs.count)]
    for name, each in seeds.items():
        derivatives = replayed.sweeps.backward(each)[places]
        rows: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for path, derivative, value in zip(paths, derivatives.tolist(), values.tolist(), strict=True):
            (_, _, variable), _, assignment = path
            rows.setdefault((variable, ",".join(assignment[1:])), []).append((derivative, value))
        for way, weigh in WEIGHED.items():
            tables: Counter[str] = Counter()
            weights: Counter[str] = Counter()
            for (variable, row), pairs in rows.items():
                weight = weigh(pairs)
                tables[variable] += weight
                weights[f"{variable}|{row}"] = weight
            told[f"{name} {way}"] = {
                "tables": [key for key, _ in tables.most_common()], "rows": [key for key, _ in weights.most_common()],
            }  # fmt: skip
    return told


WEIGHED: dict[str, Callable[[list[tuple[float, float]]], float]] = {
    "share": lambda row: sum(abs(derivative * value) for derivative, value in row),
    "spread": lambda row: max(derivative for derivative, _ in row) - min(derivative for derivative, _ in row),
}
"""Influence of a row of probabilities: as `mlvet why` reckons shares, or what moving probability within it can do."""
WAYS = tuple((seen, weight) for seen in ("all", "leaves") for weight in WEIGHED)
SHOWS = 0.01


def injected(path: Path, count: int, folder: Path) -> list[dict[str, Any]]:
    """Faults in one network, and where they come in the lists."""
    with _examples():
        from belief_propagation import belief_propagation
        from bif import read_network, write_network
        from inject_faults import injections

        network = read_network(path)
        observed = {name: dict.fromkeys(states, 1.0) for name, states in network.states.items()}
        expected = belief_propagation(network.scopes, network.tables, observed)
        parents = {parent for scope in network.scopes.values() for parent in scope[1:]}
        leaves = [variable for variable in network.states if variable not in parents]
        found = []
        for number, fault in enumerate(injections(network, count, SEED)):
            faulty, log = folder / f"{number}.bif", folder / f"{number}.log"
            write_network(fault.network, faulty)
            trace(FOLDER / "belief_propagation.py", [str(faulty)], log)
            told = job(
                f"{__name__}:blamed", log, ["tables@belief_propagation"], ["beliefs"], expected=expected, leaves=leaves
            )  # fmt: skip
            one: dict[str, Any] = {"kind": fault.kind, "variable": fault.variable, "place": fault.place()}
            for seen in ("all", "leaves"):
                one[f"{seen} off"] = told[f"{seen} off"]
                one[f"{seen} own"] = told[f"{seen} strangest"] == fault.variable
            for way in map(" ".join, WAYS):
                one[way] = told[way]["tables"].index(fault.variable) + 1
                if fault.row is not None:
                    one[f"{way} row"] = told[way]["rows"].index(f"{fault.variable}|{','.join(fault.row)}") + 1
            found.append(one)
            faulty.unlink()
            log.unlink()
    return found


def injection_table(data: Path | None, count: int = INJECTED, networks: Sequence[str] = NETWORKS) -> Table:
    files = [("lungs", OWN / "lungs.bif")]
    if data is not None:
        files += [(name, data / "bif" / f"{name}.bif.gz") for name in networks]
    details: dict[str, Any] = {}
    rows: list[list[Any]] = []
    with tempfile.TemporaryDirectory(prefix="mlvet-benchmark-") as place:
        for name, path in files:
            details[name] = injected(path, count, Path(place))
            rows.append([name, *_summary(details[name])])
            print(" | ".join(map(str, rows[-1])), flush=True)
    every = [each for found in details.values() for each in found]
    for kind in ("probability", "edge", "structure"):
        rows.append([f"all, {kind}", *_summary([each for each in every if each["kind"] == kind])])
    rows.append(["**all**", *_summary(every)])
    return Table(
        "provenance-injected", "Faults injected into Bayesian networks", COMMAND,
        ("network", "faults",
         *(f"{what}, {seen}" for seen in ("all beliefs seen", "only leaves seen") for what in
           ("shows", "own table", "first by share", "first 3", "first by spread", "first 3"))), rows,
        (f"{count} seeded faults of `inject_faults.py` for each network (turned probabilities of a row, "
         "exchanged states "
         "along an edge, a wrong parent); nothing is observed. The symptom is the belief that is furthest from that of "
         "the sound network, which stands for what an expert expects: of all variables, or of leaves alone. "
         "Counts are of "
         f"faults that show, that is, move the symptom by {SHOWS:g}. Asked for the provenance of the symptom by all "
         "tables, summed for each table: by share as `mlvet why` has it, or by the spread of the derivatives "
         "within each "
         "row. `own table`: how often the faulty table is simply that of the symptom.",),
        details,
    )  # fmt: skip


def _summary(found: Sequence[dict[str, Any]]) -> list[str]:
    cells = [str(len(found))]
    for seen in ("all", "leaves"):
        showing = [each for each in found if abs(each[f"{seen} off"]) >= SHOWS]
        cells += [str(len(showing)), str(sum(each[f"{seen} own"] for each in showing))]
        cells += [
            str(sum(each[f"{seen} {weight}"] <= most for each in showing)) for weight in WEIGHED for most in (1, 3)
        ]
    return cells


def confusion(learned: str, judged: Sequence[str], *options: str) -> tuple[list[int], float]:
    """Spam found and passed, good let through and taken for spam; accuracy."""
    command = python(FOLDER / "naive_bayes.py", learned, "--test", *judged, *options)
    told = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True).stdout
    counts = {}
    for line in io.StringIO(told):
        words = line.split()
        if words and words[0] in ("spam", "good"):
            counts[words[0]] = [int(words[1]), int(words[2])]
        elif words and words[0] == "accuracy":
            accuracy = float(words[1])
    return [*counts["spam"], *reversed(counts["good"])], accuracy


def spam_table(data: Path | None) -> Table:
    repair = ("--ignore", str(CASES / "spam" / "common_words.txt"), "--unknown", "0.6")
    trials = [("our comments, others", str(OWN / "comments.txt"), [str(OWN / "other_comments.txt")])]
    if data is not None:
        texts = data / "text"
        youtube, sms = f"{texts / 'YouTube-Spam-Collection-v1.zip'}", str(texts / "SMSSpamCollection.gz")
        parts = ("Psy", "Katy", "LMFAO", "Eminem", "Shakira")
        trials += [
            (
                f"YouTube {part}, the other four",
                f"{youtube}:{part}",
                [f"{youtube}:{one}" for one in parts if one != part],
            )
            for part in parts
        ]
        trials += [("SMS, YouTube", sms, [youtube]), ("YouTube, SMS", youtube, [sms])]
    rows: list[list[Any]] = []
    for name, learned, judged in trials:
        cells: list[str] = []
        for options in ((), repair):
            (found, passed, right, alarms), accuracy = confusion(learned, judged, *options)
            cells += [f"{found} / {passed}", f"{right} / {alarms}", f"{accuracy:.3f}"]
        rows.append([name, *cells])
    return Table(
        "provenance-spam", "A spam filter before and after what provenance shows", COMMAND,
        ("learned from, applied to", "spam: found / passed", "good: let through / false alarms", "accuracy",
         "after: spam", "after: good", "after: accuracy"), rows,
        ("The repair is the one that provenance of one false alarm and one spam that passed suggests: common words are "
         "left out, unknown words score 0.6 instead of 0.4. It was made for the first row; the others show how far it "
         "carries.",),
    )  # fmt: skip


def tables(data: Path | None) -> Iterator[Table]:
    yield case_table()
    yield injection_table(data)
    yield spam_table(data)
