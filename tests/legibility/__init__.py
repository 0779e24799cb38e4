"""Whether what is emitted can be read by its visible rules: readers written from the docs, and questions."""
