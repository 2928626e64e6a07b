"""Randomness that no seed in the program decides: the system's entropy, and generators seeded from it."""

from __future__ import annotations

import os
import struct
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    import types
    from collections.abc import Callable
    from typing import Any

    from mlvet.runtime.provenance.world import Patch, World

_STATE = struct.Struct("<625I")


def entropy(world: World) -> list[Patch]:
    """`os.urandom`, through which also secrets, uuid4, SystemRandom and NumPy's seeds come."""
    real = os.urandom

    def urandom(size: int, /) -> bytes:
        return _drawn(world, "urandom", lambda: real(size))

    return [(os, "urandom", urandom)]


def _drawn(world: World, kind: str, real: Callable[[], bytes]) -> bytes:
    if not _importing(world):
        return world.data(kind, real)
    if world.replays and not world.waiting(f"{kind}.import"):
        return real()
    return world.data(f"{kind}.import", real)


def _importing(world: World) -> bool:
    """Whether a library is asking while it is imported. A replay may have imported it before, so this is kept apart."""
    frame: types.FrameType | None = sys._getframe(3)
    while frame is not None:
        name = frame.f_code.co_filename
        if world.of_program(name):
            return False
        if name == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def watched(world: World) -> dict[str, Callable[[types.ModuleType], None]]:
    """The modules whose generators are seeded when they are imported, with what to do then."""
    return {
        "random": lambda module: _random(world, module),
        "numpy.random": lambda module: _numpy(world, module),
    }


def _random(world: World, module: Any) -> None:
    """The state of the module's own generator, and the seeds of generators that are made without one."""
    if not world.replays:
        version, numbers, gauss = module.getstate()
        world.note("random.state", [version, gauss], _STATE.pack(*numbers))
    elif world.waiting("random.state"):
        event = world.next("random.state")
        module.setstate((event.data[0], _STATE.unpack(event.raw), event.data[1]))
    real = module.Random.seed

    def seed(self: Any, a: Any = None, version: int = 2) -> None:
        if a is None:
            a = int.from_bytes(_drawn(world, "random.seed", lambda: _system(32)), "little")
        real(self, a, version)

    seed.__doc__ = real.__doc__
    seed.__qualname__ = real.__qualname__
    world.patched([(module.Random, "seed", seed)])
    world.patched([(module, "seed", module._inst.seed), (module, "_urandom", os.urandom)])


_system = os.urandom


def _numpy(world: World, module: Any) -> None:
    """NumPy's global generator is seeded at import: its state is logged, or set."""
    if not world.replays:
        name, keys, position, has_gauss, gauss = module.get_state()
        if name == "MT19937":
            world.note("numpy.state", [int(position), int(has_gauss), float(gauss)], keys.astype("<u4").tobytes())
    elif world.waiting("numpy.state"):
        import numpy

        event = world.next("numpy.state")
        module.set_state(("MT19937", numpy.frombuffer(event.raw, "<u4"), *event.data))
