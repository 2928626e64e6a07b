"""Tensor functions that all libraries share, on abstract tensors. Libraries add their signatures and their ways."""
