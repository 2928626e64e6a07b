"""Time each program beside its refactored version and print how much faster that is and how far the results differ.

    python benchmarks/efficiency/established.py [names] [--family paper|today|harmful|all] [--scales 1 10] [--repeats 3]
        [--refactored FOLDER] [--threads 1] [--json FILE]

A pair is a program and the file of the same name in the folder of refactored versions; in programs/today it is a
program and its twin `*_fine.py`; in programs/harmful it is a program and the same with bad advice followed. The two run
in turn, each in a process of its own, and the clock starts after the frameworks are imported. A ratio is the median of
the old times over the median of the new ones: `wall` by the clock, `cpu` by the processor time of the process without
its children, which other work on the machine disturbs less. `memory` is the ratio of the greatest resident memory.
`diff` is the greatest difference of the saved arrays over the greatest magnitude in the old one. With another
`--refactored` folder the same table times other refactorings, for example those that a tool has made.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
TODAY = PROGRAMS / "today"
HARMFUL = PROGRAMS / "harmful"
ADVICE = HERE / "advice"


def pairs(family: str, refactored: Path) -> dict[str, tuple[Path, Path]]:
    """The programs that have a refactored version, by name."""
    found: dict[str, tuple[Path, Path]] = {}
    if family in ("paper", "all"):
        for program in sorted(PROGRAMS.glob("*.py")):
            if (refactored / program.name).exists():
                found[program.name] = program, refactored / program.name
    if family in ("today", "all"):
        for program in sorted(TODAY.glob("*.py")):
            twin = program.with_name(program.stem + "_fine.py")
            if twin.exists():
                found[f"today/{program.name}"] = program, twin
    if family in ("harmful", "all"):
        for program in sorted(HARMFUL.glob("*.py")):
            found[f"harmful/{program.name}"] = program, ADVICE / program.name
    return found


def environment(threads: int) -> dict[str, str]:
    """The environment in which each framework uses this many threads."""
    count = str(threads)
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    tensorflow = ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")
    limits = dict.fromkeys((*names, *tensorflow), count)
    if threads == 1:
        limits["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    return {**os.environ, **limits, "TF_CPP_MIN_LOG_LEVEL": "3"}


def run_once(program: Path, arguments: list[str], threads: int, limit: float) -> tuple[dict[str, float], Any]:
    """The measured figures of one run and the array that it saved."""
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "result.npy"
        command = [sys.executable, str(HERE / "one_run.py"), str(program), "--save", str(saved), *arguments]
        done = subprocess.run(command, env=environment(threads), capture_output=True, text=True, timeout=limit)
        if done.returncode:
            raise RuntimeError(f"{program.name}: {done.stderr.strip().splitlines()[-1]}")
        return json.loads(done.stdout.strip().splitlines()[-1]), np.load(saved)


def difference(old: Any, new: Any) -> float:
    """The greatest difference over the greatest magnitude; infinite if the shapes differ."""
    if old.shape != new.shape:
        return float("inf")
    return float(np.abs(old - new).max() / max(float(np.abs(old).max()), 1e-30))


def compare(old: Path, new: Path, arguments: list[str], repeats: int, threads: int, limit: float) -> dict[str, float]:
    """The medians of both sides, their ratios, and the difference of the results."""
    figures: dict[str, list[dict[str, float]]] = {"old": [], "new": []}
    greatest = 0.0
    for _ in range(repeats):
        first, old_result = run_once(old, arguments, threads, limit)
        second, new_result = run_once(new, arguments, threads, limit)
        figures["old"].append(first)
        figures["new"].append(second)
        greatest = max(greatest, difference(old_result, new_result))
    middle = {
        (side, key): statistics.median(run[key] for run in runs)
        for side, runs in figures.items()
        for key in ("seconds", "processor", "memory")
    }
    return {
        "old": middle["old", "seconds"],
        "new": middle["new", "seconds"],
        "wall": middle["old", "seconds"] / middle["new", "seconds"],
        "cpu": middle["old", "processor"] / middle["new", "processor"],
        "memory": middle["old", "memory"] / middle["new", "memory"],
        "diff": greatest,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--family", choices=("paper", "today", "harmful", "all"), default="paper")
    parser.add_argument("--scales", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--refactored", type=Path, default=HERE / "refactored")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows: list[dict[str, Any]] = []
    print(f"{'program':<40} {'scale':>5} {'old s':>8} {'new s':>8} {'wall':>7} {'cpu':>7} {'memory':>7} {'diff':>9}")
    for name, (old, new) in pairs(args.family, args.refactored).items():
        if args.names and not any(chosen in name for chosen in args.names):
            continue
        scaled = "/" not in name
        for scale in args.scales if scaled else [1]:
            arguments = ["--scale", str(scale)] if scaled else []
            try:
                row = compare(old, new, arguments, args.repeats, args.threads, args.limit)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"{name:<40} {scale:>5} failed: {error}", flush=True)
                continue
            rows.append({"program": name, "scale": scale, "threads": args.threads, "repeats": args.repeats, **row})
            numbers = (
                f"{row['old']:8.2f} {row['new']:8.2f} {row['wall']:6.2f}x {row['cpu']:6.2f}x {row['memory']:6.2f}x"
            )
            print(f"{name:<40} {scale:>5} {numbers} {row['diff']:9.1e}", flush=True)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
