"""Beyond the model at hand: variants of its layers, mutants of it, and the least model that shows a defect."""
