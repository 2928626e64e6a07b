"""Shapes: what every operator of a graph yields, and where that cannot be."""
