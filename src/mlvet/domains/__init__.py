"""Mathematics: symbolic dims, shapes, dtypes, intervals, and the solver."""
