"""Which versions of which operator sets are known."""

from __future__ import annotations

from collections.abc import Iterable

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.protobuf.wire import Record

NEWEST = {"": 28, "ai.onnx.ml": 5, "ai.onnx.preview": 28, "ai.onnx.preview.training": 1, "ai.onnx.training": 1}
"""The newest known version of each official operator set; sets of others are taken at any version."""

_FIRST_WITH_OPSETS = 3


def imported(imports: Iterable[Record], ir_version: int) -> dict[str, int]:
    """The version of each operator set by domain. Files older than operator sets are of version 1."""
    versions: dict[str, int] = {}
    for entry in imports:
        domain = official(entry.domain)
        newest = NEWEST.get(domain)
        if newest is not None and entry.version > newest:
            raise UnsupportedInput(
                f"opset {entry.version} of domain '{domain}' is newer than {newest}, the newest known"
            )
        if newest is not None and entry.version < 1:
            raise UnsupportedInput(f"opset {entry.version} of domain '{domain}' does not exist")
        versions[domain] = max(versions.get(domain, 0), entry.version)
    if not versions and ir_version < _FIRST_WITH_OPSETS:
        versions[""] = 1
    return versions


def official(domain: str) -> str:
    """The domain, the standard one under its short name."""
    return "" if domain == "ai.onnx" else domain


def version(versions: dict[str, int], domain: str, op_type: str) -> int:
    """The version that a node of an official operator set is written in, which the file must say."""
    if domain in versions:
        return versions[domain]
    if domain in NEWEST:
        raise UnsupportedInput(f"the file uses {op_type} of domain '{domain}', but names no opset of it")
    return 0
