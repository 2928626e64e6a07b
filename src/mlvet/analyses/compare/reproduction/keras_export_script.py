"""A script that shows what becomes of a Keras layer behind a converter, in one process."""

from __future__ import annotations

from collections.abc import Mapping

from mlvet.analyses.compare.reproduction.keras_case import KerasCase, said
from mlvet.analyses.compare.reproduction.keras_script import short, title, written_as
from mlvet.analyses.compare.reproduction.literals import arguments_text, array_text
from mlvet.analyses.compare.reproduction.places import place_of
from mlvet.analyses.compare.reproduction.reduction import Shown
from mlvet.analyses.compare.reproduction.ways import lines_of, way_of


def export_script(case: KerasCase, shown: Shown, wrong: str, right: str, versions: Mapping[str, str]) -> str:
    """The text of the script: the model on the backend that it is converted from, and what is made of it."""
    place = place_of(shown)
    ways = {name: way for name in (right, wrong) if (way := way_of("keras", name)) is not None}
    imports = {"import os", *(each for way in ways.values() for each in way.imports)}
    wide = max(len(each) for each in (*ways, "expected"))
    lines = [
        f'"""{title(case)} comes out wrong on {wrong}; {right} is right.', "",
        *dict.fromkeys(versions[name] for name in (right, wrong) if name in versions), '"""', "",
        *sorted(each for each in imports if each.startswith("import ") and " as " not in each), "",
        f'os.environ["KERAS_BACKEND"] = "{right.partition("@")[0]}"', "",
        "import keras", "import numpy as np", *sorted(each for each in imports if " as " in each or "from" in each), "",
        *(_inline(case) if short(case) else _from_files(case)), "",
    ]  # fmt: skip
    for name, way in ways.items():
        lines += lines_of(way, case.inputs)
        lines.append(f'print("{name:<{wide}}", {place.seen(f"np.asarray(y[{place.output}])")})')
    return "\n".join([*lines, f'print("{"expected":<{wide}}", "{place.expected}")', ""])


def _inline(case: KerasCase) -> list[str]:
    call, weights = case.call, case.architecture.weights_of(case.call)
    given = [written_as(each) for each in call.args]
    given += [f"{name}={written_as(each)}" for name, each in call.kwargs.items()]
    layer = f"keras.layers.{call.kind}({arguments_text(said(call))})({', '.join(given)})"
    return [
        *(
            f'{name} = keras.Input(batch_shape={array.shape}, dtype="{array.dtype.name}", name="{name}")'
            for name, array in case.inputs.items()
        ),
        f"model = keras.Model([{', '.join(case.inputs)}], {layer})",
        *([f"model.set_weights([{', '.join(map(array_text, weights))}])"] if weights else []),
        *(f"{name} = {array_text(array)}" for name, array in case.inputs.items()),
    ]


def _from_files(case: KerasCase) -> list[str]:
    return [
        "here = os.path.dirname(os.path.abspath(__file__))",
        'model = keras.models.load_model(os.path.join(here, "model.keras"), compile=False)',
        'arrays = np.load(os.path.join(here, "input.npz"))',
        *(f'{name} = arrays["{name}"]' for name in case.inputs),
    ]
