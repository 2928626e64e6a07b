"""Prove by running that the seeded bugs are real and that the clean programs are clean.

    python verify_seeds.py            every seed raises what seeded.json says, on the line it says
    python verify_seeds.py --fixed    every seed, once its "fix" is applied, runs to the end: it has one bug
    python verify_seeds.py --clean    every program of clean.json exits with 0

Options: --python PY   the interpreter that runs the programs (default: the one running this script); it needs
                       torch, tensorflow, keras, jax, flax, optax, scikit-learn, pandas and matplotlib
         --only TEXT   only the entries whose file contains TEXT
         --jobs N      programs run at once (default 2)

Fields of seeded.json that matter here:
    file    path below seeded/ of the file that holds the bug; a file in a subfolder belongs to the project
            made of that first-level subfolder
    line    the last line of the program's own code in the traceback (for a SyntaxError, the line it names)
    raises  the exact exception type
    run     argv relative to the project: ["train.py", "--eval"] or ["-m", "pkg.train"]; default: the file
    fix     [old, new]: `old` occurs once in the file; replacing it by `new` gives a correct program
Fields for the readers of the benchmark, which this script does not judge:
    kind    missing-module (the module is not there), missing-attribute (of a module, class or object; also a
            name that `from m import name` does not find), argument-mismatch, undefined-variable, missing-key,
            unpacking, division-by-zero, format-string, not-callable, not-iterable, operand-type, syntax-error
    needs   third-party packages that must be installed to decide the bug; [] when the program's own files
            and the standard library are enough
    across_call  true when the bug hangs on the type of an unannotated parameter, known only from the call
    what    the bug in one sentence
Fields of clean.json: file; exercises, the constructs it is there for; run, as above, or null with a reason
when the program is not to be run (it imports packages that are absent on purpose).

A program runs on a temporary copy of its project, with that copy as its working directory, so whatever it
writes vanishes with it.  Nothing is downloaded.  Exit status: 0 when every entry is as described, else 1.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MARK = "@@verify_seeds@@"
TIMEOUT = 180

CHILD = r"""
import json, os, runpy, sys, traceback
root, argv = os.path.realpath(sys.argv[1]), json.loads(sys.argv[2])
report = {"raises": None}
try:
    if argv[0] == "-m":
        sys.path[0] = root
        sys.argv = argv[1:]
        runpy.run_module(argv[1], run_name="__main__", alter_sys=True)
    else:
        script = os.path.join(root, argv[0])
        sys.path[0] = os.path.dirname(script)
        sys.argv = [script, *argv[1:]]
        runpy.run_path(script, run_name="__main__")
except SystemExit as stop:
    if stop.code not in (None, 0):
        report = {"raises": "SystemExit", "file": "", "line": 0, "message": str(stop.code)}
except BaseException as error:
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if os.path.realpath(f.filename).startswith(root)]
    place = (own[-1].filename, own[-1].lineno) if own else ("", 0)
    if isinstance(error, SyntaxError):
        place = (error.filename, error.lineno)
    report = {
        "raises": type(error).__name__,
        "file": os.path.relpath(os.path.realpath(place[0]), root) if place[0] else "",
        "line": place[1],
        "message": str(error)[:300],
    }
sys.stdout.flush()
print("\n@@verify_seeds@@" + json.dumps(report), flush=True)
os._exit(0)
"""


def environment() -> dict[str, str]:
    quiet = {
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
        "JAX_PLATFORMS": "cpu",
        "JAX_TRACEBACK_FILTERING": "off",
        "KERAS_BACKEND": "tensorflow",
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }
    return {**os.environ, **quiet}


def execute(entry: dict, corpus: Path, python: str, fixed: bool) -> dict:
    """Run one entry on a copy of its project; the child's report."""
    parts = Path(entry["file"]).parts
    with tempfile.TemporaryDirectory(prefix="verify_seeds_") as folder:
        root = Path(folder) / "project"
        if len(parts) == 1:
            root.mkdir()
            shutil.copy(corpus / parts[0], root / parts[0])
        else:
            shutil.copytree(corpus / parts[0], root, ignore=shutil.ignore_patterns("__pycache__"))
        inside = parts if len(parts) == 1 else parts[1:]
        if fixed:
            target = root / Path(*inside)
            old, new = entry["fix"]
            text = target.read_text(encoding="utf-8")
            if text.count(old) != 1:
                return {"raises": "BadFix", "line": 0, "message": f"{old!r} occurs {text.count(old)} times"}
            target.write_text(text.replace(old, new), encoding="utf-8")
        argv = entry.get("run") or ["/".join(inside)]
        command = [python, "-c", CHILD, str(root), json.dumps(argv)]
        try:
            done = subprocess.run(
                command,
                cwd=root,
                env=environment(),
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"raises": "Timeout", "line": 0, "message": f"still running after {TIMEOUT} s"}
    for line in reversed(done.stdout.splitlines()):
        if line.startswith(MARK):
            report = json.loads(line[len(MARK) :])
            if len(parts) > 1 and report.get("file"):
                report["file"] = f"{parts[0]}/{report['file']}"
            return report
    return {"raises": "Died", "line": 0, "message": done.stderr[-400:]}


def judge(entry: dict, report: dict, expect_failure: bool) -> str:
    """An empty string when the run went as described, otherwise what is wrong."""
    got = f"{report['raises']} at {report.get('file')}:{report.get('line')}: {report.get('message')}"
    if not expect_failure:
        return "" if report["raises"] is None else got
    if report["raises"] is None:
        return "nothing raised"
    wanted = (entry["raises"], entry["file"], entry["line"])
    seen = (report["raises"], report.get("file"), report["line"])
    return "" if seen == wanted else f"{got}; truth says {wanted}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--clean", action="store_true")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()

    name = "clean" if args.clean else "seeded"
    corpus = HERE / name
    entries = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    chosen = [e for e in entries if args.only in e["file"]]
    skipped = [e for e in chosen if args.clean and "run" in e and e["run"] is None]
    chosen = [e for e in chosen if e not in skipped]

    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        reports = pool.map(lambda e: execute(e, corpus, args.python, args.fixed), chosen)
        for entry, report in zip(chosen, reports, strict=True):
            problem = judge(entry, report, expect_failure=not (args.clean or args.fixed))
            wrong += bool(problem)
            print("WRONG" if problem else "ok   ", entry["file"], problem, flush=True)
    for entry in skipped:
        print(f"skip  {entry['file']}  {entry['reason']}")
    print(f"{len(chosen) - wrong} of {len(chosen)} as described, {len(skipped)} not run")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
