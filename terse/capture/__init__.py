"""What a running server tells of itself: its tools, and results of calls, as files beside the rules."""
