"""The command line: arguments in, calls to the rooms below, exit codes out. One file per command."""
