"""Libraries by which users set what a program does: absl, click, fire, hydra, omegaconf, ml_collections, gin."""

from mlvet.frontends.python.libraries.settings import commands, configurations, flags, injection

__all__ = ["commands", "configurations", "flags", "injection"]
