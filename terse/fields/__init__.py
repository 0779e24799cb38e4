"""Selectors, and one file per field action."""
