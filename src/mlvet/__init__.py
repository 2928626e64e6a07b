"""mlvet vets machine-learning programs from source to output."""

__version__ = "0.1.0"
