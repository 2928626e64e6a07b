"""Where work runs: process pools and clusters behind the Executor protocol."""
