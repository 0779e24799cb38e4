"""What was saved, kept in a file of the user's own: names, sizes and times, never content or arguments."""
