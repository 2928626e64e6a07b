"""What inputs and parameters are assumed to hold, and where that is known from."""
