"""Stand-ins for downloads, installed before a program runs without a network.

A file that a program would download is taken from the store, a folder of small random files, by the last part of its
address. The file runs under every Python that a framework needs and patches only modules that are already imported.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import urllib.request
from unittest import mock

UNNEEDED = (
    "matplotlib", "matplotlib.pyplot", "matplotlib.gridspec", "mpl_toolkits", "mpl_toolkits.mplot3d", "scipy",
    "scipy.stats", "clu",
)  # fmt: skip
"""Modules that plot or log."""


def before(module):
    """What a module needs before its import: torchvision registers operators that its compiled part may not define."""
    if module == "torchvision":
        import torch

        register = torch.library.register_fake

        def tolerant(name, *rest, **more):
            return (lambda found: found) if name.startswith("torchvision::") else register(name, *rest, **more)

        torch.library.register_fake = tolerant


def install(store, eager):
    """Serve downloads from the store; with `eager` compiled functions of TensorFlow run line by line."""

    def retrieve(url, filename=None, *_, **__):
        source = stored(store, url)
        if filename is None:
            return source, None
        shutil.copyfile(source, filename)
        return filename, None

    urllib.request.urlretrieve = retrieve
    if "requests" in sys.modules:
        sys.modules["requests"].get = lambda url, **_: Response(stored(store, url))
    for name, module in list(sys.modules.items()):
        if name.endswith("keras.src.utils.file_utils"):
            module.validate_file = lambda *_, **__: True
            module.urlretrieve = retrieve
    if "keras" in sys.modules:
        sys.modules["keras"].utils.plot_model = lambda *_, **__: None
    if "numpy" in sys.modules:
        numpy = sys.modules["numpy"]
        load = numpy.loadtxt
        numpy.loadtxt = lambda name, *rest, **more: load(
            stored(store, name) if str(name).startswith("http") else name, *rest, **more
        )
    if "torchvision" in sys.modules:
        for name in ("utils", "cifar", "mnist"):
            sys.modules["torchvision.datasets." + name].check_integrity = lambda path, *_: os.path.exists(path)
    if "datasets" in sys.modules and hasattr(sys.modules["datasets"], "load_dataset"):
        sys.modules["datasets"].load_dataset = lambda *_, **__: _parts(store)
    if "tensorflow" in sys.modules:
        _tensorflow(sys.modules["tensorflow"], store, eager)
    _unneeded()


def _unneeded():
    """Modules that only plot or log are mocked where they are missing."""
    for name in UNNEEDED:
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = mock.MagicMock()


def stored(store, address):
    """The file of the store that stands for an address."""
    source = os.path.join(store, address.rstrip("/").rsplit("/", 1)[-1])
    if not os.path.exists(source):
        raise OSError("no stand-in for " + address)
    return source


class Response:
    """The part of an answer of `requests` that the programs use: the file as a stream, or its content."""

    def __init__(self, path):
        self.raw = open(path, "rb")  # noqa: SIM115
        self.status_code = 200

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.raw.close()

    @property
    def content(self):
        return self.raw.read()


def _tensorflow(tensorflow, store, eager):
    if eager and hasattr(tensorflow.config, "run_functions_eagerly"):
        tensorflow.config.run_functions_eagerly(True)
    if tensorflow.__version__.startswith("1."):
        from tensorflow.contrib.learn.python.learn.datasets import base

        base.maybe_download = lambda filename, *_, **__: os.path.join(store, filename)


def _parts(store):
    """MNIST as a data set of named parts, from the arrays that stand for it."""
    import numpy

    with numpy.load(os.path.join(store, "keras", "datasets", "mnist.npz")) as arrays:
        return {
            part: {"image": list(arrays["x_" + part]), "label": list(arrays["y_" + part])} for part in ("train", "test")
        }
