"""Runs of ordinary Python programs: recorded once, replayed with numbers that carry their derivatives."""
