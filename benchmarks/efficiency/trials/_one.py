"""Run one trial in this process: `python -m benchmarks.efficiency.trials._one MODULE FOLDER SAVED`.

The last line printed is a JSON object with the seconds of the timed part and the greatest resident memory in MB.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from importlib import import_module
from pathlib import Path

import numpy as np


def main() -> None:
    module, folder, saved = sys.argv[1:]
    trial = import_module(module)
    os.chdir(folder)
    prepared = trial.prepare(Path(folder))
    began = time.perf_counter()
    results = trial.run(Path(folder), prepared)
    seconds = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    np.savez(saved, *[np.asarray(each.detach().cpu() if hasattr(each, "detach") else each) for each in results])
    print("\n" + json.dumps({"seconds": seconds, "memory": memory}))


if __name__ == "__main__":
    main()
