"""What shows that an operator is unsafe: the slice with its intervals, the ranges, a witness, what it hangs on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mlvet.core.evidence import Evidence
from mlvet.report.html_drawing import draw
from mlvet.report.html_slice import Picture, as_text, picture
from mlvet.report.html_text import prose, text
from mlvet.report.interval_text import exact, interval, number
from mlvet.report.summary import counted

KIND = "numerics"
_NAMED = 3
_ELEMENTS = 8


def shown(evidence: Evidence, told: str) -> Iterator[str]:
    """The evidence as one block: a drawing beside the facts and what else is told."""
    data = evidence.data
    facts = [*_ranges(data.get("ranges") or ()), *_witness(data.get("witness")), *_hangs_on(data.get("hangs_on"))]
    figure = list(_figure(data))
    yield '<div class="numerics">'
    yield from figure
    yield '<div class="facts">'
    yield from facts
    yield f"{told}</div></div>"


def _figure(data: Mapping[str, Any]) -> Iterator[str]:
    entries: Sequence[Mapping[str, Any]] = data.get("slice") or ()
    guilty = data.get("operand_value")
    found = picture(entries, int(data.get("leading") or 0), guilty)
    if found is None:
        return
    last = found.boxes[-1]
    outcome = f"{'gradient ' if data.get('backward') else ''}{data.get('outcome') or '?'}"
    yield '<figure><div class="scroll" tabindex="0">'
    yield from draw(found, guilty, outcome, f"What leads to {last.title} {last.name}; the list below has it as text")
    yield f"</div><figcaption>{text(_caption(found))}</figcaption>"
    yield f"<details><summary>As text</summary><ul>{''.join(as_text(entries))}</ul></details></figure>"


def _caption(found: Picture) -> str:
    if found.drawn == found.leading:
        return "What leads to the operator, with what each value can be"
    return f"The nearest {found.drawn} of {counted(found.leading, 'operator')} that lead here; … stands for the others"


def _ranges(ranges: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if ranges:
        yield "<table><caption>Ranges</caption><thead><tr><th>value</th><th>range</th><th>why</th></tr></thead><tbody>"
        for each in ranges:
            ends = (each.get("low"), each.get("high"), False)
            yield f"<tr><td><code>{text(str(each.get('name')))}</code></td>"
            yield f'<td class="number" title="{text(exact(ends))}">{text(interval(ends))}</td>'
            yield f"<td>{prose(_why(each))}</td></tr>"
        yield "</tbody></table>"


def _why(given: Mapping[str, Any]) -> str:
    origin, why = str(given.get("origin") or ""), str(given.get("why") or "")
    return why if origin in ("given", "data", "stored") else f"assumed: {why or origin}"


def _witness(witness: Mapping[str, Any] | None) -> Iterator[str]:
    """What was run and what came of it."""
    if not witness:
        return
    yield "<table><caption>Seen in a run with</caption><tbody>"
    for name, array in witness.get("inputs", {}).items():
        yield f"<tr><td><code>{text(str(name))}</code></td>"
        yield f'<td class="number">{text(_elements(array))}</td><td class="quiet">{text(_kind(array))}</td></tr>'
    yield "</tbody></table>"
    operand = witness.get("operand")
    cause = f", from an operand of {number(operand, 6)}" if operand is not None else ""
    value = str(witness.get("value") or "").partition("#")[0]
    yield f"<p>Gave <b>{text(str(witness.get('outcome')))}</b> in <code>{text(value)}</code>{text(cause)}"
    yield f' <span class="quiet">({text(str(witness.get("executed_with")))})</span></p>'
    if witness.get("script"):
        yield f'<pre class="command">python {text(str(witness["script"]))}</pre>'


def _elements(array: Mapping[str, Any]) -> str:
    if "elements" in array:
        flat = list(_flat(array["elements"]))
        if len(flat) > 1 and all(each == flat[0] for each in flat):
            return f"all {_element(flat[0])}"
        listed = ", ".join(map(_element, flat[:_ELEMENTS]))
        rest = ", …" if len(flat) > _ELEMENTS else ""
        return listed if len(flat) == 1 else f"[{listed}{rest}]"
    low, high = array.get("low"), array.get("high")
    if low is None or high is None:
        return ""
    return f"all {number(low, 6)}" if low == high else f"{number(low, 6)} to {number(high, 6)}"


def _element(value: Any) -> str:
    return number(value, 6) if isinstance(value, float) else str(value)


def _kind(array: Mapping[str, Any]) -> str:
    return f"{array.get('dtype')}[{', '.join(map(str, array.get('shape', ())))}]"


def _flat(elements: Any) -> Iterator[Any]:
    if isinstance(elements, list):
        for each in elements:
            yield from _flat(each)
    else:
        yield elements


def _hangs_on(found: Mapping[str, Any] | None) -> Iterator[str]:
    if not found:
        return
    if found.get("magnitude") is None:
        size = number(float(found.get("stays_within") or 1.0))
        yield f"<p>It does not hang on the assumed ranges: it stays with all of them within [-{size}, {size}].</p>"
        return
    names = [f"<code>|{text(str(name))}|</code>" for name in found.get("values", ())]
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    yield f"<p>It hangs on assumed ranges: it vanishes while {', '.join(names[:_NAMED])}{rest} ≤ "
    yield f"{text(number(float(found['magnitude'])))}.</p>"
