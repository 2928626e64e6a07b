"""Image captioning in miniature."""
