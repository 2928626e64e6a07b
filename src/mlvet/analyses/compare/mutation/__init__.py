"""Variants of layers and mutants of whole models, guided by how far backends deviate [LEMON]."""
