"""One node of an ONNX graph as a case to be reduced. Values are renamed: x enters, w is stored, y leaves."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from mlvet.analyses.compare.reproduction.reduction import Shown, plainer_stored, smaller_numbers, smaller_together
from mlvet.analyses.compare.reproduction.showing import Judged
from mlvet.analyses.compare.search.laboratory import Specimen
from mlvet.core.errors import UnsupportedInput
from mlvet.runtime.backends.process import Failure

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

Array = NDArray[Any]
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class OnnxCase:
    """A model of one node, what it stores, and its inputs."""

    model: ModelProto
    inputs: Mapping[str, Array]
    weights: Mapping[str, Array]

    @property
    def config(self) -> dict[str, Any]:
        """What has to be said of the node's attributes."""
        return {each.name: _plain_attribute(each) for each in self.node.attribute}

    @property
    def node(self) -> NodeProto:
        found: NodeProto = self.model.graph.node[0]
        return found

    def given(self, inputs: Mapping[str, Array]) -> OnnxCase:
        return OnnxCase(self.model, inputs, self.weights)

    def holding(self, inputs: Mapping[str, Array], weights: Mapping[str, Array]) -> OnnxCase:
        return OnnxCase(self.model, inputs, weights)

    def simpler(self) -> Sequence[Callable[[OnnxCase], Iterator[OnnxCase]]]:
        return (_by_default, smaller_together, _smaller_attributes, plainer_stored)

    def whole(self) -> ModelProto:
        """The model with what it stores. Sizes are open, as in the parts that are judged: backends may care."""
        import onnx
        from onnx import helper, numpy_helper

        graph = helper.make_graph(
            self.model.graph.node, "model",
            [
                helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), [None] * array.ndim)
                for name, array in self.inputs.items()
            ],
            [onnx.ValueInfoProto.FromString(each.SerializeToString()) for each in self.model.graph.output],
            [numpy_helper.from_array(array, name) for name, array in self.weights.items()],
        )  # fmt: skip
        return helper.make_model(graph, opset_imports=self.model.opset_import, ir_version=self.model.ir_version)


def alone(part: ModelProto, entering: Mapping[str, Array]) -> OnnxCase:
    """The model of one node as a case."""
    import onnx
    from onnx import numpy_helper

    model = onnx.ModelProto.FromString(part.SerializeToString())
    stored = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    names = {
        **{name: f"x{index}" for index, name in enumerate(entering)},
        **{name: f"w{index}" for index, name in enumerate(stored)},
    }
    node = model.graph.node[0]
    names.update({name: f"y{index}" for index, name in enumerate(each for each in node.output if each)})
    node.input[:] = [names.get(name, name) for name in node.input]
    node.output[:] = [names.get(name, name) for name in node.output]
    node.name = "node"
    for value in model.graph.output:
        value.name = names[value.name]
    del model.graph.initializer[:], model.graph.input[:], model.graph.value_info[:]
    return OnnxCase(
        model, {names[name]: array for name, array in entering.items()}, {names[n]: a for n, a in stored.items()}
    )


def shows_by(folder: Path, judged: Judged) -> Callable[[OnnxCase], tuple[OnnxCase, Shown] | None]:
    """Whether the model of a case shows what is looked for."""
    import onnx

    def shows(case: OnnxCase) -> tuple[OnnxCase, Shown] | None:
        path = folder / f"case-{next(_numbers)}.onnx"
        onnx.save(case.whole(), str(path))
        try:
            shown = judged(Specimen(path, case.inputs))
        except (Failure, UnsupportedInput):
            return None
        finally:
            path.unlink()
        return None if shown is None else (case, shown)

    return shows


def _with_attributes(case: OnnxCase, attributes: Mapping[str, Any]) -> OnnxCase:
    import onnx
    from onnx import helper

    model = onnx.ModelProto.FromString(case.model.SerializeToString())
    node = model.graph.node[0]
    kept = [each for each in node.attribute if each.name not in attributes]
    del node.attribute[:]
    node.attribute.extend(kept)
    node.attribute.extend(helper.make_attribute(k, v) for k, v in attributes.items() if v is not None)
    return OnnxCase(model, case.inputs, case.weights)


def _by_default(case: OnnxCase) -> Iterator[OnnxCase]:
    for attribute in case.node.attribute:
        yield _with_attributes(case, {attribute.name: None})


def _smaller_attributes(case: OnnxCase) -> Iterator[OnnxCase]:
    from onnx import helper

    for attribute in case.node.attribute:
        value = helper.get_attribute_value(attribute)
        listed = list(value) if not isinstance(value, int | float | bytes) and attribute.ints else value
        for smaller in smaller_numbers(listed):
            yield _with_attributes(case, {attribute.name: smaller})
        if attribute.ints and any(listed):
            yield _with_attributes(case, {attribute.name: [0] * len(listed)})


def _plain_attribute(attribute: Any) -> Any:
    from onnx import helper

    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    with contextlib.suppress(TypeError):
        return list(value)
    return value
