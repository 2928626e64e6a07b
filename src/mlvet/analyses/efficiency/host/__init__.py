"""The host program as functions, loops, expressions and names."""
