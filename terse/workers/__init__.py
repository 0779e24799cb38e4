"""Runs of a plan in other processes, so that many clients do not wait for one interpreter."""
