"""Public encoders beside ours, in one run on the same files: `make bench-peers`. None is a dependency."""
