"""The programs of examples/provenance on data: how they start, what is asked of them, how they run without mlvet."""

from __future__ import annotations

import ast
import gzip
import inspect
import io
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "examples" / "provenance"
OWN = FOLDER / "data"

Names = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A program of the folder: its function, the specifications of inputs, and the names that its result goes to."""

    name: str
    script: str
    function: str
    inputs: Sequence[str]
    results: Sequence[str]
    of: str
    """The container whose numbers are the outputs."""
    again: Callable[[Names, Names], Names] | None = None
    """How outputs follow from the program's names and changed inputs, where calling the function is not all."""

    @property
    def specifications(self) -> tuple[str, ...]:
        return tuple(each if "@" in each else f"{each}@{self.function}" for each in self.inputs)


@dataclass(frozen=True, slots=True)
class Subject:
    """An algorithm on data; `arguments` are those of the command line."""

    algorithm: Algorithm
    data: str
    arguments: Sequence[str] = field(default_factory=tuple)

    @property
    def name(self) -> str:
        return f"{self.algorithm.name}, {self.data}"

    @property
    def script(self) -> Path:
        return FOLDER / self.algorithm.script


def _spam_scores(names: Names, changed: Names) -> Names:
    """The loop of the program's main part over the messages to judge."""
    judged = [
        names["spam_score"](names["word_scores"](text, changed["probabilities"], changed["unknown"], names["ignored"]))
        for _, text in names["messages"]
    ]
    return {"scores": judged}


def _pagerank(name: str, script: str, inputs: Sequence[str]) -> Algorithm:
    return Algorithm(name, script, script.removesuffix(".py"), inputs, ("ranks",), "ranks")


def _line(script: str, text: str) -> int:
    """The line of a program that starts so, whatever its indentation."""
    lines = (FOLDER / script).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.strip().startswith(text))


@cache
def algorithms() -> Mapping[str, Algorithm]:
    """All algorithms by name."""
    learned, unknown = _line("naive_bayes.py", "probabilities = word"), _line("naive_bayes.py", "unknown = options")
    at = (f"probabilities@<module>:{learned}", f"unknown@<module>:{unknown}")
    gibbs = ("topics", "mixtures", "draws")
    found = (
        _pagerank("PageRank", "pagerank.py", ("share", "ranks")),
        _pagerank("weighted PageRank", "weighted_pagerank.py", ("graph", "ranks")),
        _pagerank("undirected PageRank", "undirected_pagerank.py", ("edges", "ranks")),
        _pagerank("visits of links", "visits_of_links_pagerank.py", ("visits", "ranks")),
        _pagerank(
            "weighted visits of links", "weighted_visits_of_links_pagerank.py", ("visits", "popularity", "ranks")
        ),
        _pagerank("personalized PageRank", "personalized_pagerank.py", ("graph", "teleport", "ranks")),
        _pagerank("CollusionRank", "collusionrank.py", ("graph", "blame", "ranks")),
        Algorithm("SimRank", "simrank.py", "simrank", ("graph", "similarity"), ("similarity",), "similarity"),
        Algorithm("ASCOS", "ascos.py", "ascos", ("graph", "similarity"), ("similarity",), "similarity"),
        Algorithm("TextRank", "textrank.py", "textrank", ("weights", "scores"), ("scores",), "scores"),
        Algorithm(
            "belief propagation", "belief_propagation.py", "belief_propagation", ("tables", "observed"), ("beliefs",),
            "beliefs",
        ),
        Algorithm(
            "Gibbs sampling", "gibbs_sampling.py", "gibbs_sampling", ("weights", "alpha", "beta"), gibbs, "draws"
        ),
        Algorithm("naive Bayes", "naive_bayes.py", "spam_score", at, ("scores",), "scores", _spam_scores),
        Algorithm("PageRank, arrays", "pagerank_arrays.py", "pagerank", ("weights", "ranks"), ("ranks",), "ranks"),
        Algorithm(
            "belief propagation, arrays", "belief_propagation_arrays.py", "belief_propagation", ("tables", "observed"),
            ("beliefs",), "beliefs",
        ),
    )  # fmt: skip
    return {each.name: each for each in found}


def subject(algorithm: str, data: str, *arguments: object) -> Subject:
    return Subject(algorithms()[algorithm], data, tuple(map(str, arguments)))


@dataclass(slots=True)
class Plain:
    """A program without mlvet: its names after it has run, and its function with arguments that can be changed."""

    subject: Subject
    names: Names
    arguments: Names

    @classmethod
    def run(cls, subject: Subject) -> Plain:
        """Run the program once and keep what its function was called with; what it prints is dropped."""
        names: Names = {"__name__": "__main__", "__file__": str(subject.script)}
        calls: list[Names] = []
        tree = ast.parse(subject.script.read_text(encoding="utf-8"))
        main = ast.Module(tree.body[-1:], [])
        before = sys.argv, sys.path[:], sys.modules.copy()
        sys.argv = [str(subject.script), *subject.arguments]
        sys.path.insert(0, str(FOLDER))
        try:
            exec(compile(ast.Module(tree.body[:-1], []), str(subject.script), "exec"), names)
            function = names[subject.algorithm.function]

            def noting(*given: Any, **named: Any) -> Any:
                bound = inspect.signature(function).bind(*given, **named)
                if not calls:
                    calls.append(dict(bound.arguments))
                return function(*given, **named)

            names[subject.algorithm.function] = noting
            with redirect_stdout(io.StringIO()):
                exec(compile(main, str(subject.script), "exec"), names)
            names[subject.algorithm.function] = function
        finally:
            sys.argv, sys.path[:] = before[0], before[1]
            for name in set(sys.modules) - set(before[2]):
                if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == FOLDER:
                    del sys.modules[name]
        return cls(subject, names, names if subject.algorithm.again else calls[0])

    def value(self, name: str) -> float:
        """The value of an input, by the name that mlvet gives it."""
        return float(eval(name, {}, self.arguments))

    def outputs(self, expressions: Sequence[str], changed: str = "", by: float = 0.0) -> list[float]:
        """Some outputs, with one input changed."""
        algorithm = self.subject.algorithm
        before = self.value(changed) if changed else 0.0
        if changed:
            exec(f"{changed} = {before + by!r}", {}, self.arguments)
        try:
            if algorithm.again:
                results = algorithm.again(self.names, self.arguments)
            else:
                made = self.names[algorithm.function](**self.arguments)
                results = dict(zip(algorithm.results, made if len(algorithm.results) > 1 else (made,), strict=True))
        finally:
            if changed:
                exec(f"{changed} = {before!r}", {}, self.arguments)
        return [float(eval(each, {}, results)) for each in expressions]


def difference(plain: Plain, expressions: Sequence[str], changed: str, step: float) -> list[float]:
    """Derivatives by differences of fourth order: four runs, with the input moved by one and by two steps both ways."""
    far, near = 2 * step, step
    at = {by: plain.outputs(expressions, changed, by) for by in (-far, -near, near, far)}
    moved = zip(at[-far], at[-near], at[near], at[far], strict=True)
    return [(least - 8 * less + 8 * more - most) / (12 * step) for least, less, more, most in moved]


def first_lines(source: Path, target: Path, count: int) -> Path:
    """A file with the first edges or messages of another, written once."""
    if not target.exists():
        raw = source.read_bytes()
        text = (gzip.decompress(raw) if source.suffix == ".gz" else raw).decode()
        lines = [line for line in text.splitlines(keepends=True) if not line.startswith("#")]
        target.write_text("".join(lines[:count]), encoding="utf-8")
    return target
