"""What `mlvet trace` is asked to do, as it goes from the command line to the traced process."""

from __future__ import annotations


class Request:
    """`script` as the user gave it, its arguments, where the log goes, and how much is logged."""

    __slots__ = (
        "arguments", "delta", "hash_seed", "inputs", "max_derivative", "mode", "output", "quiet", "script",
        "seed_is_users",
    )  # fmt: skip

    def __init__(
        self, script: str, arguments: tuple[str, ...], output: str = "", mode: str = "default",
        inputs: tuple[str, ...] = (), delta: float = 1e-3, max_derivative: float = 1.0, quiet: bool = False,
        hash_seed: str = "0", seed_is_users: bool = False,
    ) -> None:  # fmt: skip
        self.script = script
        self.arguments = arguments
        self.output = output
        self.mode = mode
        self.inputs = inputs
        self.delta = delta
        self.max_derivative = max_derivative
        self.quiet = quiet
        self.hash_seed = hash_seed
        self.seed_is_users = seed_is_users

    def words(self) -> list[str]:
        """As arguments of a process."""
        numbers = [repr(self.delta), repr(self.max_derivative), str(int(self.quiet)), str(int(self.seed_is_users))]
        settings = [self.output, self.mode, *numbers, self.hash_seed]
        return [*settings, str(len(self.inputs)), *self.inputs, self.script, *self.arguments]

    @classmethod
    def of_words(cls, words: list[str]) -> Request:
        """The inverse of `words`."""
        output, mode, delta, derivative, quiet, users, seed, count, *rest = words
        inputs, (script, *arguments) = rest[: int(count)], rest[int(count) :]
        return cls(
            script, tuple(arguments), output, mode, tuple(inputs), float(delta), float(derivative), quiet == "1", seed,
            users == "1",
        )  # fmt: skip


def quick(arguments: list[str]) -> Request | None:
    """The request of the common forms of `mlvet trace`; None for others, which a full parser reads and explains."""
    given = list(arguments)
    request = Request("", ())
    inputs: list[str] = []
    while given and given[0].startswith("-"):
        name, equals, value = given.pop(0).partition("=")
        if name == "--quiet" and not equals:
            request.quiet = True
            continue
        if name not in ("--output", "--inputs", "--log") or not (equals or given):
            return None
        value = value if equals else given.pop(0)
        if name == "--inputs":
            inputs.append(value)
        elif name == "--output":
            request.output = value
        elif value in ("default", "full"):
            request.mode = value
        else:
            return None
    if not given:
        return None
    request.script, *rest = given
    request.arguments, request.inputs = tuple(rest), tuple(inputs)
    return request
