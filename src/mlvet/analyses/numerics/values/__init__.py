"""What an operator makes of abstract tensors: cells, affine forms, bounds, norms."""
