"""Findings tried out: the failing call alone, on dummy tensors of the inferred shapes, made with the real library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from mlvet.core.evidence import Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty

REPLAY = "replay"
"""The key of evidence under which the failing call waits to be tried."""
_GRAPHS = ("tensorflow.compat.v1.", "tensorflow.contrib.")
"""Functions that check more when they build a graph than when they run at once."""
_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and": "&", "or": "|", "xor": "^", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip


def confirmed(findings: Iterable[Finding]) -> list[Finding]:
    """Findings after a trial of each that has a call to be tried.

    What raises is `observed`, unless it is proved anyway. What the library accepts is at most `possible`. Where a trial
    cannot be made the evidence says why, and nothing else changes.
    """
    from mlvet.runtime.trial import trials

    results = list(findings)
    waiting = [index for index, finding in enumerate(results) if _request(finding) is not None]
    requests = [request for finding in results if (request := _request(finding)) is not None]
    for index, answer in zip(waiting, trials(requests), strict=True):
        results[index] = _judged(results[index], answer)
    return results


def _request(finding: Finding) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = finding.evidence.data.get(REPLAY) if finding.evidence is not None else None
    return found


def _judged(finding: Finding, answer: Mapping[str, Any]) -> Finding:
    call = written(_request(finding) or {})
    match answer["outcome"]:
        case "raises":
            said = f"{answer['exception']}: {answer['words']}"
            sure = Certainty.PROVED if finding.certainty is Certainty.PROVED else Certainty.OBSERVED
            known = {"confirmed": True, "call": call, **_without(answer)}
            return _with(replace(finding, certainty=sure), known, f"{answer['library']} was run on `{call}`: {said}")
        case "accepts" if any(name.startswith(_GRAPHS) for name in (_request(finding) or {}).get("names", ())):
            return _with(finding, {"confirmed": False, "call": call, "reason": "its graph is not built in the trial"})
        case "accepts":
            known = {"confirmed": False, "call": call, "reason": "the library accepts the call", **_without(answer)}
            note = f"{answer['library']} was run on `{call}` and accepts it, so this is perhaps no defect"
            return _with(replace(finding, certainty=Certainty.POSSIBLE), known, note)
        case _:
            return _with(finding, {"confirmed": False, "call": call, "reason": answer["reason"]})


def _without(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "outcome"}


def _with(finding: Finding, known: Mapping[str, Any], note: str = "") -> Finding:
    """A finding whose evidence has the outcome of the trial in place of the call."""
    assert finding.evidence is not None
    data = {name: value for name, value in finding.evidence.data.items() if name != REPLAY} | dict(known)
    notes = (Related(note),) if note else ()
    return replace(finding, evidence=Evidence(finding.evidence.kind, data), related=(*finding.related, *notes))


def written(request: Mapping[str, Any]) -> str:
    """A call as a line of code, with the type and sizes of tensors in their place."""
    args = [_written(each) for each in request["args"]]
    named = [f"{name}={_written(each)}" for name, each in request["keywords"].items()]
    if request["names"]:
        return f"{request['names'][0]}({', '.join([*args, *named])})"
    receiver, *rest = args
    method = request["method"]
    if method in ("__call__", "call", "forward"):
        return f"{receiver}({', '.join([*rest, *named])})"
    if method == "__getitem__":
        return f"{receiver}[{rest[0]}]"
    if (sign := _SIGNS.get(method.strip("_"))) is not None:
        return f"{receiver} {sign} {rest[0]}"
    if (sign := _SIGNS.get(method.strip("_")[1:])) is not None:
        return f"{rest[0]} {sign} {receiver}" if method.startswith("__r") else f"{receiver} {sign}= {rest[0]}"
    return f"{receiver}.{method}({', '.join([*rest, *named])})"


def _written(value: Any) -> str:
    match value:
        case {"tensor": _, "dims": dims, "dtype": dtype}:
            return f"{dtype}{dims}"
        case {"dtype": name}:
            return str(name)
        case {"name": [name, *_]}:
            return str(name)
        case {"object": made}:
            return written(made)
        case {"list": items}:
            return f"[{', '.join(map(_written, items))}]"
        case {"tuple": items}:
            return f"({', '.join(map(_written, items))}{',' if len(items) == 1 else ''})"
        case {"dict": items}:
            return f"{{{', '.join(f'{_written(key)}: {_written(item)}' for key, item in items)}}}"
        case {"slice": parts}:
            return f"slice({', '.join(map(_written, parts))})"
        case {"ellipsis": _}:
            return "..."
    return repr(value)
