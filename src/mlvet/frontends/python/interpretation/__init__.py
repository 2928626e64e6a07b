"""The abstract interpreter: Python's statements and expressions on abstract values."""
