"""Failing calls are made again with the real libraries: what raises is observed, what is accepted is doubted."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from mlvet.analyses.catalogue import catalogue
from mlvet.analyses.shapes.programs.analysis import vet
from mlvet.analyses.shapes.programs.confirmation import REPLAY, confirmed
from mlvet.core.evidence import Evidence
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location
from mlvet.core.source import Source
from mlvet.frontends.python.program import interpret

PROGRAMS = {
    "torch layer": (
        """
        import torch
        from torch import nn
        nn.Linear(784, 10)(torch.zeros(32, 28))
        """,
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x28 and 784x10)",
    ),
    "torch layer of another type": (
        """
        import torch
        from torch import nn
        net = nn.Linear(784, 10).double()
        net(torch.zeros(32, 28, dtype=torch.float64))
        """,
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x28 and 784x10)",
    ),
    "torch method": (
        """
        import torch
        torch.zeros(5, 3).view(4, -1)
        """,
        "RuntimeError: shape '[4, -1]' is invalid for input of size 15",
    ),
    "torch method with sizes one by one": (
        """
        import torch
        torch.zeros(32, 48, 5).permute(0, 2, 3, 1)
        """,
        "RuntimeError: permute(sparse_coo): number of dimensions in the tensor input does not match",
    ),
    "torch loss": (
        """
        import torch
        import torch.nn.functional as F
        F.nll_loss(torch.zeros(4, 10), torch.zeros(5, dtype=torch.long))
        """,
        "ValueError: Expected input batch_size (4) to match target batch_size (5).",
    ),
    "torch index": (
        """
        import torch
        torch.zeros(3, 4)[:, 7]
        """,
        "IndexError: index 7 is out of bounds for dimension 1 with size 4",
    ),
    "the making of a torch layer": (
        """
        from torch import nn
        nn.Conv2d(10, 12, 3, groups=3)
        """,
        "ValueError: in_channels must be divisible by groups",
    ),
    "within a module of the program": (
        """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.layers = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(2 * width, 1))

            def forward(self, x):
                return self.layers(x)

        Net(16)(torch.zeros(4, 8))
        """,
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x16 and 32x1)",
    ),
    "numpy operator": (
        """
        import numpy as np
        [1.0, 2.0, 3.0] + np.ones((2, 4))
        """,
        "ValueError: operands could not be broadcast together with shapes (3,) (2,4)",
    ),
    "numpy function": (
        """
        import numpy as np
        np.concatenate([np.ones((2, 3)), np.ones((2, 4))], axis=0)
        """,
        "ValueError: all the input array dimensions except for the concatenation axis must match exactly",
    ),
    "tensorflow function": (
        """
        import tensorflow as tf
        tf.reshape(tf.zeros((4, 5)), [3, -1])
        """,
        "InvalidArgumentError: Input to reshape is a tensor with 20 values, but the requested shape requires",
    ),
    "keras layer": (
        """
        import keras
        from keras import layers
        layers.Conv2D(8, 3)(keras.Input(shape=(28, 28)))
        """,
        "ValueError: Input 0 with name 'None' of layer 'conv2d' is incompatible with the layer",
    ),
    "keras layer that was built before": (
        """
        import tensorflow as tf
        dense = tf.keras.layers.Dense(10)
        dense(tf.zeros((4, 20)))
        dense(tf.zeros((4, 30)))
        """,
        "ValueError: Input 0 with name 'None' of layer 'dense",
    ),
    "jax function": (
        """
        import jax.numpy as jnp
        jnp.matmul(jnp.ones((3, 4)), jnp.ones((5, 6)))
        """,
        "TypeError: dot_general requires contracting dimensions to have the same shape, got (4,) and (5,).",
    ),
    "flax layer": (
        """
        import jax
        import jax.numpy as jnp
        from flax import nnx
        nnx.Linear(8, 2, rngs=nnx.Rngs(0))(jnp.ones((3, 4)))
        """,
        "TypeError: dot_general requires contracting dimensions to have the same shape, got (4,) and (8,).",
    ),
}  # fmt: skip


def found_in(text: str) -> list[Finding]:
    """The findings of a program, with the calls that fail."""
    known = interpret(Source("program.py", textwrap.dedent(text)))
    return vet(known.graph, known.demanded, catalogue(), replays=True).findings


@pytest.fixture(scope="module")
def tried() -> dict[str, Finding]:
    """The one finding of each program, after all of them were tried in one go."""
    names, findings = [], []
    for name, (text, _) in PROGRAMS.items():
        found = found_in(text)
        assert len(found) == 1, name
        names.append(name)
        findings.append(found[0])
    return dict(zip(names, confirmed(findings), strict=True))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_library_says_in_its_own_words_what_is_wrong(name: str, tried: dict[str, Finding]) -> None:
    finding = tried[name]
    data = evidence(finding)
    assert data["confirmed"] is True
    assert f"{data['exception']}: {data['words']}".startswith(PROGRAMS[name][1])
    assert REPLAY not in data
    assert finding.certainty is Certainty.PROVED
    assert data["words"] in finding.related[-1].message


OPTION = """
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=30)
width = parser.parse_args().width
torch.nn.Linear(width, 2)(torch.zeros(8, 20))
"""


def test_what_rests_on_a_default_is_observed_with_it() -> None:
    (finding,) = found_in(OPTION)
    assert finding.certainty is Certainty.LIKELY
    (after,) = confirmed([finding])
    assert after.certainty is Certainty.OBSERVED
    assert evidence(after)["call"] == "torch.nn.Linear(30, 2)(float32[8, 20])"


def forged(call: dict[str, Any], certainty: Certainty = Certainty.PROVED) -> Finding:
    """A finding about a call that has nothing wrong unless we say so."""
    return Finding(
        "dims-differ", "SHP101", Severity.ERROR, certainty, "a false alarm", Location("program.py", 1, 1),
        evidence=Evidence("constraint", {REPLAY: call}),
    )  # fmt: skip


def tensor(kind: str, *dims: int, dtype: str = "float32") -> dict[str, Any]:
    return {"tensor": kind, "dims": list(dims), "dtype": dtype}


def call(name: str, *args: Any, **keywords: Any) -> dict[str, Any]:
    return {"names": [name], "method": "", "args": list(args), "keywords": keywords}


@pytest.mark.parametrize(
    "request_",
    [
        call("torch.add", tensor("torch.Tensor", 3, 1), tensor("torch.Tensor", 4)),
        call("numpy.matmul", tensor("numpy.ndarray", 3, 4), tensor("numpy.ndarray", 4, 5)),
        {"names": [], "method": "__rsub__", "args": [tensor("numpy.ndarray", 3), 1.0], "keywords": {}},
    ],
    ids=["torch", "numpy", "operator"],
)
def test_a_false_alarm_becomes_possible(request_: dict[str, Any]) -> None:
    (after,) = confirmed([forged(request_)])
    assert after.certainty is Certainty.POSSIBLE
    assert evidence(after)["confirmed"] is False
    assert evidence(after)["reason"] == "the library accepts the call"
    assert "accepts it" in after.related[-1].message


UNREPEATABLE = [
    (call("torch.no_such_function"), "the installed version has no `torch.no_such_function`"),
    (call("os.system", "true"), "os is not a library whose calls are tried"),
    (call("torch.zeros", nothing=1), "the trial could not be made: TypeError"),
    (call("torch.add", tensor("torch.Tensor", 3), tensor("elsewhere.Tensor", 3)), "elsewhere is not a library"),
    (
        {
            "names": [],
            "method": "__call__",
            "keywords": {},
            "args": [
                {"object": {"names": ["flax.linen.Dense"], "args": [4], "keywords": {}, "first": None, "state": {}}},
                tensor("jax.Array", 2, 3),
            ],
        },
        "the layer has parameters made for other inputs, perhaps",
    ),
    (call("numpy.ones", 1 << 40), "the trial could not be made: "),
]


@pytest.mark.parametrize(("request_", "reason"), UNREPEATABLE, ids=[reason for _, reason in UNREPEATABLE])
def test_what_cannot_be_tried_stays_as_it_is(request_: dict[str, Any], reason: str) -> None:
    (after,) = confirmed([forged(request_, Certainty.LIKELY)])
    assert after.certainty is Certainty.LIKELY
    assert evidence(after)["confirmed"] is False
    assert evidence(after)["reason"].startswith(reason)
    assert after.related == ()


FED = """
import tensorflow as tf
import numpy as np
tf.compat.v1.disable_eager_execution()
x = tf.compat.v1.placeholder(tf.float32, [None, 4])
y = tf.reshape(x, [3, -1])
with tf.compat.v1.Session() as session:
    session.run(y, feed_dict={x: np.zeros((4, 5))})
"""


def test_what_is_fed_is_not_tried() -> None:
    (finding,) = found_in(FED)
    data = evidence(finding)
    assert (data["confirmed"], data["reason"]) == (False, "it is not about one call alone")


def test_runs_on_fed_values_are_not_tried() -> None:
    (finding,) = found_in(FED.replace("np.zeros((4, 5))", "np.zeros((5, 4))").replace("[3, -1]", "[7, -1]"))
    data = evidence(finding)
    assert (data["confirmed"], data["reason"]) == (False, "it fails in a run of the graph, on what is fed there")


def test_a_variable_that_is_being_made_disturbs_nothing() -> None:
    text = """
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
    images = tf.placeholder(tf.float32, [None, 784])
    state = tf.Variable(tf.zeros([tf.shape(images)[0], 10]))
    """
    (finding,) = found_in(text)
    assert finding.rule == "shape-not-static"
    assert evidence(finding)["confirmed"] is False


def test_a_module_of_the_project_is_not_taken_for_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit(1)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (after,) = confirmed([forged(call("torch.zeros", 3))])
    assert evidence(after)["reason"] == "the library accepts the call"


def evidence(finding: Finding) -> dict[str, Any]:
    assert finding.evidence is not None
    return dict(finding.evidence.data)
