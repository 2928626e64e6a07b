"""The least model that shows a defect, and a script of a few lines that shows it without mlvet."""
