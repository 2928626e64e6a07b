"""From files to what the analyses read."""
