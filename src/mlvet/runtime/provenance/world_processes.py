"""Processes that a program starts and waits for: what they gave is logged, and a replay does not start them again."""

from __future__ import annotations

import os

TYPE_CHECKING = False

if TYPE_CHECKING:
    import types
    from collections.abc import Callable
    from typing import Any

    from mlvet.runtime.provenance.world import Patch, World


def systems(world: World) -> list[Patch]:
    """`os.system` gives a number."""
    real = os.system

    def system(command: Any) -> int:
        status: int = world.value("system", lambda: real(command))
        return status

    return [(os, "system", system)]


def watched(world: World) -> dict[str, Callable[[types.ModuleType], None]]:
    """`subprocess.run`, through which also `check_output` goes, gives bytes or text."""
    return {"subprocess": lambda module: _subprocess(world, module)}


def _subprocess(world: World, module: Any) -> None:
    real = module.run

    def run(*arguments: Any, **named: Any) -> Any:
        if world.replays:
            return _again(module, world.next("subprocess").data, arguments, named)
        try:
            found = real(*arguments, **named)
        except module.CalledProcessError as error:
            world.note("subprocess", _told(error.returncode, error.output, error.stderr))
            raise
        world.note("subprocess", _told(found.returncode, found.stdout, found.stderr))
        return found

    run.__doc__ = real.__doc__
    world.patched([(module, "run", run)])


def _told(status: int, output: bytes | str | None, errors: bytes | str | None) -> dict[str, Any]:
    return {"status": status, "stdout": _plain(output), "stderr": _plain(errors)}


def _plain(data: bytes | str | None) -> Any:
    """Bytes as a list of one text, since JSON has none."""
    return [data.decode("latin-1")] if isinstance(data, (bytes, bytearray)) else data


def _again(module: Any, told: dict[str, Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    output, errors = (
        each[0].encode("latin-1") if isinstance(each, list) else each for each in (told["stdout"], told["stderr"])
    )
    command = arguments[0] if arguments else named.get("args")
    if named.get("check") and told["status"]:
        raise module.CalledProcessError(told["status"], command, output=output, stderr=errors)
    return module.CompletedProcess(command, told["status"], output, errors)
