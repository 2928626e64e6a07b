"""Runs a program of the corpus, changed or not, in a copy of its own files with stand-in data.

Each environment has one driver process (driver.py), which has imported the framework and forks for every run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

from benchmarks.shapes.bases import Program

HERE = Path(__file__).parent
MEMORY = 8 << 30
MODULES = {
    "torch": ("torch", "torchvision", "einops", "requests"),
    "keras": ("tensorflow", "keras", "keras.src.utils.file_utils"),
    "tf1": ("tensorflow", "tensorflow.compat.v1"),
    "numpy": ("numpy",),
    "jax": (
        "jax",
        "flax",
        "flax.linen",
        "flax.nnx",
        "optax",
        "datasets",
        "tensorflow",
        "tensorflow_datasets",
        "ml_collections",
    ),
}
CALM = {
    "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false --xla_backend_optimization_level=0", "MPLBACKEND": "Agg",
    "JAX_TRACEBACK_FILTERING": "off",
    "KERAS_BACKEND": "tensorflow", "PYTHONWARNINGS": "ignore", "PYTHONHASHSEED": "0",
    "HF_HUB_OFFLINE": "1", "TF_USE_LEGACY_KERAS": "0", "PYTHONDONTWRITEBYTECODE": "1",
}  # fmt: skip
NEVER = (
    "NameError", "SyntaxError", "ImportError", "MemoryError", "OSError", "SystemExit", "AttributeError", "KeyError",
    "NotImplementedError", "UnimplementedError",
)  # fmt: skip
VALUES = re.compile(
    r"Target -?\d+ is out of bounds|index out of range in self|label value of|not in \[0, |"
    r"must be between 0 and 1|all elements of (input|target)|requires ndarray or scalar|"
    r"Failed to convert object of type|KerasTensor cannot be used as input",
    re.IGNORECASE,
)
"""An element of the data is too large for a table or for the number of classes, or no tensor is there: no shape is at
fault."""
SHAPES = re.compile(
    r"shape|size|rank|dimension|\bdims?\b|\baxis\b|\baxes\b|channel|broadcast|incompatible|mismatch|matmul|matmuls|multipl|"
    r"dtype|features|elements|unpack|ndim|length|expected input|stack|concat|reshape|tuple index out of range|"
    r"[Ss]calar type|same type|permute|transpose|too many indices|out of bounds|logits|\b\d-?D\b|spatial|"
    r"units|expects|last_dim|weights? (were|was)|converted to Python scalar|length-1|inhomogeneous|cardinality|"
    r"only one element|batch",
    re.IGNORECASE,
)
LONGEST = 1500
COLOURS = re.compile(r"\x1b\[\d*m")
MACHINE = re.compile(r"/[^\s\"']*/(?:site-packages|lib/python\d\.\d+|work/project)/|/tmp/(?:[\w-]+/)*(?=\w)")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended; a failure has its exception and the lines of the program that its traceback passes."""

    outcome: str
    seconds: float
    kind: str = ""
    kinds: tuple[str, ...] = ()
    message: str = ""
    frames: tuple[tuple[str, int, str], ...] = ()
    named: tuple[tuple[str, int, str], ...] = ()
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def ran(self) -> bool:
        return self.outcome in ("ended", "stopped")

    @property
    def about_shapes(self) -> bool:
        """Whether the exception speaks of shapes, sizes, ranks or dtypes."""
        if self.outcome != "raised" or not self.frames or any(kind in NEVER for kind in self.kinds):
            return False
        return not VALUES.search(self.message) and bool(SHAPES.search(self.message))


def plain(message: str) -> str:
    """The beginning of a message without colours, tracebacks and the places of this machine."""
    message = message.partition("Original stack trace")[0]
    before, mark, after = message.partition("defined at (most recent call last)")
    if mark:
        message = before + after.rpartition("\nNode: ")[2]
    return MACHINE.sub("", COLOURS.sub("", message))[:LONGEST].strip()


class Runner:
    """Runs one program at a time; its drivers live as long as the `with` block."""

    def __init__(self, corpora: Path, environments: Mapping[str, str], store: Path) -> None:
        self.corpora, self.environments, self.store = corpora, environments, store
        self.drivers: dict[tuple[str, str], subprocess.Popen[str]] = {}

    def __enter__(self) -> Self:
        self.folder = TemporaryDirectory(prefix="shape-mutants-")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for driver in self.drivers.values():
            assert driver.stdin is not None
            driver.stdin.close()
            driver.wait(60)
        self.folder.cleanup()

    def run(self, program: Program, text: str | None = None, *, lines: bool = False, eager: bool = False) -> Ending:
        """Run the program, with another text of its first file if one is given."""
        root = Path(self.folder.name) / "run"
        shutil.rmtree(root, ignore_errors=True)
        folder = root / "work" / "project"
        folder.mkdir(parents=True)
        program.write(self.corpora, folder, text)
        for place, name in program.data.items():
            target = folder / place
            target.parent.mkdir(parents=True, exist_ok=True)
            source = self.store / name
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copyfile(source, target)
        job = {
            "folder": str(folder), "root": str(root), "entry": program.entry, "arguments": list(program.arguments),
            "seconds": program.seconds, "memory": MEMORY, "store": str(self.store), "lines": lines, "eager": eager,
        }  # fmt: skip
        return _ending(self._ask(program, job))

    def printed(self) -> str:
        """What the last run wrote to its standard error."""
        return (Path(self.folder.name) / "run" / "stderr").read_text(errors="replace")

    def _ask(self, program: Program, job: Mapping[str, Any]) -> dict[str, Any]:
        key = (program.environment, program.framework)
        driver = self.drivers.get(key)
        if driver is None or driver.poll() is not None:
            driver = self.drivers[key] = self._start(program)
        assert driver.stdin is not None
        assert driver.stdout is not None
        driver.stdin.write(json.dumps(job) + "\n")
        driver.stdin.flush()
        answer = driver.stdout.readline()
        return json.loads(answer) if answer else {"outcome": "died", "seconds": 0.0, "message": "the driver ended"}

    def _start(self, program: Program) -> subprocess.Popen[str]:
        home = Path(self.folder.name) / "home"
        home.mkdir(exist_ok=True)
        homes = {"HOME": str(home), "KERAS_HOME": str(self.store / "keras"), "TORCH_HOME": str(home / "torch")}
        command = [self.environments[program.environment], str(HERE / "driver.py"), *MODULES[program.framework]]
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**kept, **CALM, **homes},
        )  # fmt: skip


def _ending(told: Mapping[str, Any]) -> Ending:
    def places(key: str) -> tuple[tuple[str, int, str], ...]:
        return tuple((str(file), int(line), str(where)) for file, line, where in told.get(key, ()))

    lines = {file: tuple(found) for file, found in told.get("lines", {}).items()}
    return Ending(
        told["outcome"], told["seconds"], told.get("type", ""), tuple(told.get("kinds", ())), told.get("message", ""),
        places("frames"), places("named"), lines,
    )  # fmt: skip
