"""Makes one layer of a backend wrong in the interpreter that finds this file on its path.

MLVET_FAULT names a JSON file that says which layer and how; it is read whenever a model is opened.
"""

import importlib.abc
import importlib.util
import os
import sys


def _keras(module):
    import keras_faults

    keras_faults.install(module)


def _graphs(module):
    import graph_faults

    graph_faults.install(module)


_AFTER = {"keras": _keras, "onnxruntime": _graphs, "openvino": _graphs, "onnx.reference": _graphs}


class _Watch(importlib.abc.MetaPathFinder):
    """Runs something when a module has been imported."""

    def find_spec(self, name, path, target=None):
        if name not in _AFTER:
            return None
        after = _AFTER.pop(name)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def executed(module):
                execute(module)
                after(module)

            spec.loader.exec_module = executed
        return spec


if os.environ.get("MLVET_FAULT"):
    sys.meta_path.insert(0, _Watch())
