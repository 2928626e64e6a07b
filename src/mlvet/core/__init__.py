"""What mlvet says: findings, rules, places, cures, settings. Standard library only."""
