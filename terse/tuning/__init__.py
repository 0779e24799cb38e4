"""What would make rules better: changes of rule files, each measured on captured results first."""
