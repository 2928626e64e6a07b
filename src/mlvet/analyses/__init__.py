"""The questions that mlvet asks; each folder is one of them, with its rules beside it."""
