"""What a reviewer asks of a policy: whether its tests hold, what they cover, what a change does."""
