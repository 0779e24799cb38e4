"""What came from a tool: the call, and the result as text with its kind, size and exact JSON."""
