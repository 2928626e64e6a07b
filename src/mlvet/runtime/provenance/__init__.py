"""Which inputs made an output what it is [LAMP]: the production run, its log, and the replay."""
