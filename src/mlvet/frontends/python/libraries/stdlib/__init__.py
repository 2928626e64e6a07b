"""The modules of Python's standard library, and a few that are as common: yaml, toml, requests."""

from mlvet.frontends.python.libraries.stdlib import (
    annotations,
    arguments,
    chance,
    classes,
    clocks,
    containers,
    contexts,
    copies,
    formats,
    functional,
    inspection,
    iterators,
    mathematics,
    messages,
    ordering,
    path_objects,
    paths,
    patterns,
    processes,
    system,
    transfers,
    unit_tests,
)

__all__ = [
    "annotations", "arguments", "chance", "classes", "clocks", "containers", "contexts", "copies", "formats",
    "functional", "inspection", "iterators", "mathematics", "messages", "ordering", "path_objects", "paths", "patterns",
    "processes", "system", "transfers", "unit_tests",
]  # fmt: skip
