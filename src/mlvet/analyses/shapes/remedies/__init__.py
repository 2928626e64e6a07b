"""Edits that cure what was found, each tried on the program before it is offered."""
