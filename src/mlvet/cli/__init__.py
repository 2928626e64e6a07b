"""The command line: thin, lazy, and the only place where errors become exit codes."""
