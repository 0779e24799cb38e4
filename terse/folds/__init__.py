"""Exact short forms of plain text: one file per form, the frame they share, and their inverse."""
