"""A program and a changed copy of it, run side by side."""
