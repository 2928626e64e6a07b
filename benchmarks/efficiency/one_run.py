"""Run one program in this process and print how long its main part took, without the imports of the frameworks.

The frameworks that the program imports are imported before the clock starts. The last line printed is a JSON object
with the seconds of the clock, the seconds of processor time and the greatest resident memory in MB.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import resource
import runpy
import sys
import time
from pathlib import Path

FRAMEWORKS = {"jax", "keras", "numpy", "optax", "tensorflow", "torch"}


def frameworks_of(program: Path) -> set[str]:
    """The frameworks named in the program's import statements."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(program.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names & FRAMEWORKS


def main() -> None:
    program = Path(sys.argv[1])
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    for name in sorted(frameworks_of(program)):
        importlib.import_module(name)
    if "tensorflow" in frameworks_of(program):
        importlib.import_module("tensorflow.compat.v1")
        importlib.import_module("keras")
    sys.argv = [str(program), *sys.argv[2:]]
    began, used = time.perf_counter(), time.process_time()
    runpy.run_path(str(program), run_name="__main__")
    seconds, processor = time.perf_counter() - began, time.process_time() - used
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "processor": processor, "memory": memory}))


if __name__ == "__main__":
    main()
