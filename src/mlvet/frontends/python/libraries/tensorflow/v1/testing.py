"""tensorflow.test: tests of programs, with sessions of their own."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.libraries.registry import alias, load, model
from mlvet.frontends.python.libraries.stdlib.unit_tests import TestCase as PythonTest
from mlvet.frontends.python.libraries.tensorflow.structures import mapped
from mlvet.frontends.python.libraries.tensorflow.tensor import numpy_array
from mlvet.frontends.python.libraries.tensorflow.v1.sessions import Session
from mlvet.frontends.python.values.tensors import TensorValue

load("unittest")


@model("tensorflow.test.TestCase")
class TestCase(PythonTest):
    """A test; its sessions run the graph, `evaluate` gives arrays."""

    __slots__ = ()

    def session(self, graph: Any = None, config: Any = None, use_gpu: Any = True, force_gpu: Any = False) -> Any:
        del config, use_gpu, force_gpu
        return Session(graph=graph)

    cached_session = test_session = session

    def evaluate(self, tensors: Any) -> Any:
        return mapped(lambda each: numpy_array(each) if isinstance(each, TensorValue) else each, tensors)


@model("tensorflow.test.main")
def main(argv: Any = None) -> None:
    """The tests of the file are run, which are looked at one by one anyway."""


alias("tensorflow.test.mock", "unittest.mock")
