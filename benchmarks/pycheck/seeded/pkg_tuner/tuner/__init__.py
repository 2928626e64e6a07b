"""A dependency-free hyper-parameter tuner."""
from .search import SuccessiveHalving

__all__ = ["SuccessiveHalving"]
