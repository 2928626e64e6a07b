"""Models changed at one place: does mlvet report what onnxruntime refuses, and nothing that it runs?

Every model runs in onnxruntime, is then changed at one place, drawn with a fixed seed, and judged by both: mlvet reads
and infers, onnxruntime loads without optimisations and runs. Shapes that mlvet infers are compared with those produced.

    python benchmarks/graph/mutants.py [--share N] [--keep FOLDER] [FOLDER]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from table import Table  # noqa: E402

MODELS = Path(sys.prefix) / "models"
COUNTS = {"node tests": 3, "stored models": 12, "real models": 30}
MOST = 1 << 22
"""Elements of operands that are drawn for a model, at most."""
LARGE = 2 << 20
"""Bytes from which a model gets a fifth of the mutants."""
NOT_SHAPES = (
    ("kernel", r"NOT_IMPLEMENTED|NotImplemented|not implemented|not supported|[Uu]nsupported|only support|isn't supp"),
    ("element", r"out of (data )?bounds|[Oo]ut of range value|indices element|[Ii]nvalid index found|index.* out of|"
                r"[Dd]ivision by zero"),
    ("locale", r"locale"),
    ("memory", r"bad_alloc|Failed to allocate|Tensor shape cannot|overflow|exceeds|Unable to allocate"),
    ("form", r"not output by any previous|not a graph input|Unrecognized attribute|is not a registered|"
             r"INVALID_GRAPH.*in the graph|sorted|acyclic|duplicate|Required attribute|Attr|attribute"),
)  # fmt: skip


@dataclass(slots=True)
class Tally:
    """The outcomes of one kind of model."""

    models: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    rules: Counter[tuple[str, str]] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What mlvet says of a model: rules of its errors, warnings, refusal, undecided demands and the output types."""

    errors: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    warned: bool = False
    refused: str = ""
    undecided: bool = False
    failures: tuple[str, ...] = ()
    outputs: tuple[Any, ...] = ()


def main(
    folder: Path = MODELS, share: float = 1.0, keep: Path | None = None, only: str = "", kind: str = "", seed: int = 0
) -> Table:
    """One row per kind of model."""
    tallies: dict[str, Tally] = {}
    for record in records(folder, share, keep, only, kind, seed):
        tally = tallies.setdefault(record["kind"], Tally())
        if record["change"] == "":
            tally.models += 1
        else:
            tally.outcomes["mutants"] += 1
        tally.outcomes[record["outcome"]] += 1
        tally.outcomes["wrong shape"] += bool(record["wrong"])
        tally.outcomes["warned"] += record["warned"]
        for rule in record["errors"][:1]:
            tally.rules[record["outcome"], rule] += 1
        if record["outcome"] == "missed":
            tally.missed[record["reason"]] += 1
    return _table(tallies)


def _table(tallies: dict[str, Tally]) -> Table:
    names = (
        "found",
        "false alarm",
        "missed",
        "depends",
        "not shapes",
        "unfindable",
        "quiet",
        "refused",
        "refused, runs",
    )
    rows: list[list[Any]] = []
    for kind, tally in tallies.items():
        cells = [tally.outcomes[name] for name in names]
        rows.append([kind, tally.models, tally.outcomes["mutants"], *cells, tally.outcomes["wrong shape"]])
    rules: Counter[tuple[str, str]] = sum((tally.rules for tally in tallies.values()), Counter())
    missed: Counter[str] = sum((tally.missed for tally in tallies.values()), Counter())
    found = ", ".join(f"{rule} {count}" for (outcome, rule), count in rules.most_common() if outcome == "found")
    false = ", ".join(f"{rule} {count}" for (outcome, rule), count in rules.most_common() if outcome == "false alarm")
    remarks = [
        "found: mlvet reports an error and onnxruntime fails. false alarm: mlvet reports one, onnxruntime runs. "
        "missed: onnxruntime fails for a reason of shape or type, mlvet is silent. depends: missed, but mlvet holds a "
        "demand on symbols. not shapes: onnxruntime lacks the kernel, an index is out of range, or the file is "
        "ill-formed. refused: mlvet does not read the file. wrong shapes: a result that mlvet's type excludes.",
        f"Found by rule: {found}.",
        f"False alarms by rule: {false or 'none'}.",
        f"Missed by reason: {', '.join(f'{reason} {count}' for reason, count in missed.most_common(12)) or 'none'}.",
    ]
    columns = ("models", "number", "mutants", *names, "wrong shapes")
    return Table("mutants", "Models changed at one place", "make bench", columns, rows, remarks)


def records(
    folder: Path, share: float, keep: Path | None, only: str = "", kind: str = "", seed: int = 0
) -> Iterator[dict[str, Any]]:
    """One record per model and per mutant."""
    from bases import feeds, node_tests, real_models, stored_models
    from execution import Runtime
    from mutations import mutate
    from onnx import ModelProto

    runtime = Runtime()
    for base in (*node_tests(), *stored_models(), *real_models(folder)):
        if only not in base.name or kind not in base.kind:
            continue
        rng = random.Random(crc32(base.name.encode(), seed))
        plain, sizes = _runnable(base, runtime)
        if plain is None:
            continue
        count = COUNTS[base.kind] * share / (5 if base.model.ByteSize() > LARGE else 1)
        for index in range(int(count) + 1):
            model = ModelProto()
            model.CopyFrom(plain)
            if base.kind != "real models" or rng.random() < 0.5:
                _concrete(model, sizes)
            if forgotten := index == 0 or rng.random() < 0.8:
                _forget(model)
            change = ""
            for _ in range(8 if index else 0):
                if change := mutate(model, rng):
                    break
            if index and not change:
                continue
            data = model.SerializeToString()
            ran = runtime.run(data, feeds(model, base.operands, sizes, sizes["?"]))
            verdict = _verdict(data)
            record = _record(base, change, verdict, ran, sizes if forgotten else None)
            if keep is not None and (
                record["outcome"] in ("false alarm", "missed", "refused, runs") or record["wrong"] or record["failures"]
            ):
                name = f"{base.name}.{index}".replace("/", "_")
                (keep / f"{name}.onnx").write_bytes(data)
                (keep / f"{name}.json").write_text(json.dumps(record, indent=1, default=str))
            yield record
    runtime.close()


def _runnable(base: Any, runtime: Any) -> tuple[Any, dict[str, int]]:
    """The model, if onnxruntime runs it, and sizes for its symbolic dims with which it does."""
    from bases import elements, feeds

    tried = set()
    for default in (1, 2, 8, 64, 512, 4096, 32000):
        sizes = _sizes(base.model, default)
        count = elements(base.model, sizes, default)
        if count in tried or count > MOST:
            break
        tried.add(count)
        ran = runtime.run(base.model.SerializeToString(), feeds(base.model, base.operands, sizes, default))
        if not ran.stage:
            return base.model, {**sizes, "?": default}
    return None, {}


def _sizes(model: Any, default: int) -> dict[str, int]:
    names = [d.dim_param for i in model.graph.input for d in i.type.tensor_type.shape.dim if d.dim_param]
    return {name: 2 if "batch" in name.lower() or name == "N" else default for name in names}


def _concrete(model: Any, sizes: dict[str, int]) -> None:
    """Write the sizes in place of the symbols of the inputs."""
    for info in model.graph.input:
        for dim in info.type.tensor_type.shape.dim:
            if not dim.HasField("dim_value"):
                dim.dim_value = sizes.get(dim.dim_param, sizes["?"])


def _forget(model: Any) -> None:
    """Take away what the file says of results, which a change makes wrong."""
    from mutations import graphs

    for graph in graphs(model.graph):
        del graph.value_info[:]
        for info in graph.output:
            info.ClearField("type")


def _verdict(data: bytes) -> Verdict:
    from mlvet.analyses.catalogue import catalogue
    from mlvet.analyses.shapes.inference import infer
    from mlvet.analyses.shapes.judgement import findings
    from mlvet.core.errors import UnsupportedInput
    from mlvet.core.grade import Severity
    from mlvet.frontends.onnx import from_onnx

    try:
        graph = from_onnx(data)
    except UnsupportedInput as error:
        return Verdict(refused=str(error))
    inference = infer(graph)
    found = list(findings(graph, inference, catalogue()))
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    return Verdict(
        errors=tuple(finding.rule for finding in errors),
        messages=tuple(f"{finding.certainty.name} {finding.message}" for finding in found),
        warned=len(errors) < len(found),
        undecided=bool(inference.undecided),
        failures=tuple(inference.failures),
        outputs=tuple(inference.type_of(value) for value in graph.outputs),
    )


def _record(base: Any, change: str, verdict: Verdict, ran: Any, sizes: dict[str, int] | None) -> dict[str, Any]:
    reason = _reason(ran) if ran.stage else ""
    wrong = [] if ran.stage or verdict.refused or sizes is None else _wrong(verdict.outputs, ran.types, sizes)
    return {
        "base": base.name, "kind": base.kind, "change": change, "outcome": _outcome(verdict, ran, reason),
        "errors": verdict.errors, "messages": verdict.messages, "warned": verdict.warned, "refused": verdict.refused,
        "failures": verdict.failures, "wrong": wrong, "reason": reason, "stage": ran.stage, "message": ran.message,
    }  # fmt: skip


def _outcome(verdict: Verdict, ran: Any, reason: str) -> str:
    if verdict.refused:
        return "refused" if ran.stage else "refused, runs"
    if not ran.stage:
        return "false alarm" if verdict.errors else "quiet"
    if verdict.errors or (verdict.warned and ran.stage == "load"):
        return "found"
    if reason.startswith("("):
        return "not shapes"
    return "depends" if verdict.undecided else "missed"


def _reason(ran: Any) -> str:
    """A short class of onnxruntime's message; in parentheses if it is not about shapes or types."""
    for name, pattern in NOT_SHAPES:
        if re.search(pattern, ran.message):
            return f"({name})"
    if ran.stage in ("crash", "time"):
        return f"({ran.stage})"
    operator = re.search(
        r"running (\w+) node|[Oo]p[_ ]?[Tt]ype[: ]*\(?(\w+)|\((\w+)\) Op|node:? ?\(?\w*\)? ?\[?(\w+)", ran.message
    )
    name = next((group for group in operator.groups() if group), "?") if operator else "?"
    kind = "type" if re.search(r"[Tt]ype Error|Type parameter|type '?tensor|element type", ran.message) else "shape"
    return f"{kind} at {ran.stage}, {name}"


def _wrong(
    inferred: Sequence[Any], produced: Sequence[tuple[str, str, tuple[int, ...]]], sizes: dict[str, int]
) -> list[str]:
    from mlvet.domains.dims import equal, substitute
    from mlvet.domains.tensors import Unranked

    found = []
    for ours, (name, kind, shape) in zip(inferred, produced, strict=False):
        names = {"float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16", "string": "text"}
        element = kind.removeprefix("tensor(").removesuffix(")")
        element = names.get(element, element.replace("uint", "u").replace("int", "i"))
        if ours.dtype is not None and kind.startswith("tensor(") and str(ours.dtype) not in (element, "str", "string"):
            found.append(f"{name}: {ours} is {kind}")
        if isinstance(ours.shape, Unranked):
            continue
        dims = [substitute(dim, sizes) for dim in ours.shape]
        if len(dims) != len(shape) or any(equal(a, b) is False for a, b in zip(dims, shape, strict=True)):
            found.append(f"{name}: {ours} is {list(shape)}")
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=MODELS)
    parser.add_argument("--share", type=float, default=1.0, help="times the usual number of mutants")
    parser.add_argument("--keep", type=Path, help="folder for the mutants on which the two disagree")
    parser.add_argument("--only", default="", help="only models whose name contains this")
    parser.add_argument("--kind", default="", help="only models of kinds whose name contains this")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(main(options.folder, options.share, options.keep, options.only, options.kind, options.seed).markdown())
