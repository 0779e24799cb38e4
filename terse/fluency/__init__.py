"""Whether a model reads what is emitted as well as the original. Nothing else asks a model."""
