"""Shape errors of Python programs: which demands cannot be met, on which path, and what a user may set."""
