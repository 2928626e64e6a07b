"""Comments that silence findings, applied and checked for use."""
