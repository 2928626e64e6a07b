"""Run one trial in this process: `python -m benchmarks.efficiency.trials._one MODULE FOLDER SAVED`.

The last line printed is a JSON object with the seconds of the timed part by the clock and by the processor, and the
memory in MB that it took at its peak beyond what was there before.
"""

from __future__ import annotations

import json
import os
import re
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
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = _peak()
    began, worked = time.perf_counter(), time.process_time()
    results = trial.run(Path(folder), prepared)
    seconds, processor = time.perf_counter() - began, time.process_time() - worked
    memory = _peak() - before
    np.savez(saved, *[np.asarray(each.detach().cpu() if hasattr(each, "detach") else each) for each in results])
    print("\n" + json.dumps({"seconds": seconds, "processor": processor, "memory": memory}))


def _peak() -> float:
    """The most resident memory of this process since its peak was last forgotten, in MB."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    main()
