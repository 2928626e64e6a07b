"""The one part of mlvet that is compiled; without a compiler the same classes in Python serve."""

from setuptools import Extension, setup

NATIVE = Extension("mlvet.runtime.provenance.native", ["src/mlvet/runtime/provenance/native.c"], optional=True)

setup(ext_modules=[NATIVE])
