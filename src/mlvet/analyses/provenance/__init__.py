"""Which inputs made an output what it is: sweeps over the tape of a replay, shares, flips, findings."""
