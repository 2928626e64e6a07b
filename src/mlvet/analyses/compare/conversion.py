"""Models that a converter makes of the model, each on the runtime of its format.

A worker that has the model open on the converter's own library converts it, so that a converter that fails or dies
leaves the rest. The converted file is run as its users run it; inputs are matched by name, else in their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from mlvet.analyses.compare.runs import Crew, Files, Run
from mlvet.runtime.backends.catalogue import Backend, Route
from mlvet.runtime.backends.process import Failure

Array = NDArray[Any]


@dataclass(slots=True)
class Converted:
    """The run of a converted file, and the run that converts."""

    backend: Backend
    route: Route
    maker: Run
    run: Run
    path: Path
    converter: str
    names: Sequence[str]
    """The inputs of the converted file, in the order of those of the model."""

    order: Sequence[int] = ()
    """Where the outputs of the model are among those of the converted file, if not in the same order."""

    cuts: dict[str, Path] = field(default_factory=dict)

    def __str__(self) -> str:
        return str(self.backend)

    @property
    def seconds(self) -> float:
        return self.run.seconds

    @property
    def version(self) -> str:
        return f"{self.run.version} by {self.converter}"

    def named(self, inputs: Files) -> dict[str, Path]:
        """Inputs of the model under the names that they have in the converted file."""
        return dict(zip(self.names, inputs.values(), strict=True))

    def whole(self, inputs: Files, batch: int) -> list[Array]:
        """The outputs of the converted model, in the order of those of the model."""
        found = self.run.whole(self.named(inputs), batch)
        return [found[index] for index in self.order] if len(self.order) == len(found) else found

    def until(self, value: str, inputs: Files, batch: int) -> list[Array]:
        """A value of the model by a file that is converted from the model cut there."""
        if value not in self.cuts:
            path = self.path.with_name(f"{self.path.stem}-{len(self.cuts)}{self.path.suffix}")
            self.maker.convert(self.route.converter, path, inputs, target=value)
            self.cuts[value] = path
        return self.run.whole(self.named(inputs), batch, str(self.cuts[value]))


def convert(
    crew: Crew, wanted: Sequence[Backend], opening: Mapping[str, Any], makers: Mapping[Backend, Run], inputs: Files
) -> dict[Backend, Converted | Failure]:
    """The converted models that the wanted backends run, or why there are none; each is converted once."""
    made: dict[tuple[str, str], dict[str, Any] | Failure] = {}
    paths: dict[tuple[str, str], Path] = {}
    found: dict[Backend, Converted | Failure] = {}
    for backend in wanted:
        route = backend.route
        assert route is not None
        maker = makers.get(making(backend))
        key = (route.converter, backend.environment)
        if key not in made and maker is not None:
            paths[key] = crew.folder / f"converted-{len(made)}.{route.format}"
            made[key] = _made(maker, route, inputs, paths[key])
        result = made.get(key, Failure("unsupported", f"`{route.source}` cannot open the model to convert it"))
        if isinstance(result, Failure) or maker is None:
            found[backend] = result if isinstance(result, Failure) else Failure("unsupported", "nobody converts it")
            continue
        found[backend] = _opened(crew, backend, maker, paths[key], result, opening)
    return found


def again(crew: Crew, one: Converted, maker: Run, runtime: Run, inputs: Files) -> Converted | Failure:
    """What a converter makes of another model, on processes that are warm."""
    path = crew.folder / f"again.{one.route.format}"
    result = _made(maker, one.route, inputs, path)
    if isinstance(result, Failure):
        return result
    return _opened(crew, one.backend, maker, path, result, {}, [runtime])


def exported(crew: Crew, one: Converted, inputs: Files) -> Converted | None:
    """What the first of two converters makes of the model, on the runtime of its format; none if there is one alone."""
    route = one.route.before
    if route is None:
        return None
    path = crew.folder / f"exported-{one.path.stem}.{route.format}"
    result = _made(one.maker, route, inputs, path)
    if isinstance(result, Failure):
        return None
    found = _opened(crew, replace(one.backend, route=route), one.maker, path, result, {})
    return found if isinstance(found, Converted) else None


def making(backend: Backend) -> Backend:
    """The backend on which the converter of another one works."""
    assert backend.route is not None
    return replace(backend, name=backend.route.source, route=None)


def _made(maker: Run, route: Route, inputs: Files, path: Path) -> dict[str, Any] | Failure:
    try:
        return maker.convert(route.converter, path, inputs)
    except Failure as failure:
        return failure


def _opened(
    crew: Crew,
    backend: Backend,
    maker: Run,
    path: Path,
    answer: Mapping[str, Any],
    opening: Mapping[str, Any],
    warm: Sequence[Run] = (),
) -> Converted | Failure:
    route = backend.route
    assert route is not None
    runtime = replace(backend, name=route.runtime, format=route.format, route=None)
    ports = [port["name"] for port in maker.opened["inputs"]]
    taken = list(answer["inputs"])
    named = answer.get("named", {})
    names = ports if {*ports} == {*taken} else [named[port] for port in ports] if {*ports} == {*named} else taken
    if len(names) != len(ports):
        listed = ", ".join(f"`{name}`" for name in taken)
        return Failure("crash", f"the converted model takes {len(taken)} inputs ({listed}), the model {len(ports)}")
    run = crew.open([runtime], {**opening, "model": str(path)}, warm)[runtime]
    if isinstance(run, Failure):
        return run
    return Converted(backend, route, maker, run, path, str(answer["version"]), names, answer.get("order", ()))
