"""Ways to change a Keras model [LEMON 3.1]: its layers, their order and configuration, and their weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.mutation.domains import ACTIVATIONS, alternatives
from mlvet.analyses.compare.mutation.weights import WEIGHT_CHANGES
from mlvet.analyses.compare.reproduction.keras_case import ENDINGS, NO_MATTER
from mlvet.analyses.compare.search.architecture import Architecture, Call

Array = NDArray[Any]
Random = np.random.Generator


@dataclass(frozen=True, slots=True)
class Done:
    """A changed architecture, what was done, and which layers new ones come from."""

    architecture: Architecture
    step: str
    parents: Mapping[str, str] = field(default_factory=dict)


Operator = Callable[[Architecture, Random], Done | None]


def remove_layer(model: Architecture, random: Random) -> Done | None:
    call = _chosen([each for each in model.calls if each.simple and len(model.calls) > 1], random)
    if call is None:
        return None
    rewired = _rewired(replace(model, calls=tuple(c for c in model.calls if c is not call)), call.name, call.inputs[0])
    return Done(rewired, f"`{call.name}` removed")


def copy_layer(model: Architecture, random: Random) -> Done | None:
    """A layer once more, behind itself or behind another one."""
    call = _chosen([each for each in model.calls if each.simple], random)
    behind = _chosen([each for each in model.calls if len(each.outputs) == 1], random)
    if call is None or behind is None:
        return None
    if random.random() < 0.5 and len(call.outputs) == 1:
        behind = call
    name = _fresh(model, call.name)
    new = call.named(name).fed({call.inputs[0]: behind.name})
    place = model.calls.index(behind) + 1
    after = tuple(c.fed({behind.name: name}) for c in model.calls[place:])
    outputs = tuple(name if value == behind.name else value for value in model.outputs)
    weights = {**model.weights, **_copied(model, call, name)}
    calls = (*model.calls[:place], new, *after)
    step = f"`{call.name}` copied behind `{behind.name}` as `{name}`"
    return Done(replace(model, calls=calls, outputs=outputs, weights=weights), step, {name: call.name})


def swap_layers(model: Architecture, random: Random) -> Done | None:
    simple = [each for each in model.calls if each.simple]
    first = _chosen(simple, random)
    second = _chosen([each for each in simple if first is not None and each.kind != first.kind], random)
    if first is None or second is None:
        return None
    exchange = {first.name: second, second.name: first}
    calls = tuple(
        replace(exchange[c.name], inputs=c.inputs, args=c.args, name=c.name, outputs=c.outputs)
        if c.name in exchange
        else c
        for c in model.calls
    )
    parents = {first.name: second.name, second.name: first.name}
    return Done(replace(model, calls=calls), f"`{first.name}` and `{second.name}` swapped", parents)


def change_activation(model: Architecture, random: Random) -> Done | None:
    call = _chosen([each for each in model.calls if isinstance(each.config.get("activation"), str)], random)
    if call is None:
        return None
    activation = str(random.choice([each for each in ACTIVATIONS if each != call.config["activation"]]))
    config = {**call.config, "activation": activation}
    return Done(_exchanged(model, call, call.configured(config)), f"`{call.name}` with activation={activation!r}")


def change_configuration(model: Architecture, random: Random) -> Done | None:
    choices = [
        (call, key)
        for call in model.calls
        for key, value in call.config.items()
        if key not in NO_MATTER and not key.endswith(ENDINGS) and alternatives(key, value, call.defaults.get(key))
    ]
    if not choices:
        return None
    call, key = choices[int(random.integers(len(choices)))]
    values = alternatives(key, call.config[key], call.defaults.get(key))
    value = values[int(random.integers(len(values)))]
    new = call.configured({**call.config, key: value})
    return Done(_exchanged(model, call, new), f"`{call.name}` with {key}={value!r}")


def _change_weights(kind: str) -> Operator:
    def change(model: Architecture, random: Random) -> Done | None:
        keys = [key for key, array in model.weights.items() if array.dtype.kind == "f" and array.size > 1]
        key = _chosen(keys, random)
        if key is None:
            return None
        weights = {**model.weights, key: WEIGHT_CHANGES[kind](model.weights[key], random)}
        return Done(
            replace(model, weights=weights), f"weights {key.partition(':')[2]} of `{key.partition(':')[0]}`: {kind}"
        )

    return change


OPERATORS: Mapping[str, Operator] = {
    "layer removal": remove_layer,
    "layer copy": copy_layer,
    "layer swap": swap_layers,
    "activation change": change_activation,
    "configuration change": change_configuration,
    **{f"weights: {kind}": _change_weights(kind) for kind in WEIGHT_CHANGES},
}


def _chosen(choices: list[Any], random: Random) -> Any:
    return choices[int(random.integers(len(choices)))] if choices else None


def _rewired(model: Architecture, value: str, to: str) -> Architecture:
    return replace(
        model, calls=tuple(call.fed({value: to}) for call in model.calls),
        outputs=tuple(to if each == value else each for each in model.outputs),
    )  # fmt: skip


def _exchanged(model: Architecture, old: Call, new: Call) -> Architecture:
    """All calls of the layer changed alike."""
    return replace(
        model, calls=tuple(replace(c, layer=new.layer) if c.same == old.same else c for c in model.calls)
    )  # fmt: skip


def _copied(model: Architecture, call: Call, name: str) -> dict[str, Array]:
    own = {key: array for key, array in model.weights.items() if key.rpartition(":")[0] == call.same}
    return {f"{name}:{key.rpartition(':')[2]}": array for key, array in own.items()}


def _fresh(model: Architecture, name: str) -> str:
    known, number = {call.name for call in model.calls}, 2
    while f"{name}_{number}" in known:
        number += 1
    return f"{name}_{number}"
