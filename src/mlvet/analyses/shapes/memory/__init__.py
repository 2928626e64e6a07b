"""Peak memory of training: what a step holds at once, from the sizes of the graph."""
