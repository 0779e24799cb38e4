"""What a session remembers of its earlier calls."""
