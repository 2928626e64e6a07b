"""From hazards to findings: causes, dependence on ranges, cures, words."""
