"""Keras files read as data: structure, names and arrays agree with Keras, and nothing in them is run."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile

import h5py
import numpy as np
import pytest
from keras_models import drawn_inputs, executed, filled, keras, predicted

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.keras import from_keras, read_keras, read_weights
from mlvet.ir.graph import OPAQUE

L = keras.layers


def branched():
    """A model with a shared layer, a nested model and two outputs."""
    x = keras.Input((6, 6, 3), name="image")
    y = L.Conv2D(4, 3, name="conv1", kernel_initializer=keras.initializers.RandomNormal(0.0, 0.02))(x)
    inner = keras.Sequential(
        [L.Input((4, 4, 4)), L.BatchNormalization(name="bn"), L.Conv2D(4, 1, name="mix")], name="inner"
    )
    shared = L.Dense(4, name="shared")
    a, b = shared(inner(y)), shared(shared(y))
    total = L.Add(name="total")([a, b])
    return filled(keras.Model(x, [total, L.Flatten(name="flat")(inner(total))], name="branched"))


@pytest.fixture(params=["keras", "h5", "live"])
def branched_graph(request, tmp_path):
    model = branched()
    if request.param == "live":
        return model, from_keras(model)
    path = tmp_path / f"model.{request.param}"
    model.save(path)
    return model, read_keras(path, "shown/model")


def test_parameters_have_the_arrays_of_keras(branched_graph):
    model, graph = branched_graph
    stored = {parameter.name: parameter.data.load() for parameter in graph.parameters}
    wanted = {weight.path: keras.ops.convert_to_numpy(weight) for weight in model.weights}
    assert set(stored) == set(wanted)
    for name, array in wanted.items():
        np.testing.assert_array_equal(stored[name], array)


def test_the_graph_computes_what_keras_computes(branched_graph):
    model, graph = branched_graph
    inputs = drawn_inputs(model)
    for found, wanted in zip(executed(graph, inputs), predicted(model, inputs), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)


def test_parameters_know_their_shape_layer_beginning_and_whether_they_are_trained(branched_graph):
    _, graph = branched_graph
    kernel = next(parameter for parameter in graph.parameters if parameter.name == "conv1/kernel")
    assert str(kernel.value.declared) == "f32[3, 3, 3, 4]"
    assert kernel.module == "conv1"
    assert kernel.initialiser.name == "random_normal"
    assert dict(kernel.initialiser.figures) == {"mean": 0.0, "stddev": 0.02}
    frozen = {parameter.name for parameter in graph.parameters if not parameter.trainable}
    assert frozen == {"inner/bn/moving_mean", "inner/bn/moving_variance"}


def test_nodes_are_named_after_layers_and_say_where_they_are(branched_graph):
    _, graph = branched_graph
    nodes = {node.name: node for node in graph.nodes()}
    assert nodes["conv1"].source_op == "Conv2D"
    assert nodes["conv1"].location.node == "conv1"
    assert nodes["shared/add"].module == "shared"
    assert nodes["inner/mix"].module == "inner/mix"
    assert [str(value.declared) for value in graph.inputs] == ["f32[batch, 6, 6, 3]"]


def test_a_shared_layer_uses_the_same_parameters_each_time(branched_graph):
    _, graph = branched_graph
    used = [node.inputs[1] for node in graph.nodes() if node.module == "shared" and node.op == "matmul"]
    assert len(used) == 3
    assert len(set(used)) == 1


def test_layers_of_a_frozen_model_are_not_trained(tmp_path):
    inner = keras.Sequential([L.Input((4,)), L.Dense(3)], name="inner")
    inner.trainable = False
    x = keras.Input((4,))
    keras.Model(x, L.Dense(2, name="head")(inner(x))).save(tmp_path / "model.keras")
    graph = read_keras(tmp_path / "model.keras", "model.keras")
    assert {parameter.module.split("/")[0] for parameter in graph.parameters if parameter.trainable} == {"head"}


def test_reading_imports_no_framework(tmp_path):
    branched().save(tmp_path / "model.keras")
    code = (
        "import sys, pathlib\n"
        "from mlvet.frontends.keras import read_keras\n"
        "assert 'h5py' not in sys.modules\n"
        "read_keras(pathlib.Path(sys.argv[1]), 'm')\n"
        "print(sorted({'keras', 'torch', 'tensorflow', 'jax'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code, tmp_path / "model.keras"], capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr


@pytest.mark.parametrize("ending", ["keras", "h5"])
def test_a_lambda_is_never_executed(ending, tmp_path):
    trace = tmp_path / "trace"
    x = keras.Input((4,))
    harmful = eval(f"lambda t: (open({str(trace)!r}, 'w').close(), t)[1]")
    model = keras.Model(x, L.Dense(2)(L.Lambda(harmful, output_shape=(4,), name="evil")(x)))
    model.save(tmp_path / f"model.{ending}")
    model(np.zeros((1, 4), np.float32))
    trace.unlink()
    graph = read_keras(tmp_path / f"model.{ending}", "model")
    node = next(node for node in graph.nodes() if node.name == "evil")
    assert (node.op, node.source_op) == (OPAQUE, "Lambda")
    assert not trace.exists()


def test_a_custom_layer_is_opaque_and_keeps_its_arrays_and_declared_shape(tmp_path):
    @keras.saving.register_keras_serializable("mine")
    class Scaled(L.Layer):
        def build(self, shape):
            self.factor = self.add_weight(shape=(shape[-1],), name="factor")

        def call(self, x):
            return x * self.factor

    x = keras.Input((4,))
    keras.Model(x, L.Dense(2)(Scaled(name="scaled")(x))).save(tmp_path / "model.keras")
    graph = read_keras(tmp_path / "model.keras", "model.keras")
    node = next(node for node in graph.nodes() if node.name == "scaled")
    assert (node.op, node.source_op) == (OPAQUE, "mine>Scaled")
    assert str(node.outputs[0].declared) == "f32[scaled.0, 4]"
    assert [parameter.data.shape for parameter in graph.parameters if parameter.module == "scaled"] == [(4,)]


def test_a_quantised_layer_is_opaque():
    x = keras.Input((4,))
    model = keras.Model(x, L.Dense(2, name="small")(x))
    model.quantize("int8")
    assert [(node.op, node.source_op) for node in from_keras(model).nodes()] == [(OPAQUE, "Dense")]


def test_inputs_in_a_dictionary_are_matched_by_key(tmp_path):
    inner_inputs = {"b": keras.Input((3,), name="b"), "a": keras.Input((2,), name="a")}
    inner = keras.Model(inner_inputs, L.Concatenate()([L.Dense(2)(inner_inputs["b"]), inner_inputs["a"]]), name="inner")
    left, right = keras.Input((2,)), keras.Input((3,))
    model = filled(keras.Model([left, right], inner({"a": left, "b": right})))
    model.save(tmp_path / "model.keras")
    inputs = drawn_inputs(model)
    found = executed(read_keras(tmp_path / "model.keras", "m"), inputs)
    np.testing.assert_allclose(found[0], predicted(model, inputs)[0], rtol=1e-4, atol=1e-5)


def test_a_subclassed_model_is_refused_in_one_line():
    class Mine(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = L.Dense(2)

        def call(self, x):
            return self.dense(x)

    model = Mine()
    model(np.zeros((1, 3), np.float32))
    with pytest.raises(UnsupportedInput, match=r"^`(custom>)?Mine`.*Python code"):
        from_keras(model)


def test_weights_alone_are_refused_as_a_model_but_can_be_listed(tmp_path):
    model = branched()
    model.save_weights(tmp_path / "only.weights.h5")
    with pytest.raises(UnsupportedInput, match="weights only"):
        read_keras(tmp_path / "only.weights.h5", "only")
    listed = read_weights(tmp_path / "only.weights.h5")
    wanted = keras.ops.convert_to_numpy(model.get_layer("conv1").kernel)
    assert any(data.shape == wanted.shape and np.array_equal(data.load(), wanted) for data in listed.values())


def test_arrays_in_a_compressed_archive_are_found_too(tmp_path):
    model = branched()
    model.save(tmp_path / "plain.keras")
    with (
        zipfile.ZipFile(tmp_path / "plain.keras") as plain,
        zipfile.ZipFile(tmp_path / "packed.keras", "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for name in plain.namelist():
            packed.writestr(name, plain.read(name))
    graphs = [read_keras(tmp_path / f"{name}.keras", name) for name in ("plain", "packed")]
    for left, right in zip(graphs[0].parameters, graphs[1].parameters, strict=True):
        np.testing.assert_array_equal(left.data.load(), right.data.load())
    assert len(read_weights(tmp_path / "packed.keras")) == len(model.weights)


def test_arrays_are_found_where_groups_do_not_name_their_layers(tmp_path):
    x = keras.Input((4,))
    inner = keras.Sequential([L.Input((3,)), L.Dense(3, name="within")], name="inner")
    model = keras.Model(x, L.Dense(2, name="last")(inner(L.Dense(3, name="other")(L.Dense(3, name="first")(x)))))
    filled(model).save(tmp_path / "new.keras")
    with zipfile.ZipFile(tmp_path / "new.keras") as new, zipfile.ZipFile(tmp_path / "old.keras", "w") as old:
        weights = io.BytesIO(new.read("model.weights.h5"))
        with h5py.File(weights, "a") as file:
            file.visititems(lambda _, item: item.attrs.pop("name", None) and None)
        old.writestr("config.json", new.read("config.json"))
        old.writestr("model.weights.h5", weights.getvalue())
    graph = read_keras(tmp_path / "old.keras", "old")
    wanted = {weight.path: keras.ops.convert_to_numpy(weight) for weight in model.weights}
    assert {parameter.name for parameter in graph.parameters} == set(wanted)
    for parameter in graph.parameters:
        np.testing.assert_array_equal(parameter.data.load(), wanted[parameter.name])


def test_an_archive_without_readable_weights_still_has_its_architecture(tmp_path):
    branched().save(tmp_path / "whole.keras")
    with (
        zipfile.ZipFile(tmp_path / "whole.keras") as whole,
        zipfile.ZipFile(tmp_path / "part.keras", "w") as part,
    ):
        part.writestr("config.json", whole.read("config.json"))
        part.writestr("model.weights.h5", b"not HDF5")
    graph = read_keras(tmp_path / "part.keras", "part")
    kernel = next(parameter for parameter in graph.parameters if parameter.name == "conv1/kernel")
    assert kernel.data is None
    assert str(kernel.value.declared) == "f32[3, 3, 3, 4]"
    assert any("model.weights.h5" in note for note in graph.notes)
