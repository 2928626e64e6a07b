"""Threshold segmentation without dependencies."""
from .engine import Engine
from .model import ThresholdModel

__all__ = ["Engine", "ThresholdModel"]
