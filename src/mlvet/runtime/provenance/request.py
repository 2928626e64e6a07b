"""What `mlvet trace` is asked to do, as it goes from the command line to the traced process."""

from __future__ import annotations

from typing import NamedTuple


class Request(NamedTuple):
    """`script` as the user gave it, its arguments, where the log goes, and how much is logged."""

    script: str
    arguments: tuple[str, ...]
    output: str
    mode: str = "default"
    inputs: tuple[str, ...] = ()
    delta: float = 1e-3
    max_derivative: float = 1.0
    quiet: bool = False
    hash_seed: str = "0"
    seed_is_users: bool = False
