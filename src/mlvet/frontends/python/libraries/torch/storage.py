"""Tensors and programs written to files and read from them."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.unknown import Reason, Unknown


@model("torch.save")
def save(obj: Any, f: Any, *args: Any, **keywords: Any) -> None:
    return None


@model("torch.load", "torch.jit.load", "torch.hub.load", "torch.hub.load_state_dict_from_url")
def load(f: Any, *args: Any, **keywords: Any) -> Any:
    """What a file holds nobody knows."""
    return Unknown(Reason.EXTERNAL_DATA, "torch.load", "loaded")


@model("torch.hub.download_url_to_file", "torch.hub.set_dir", "torch.serialization.add_safe_globals")
def download_url_to_file(*args: Any, **keywords: Any) -> None:
    return None
