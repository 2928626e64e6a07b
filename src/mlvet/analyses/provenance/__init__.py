"""Which inputs made an output what it is, and by how much [LAMP]."""
