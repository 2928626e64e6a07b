"""One file per output format; they see the core alone."""
