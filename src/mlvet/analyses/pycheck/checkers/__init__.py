"""One adapter per checker: how to call it, how to read its answer."""
