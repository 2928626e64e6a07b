"""Ordinary Python bugs: several checkers run side by side, judged and merged into one voice."""
