"""Efficiency: what a program computes needlessly, across host Python and tensor library."""
