"""The only code that executes models: the operators' references, and the backends of others."""

from __future__ import annotations

from mlvet.runtime.reference import NoReference, evaluate

__all__ = ["NoReference", "evaluate"]
