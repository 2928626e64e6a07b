"""A small image-classification package."""
