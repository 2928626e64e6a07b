"""The kinds of Python bugs that end a job."""
