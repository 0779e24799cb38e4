"""terse within other frameworks: one file for each, imported by its users alone."""
