"""Formulas of matrices: read from a loop, priced by how often their parts change, and rewritten to cheaper ones."""
