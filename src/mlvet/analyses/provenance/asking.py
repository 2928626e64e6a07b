"""Asking: a process replays the traced program and answers; what it prints and whatever it does stays there."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from mlvet.analyses.provenance.answer import Answer
from mlvet.analyses.provenance.question import Question
from mlvet.core.errors import InternalError, UnsupportedInput
from mlvet.runtime.provenance.log import read


def asked(question: Question, timeout: float | None = None) -> Answer:
    """What the process answers; its error if it has one."""
    log = read(question.log)
    with TemporaryDirectory(prefix="mlvet-why-") as folder:
        asked_in, answered_in = Path(folder) / "question.json", Path(folder) / "answer"
        asked_in.write_text(question.written(), encoding="utf-8")
        environment = {**os.environ, "PYTHONHASHSEED": log.header.hash_seed}
        module = "mlvet.analyses.provenance.answering"
        command = [sys.executable, *log.header.flags, "-m", module, str(asked_in), str(answered_in)]
        source = str(Path(__file__).parents[3])
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (source, environment.get("PYTHONPATH"))))
        try:
            done = subprocess.run(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                timeout=timeout, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise UnsupportedInput(f"{question.log}: the replay takes longer than {timeout:g} seconds") from None
        if not answered_in.exists() or not answered_in.stat().st_size:
            raise _failed(done, question)
        answer: Answer | Exception = pickle.loads(answered_in.read_bytes())
    if isinstance(answer, Exception):
        raise answer
    return answer


def _failed(done: subprocess.CompletedProcess[bytes], question: Question) -> Exception:
    if done.returncode < 0:
        return UnsupportedInput(f"{question.log}: the replay was ended by signal {-done.returncode}")
    words = done.stderr.decode(errors="replace").strip().splitlines()
    if os.environ.get("MLVET_TRACEBACK"):
        sys.stderr.write("\n".join(words) + "\n")
    return InternalError(f"{question.log}: the replay failed: {words[-1] if words else 'no words'}")
