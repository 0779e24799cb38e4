"""A server as a local command: its tools as subcommands, their arguments as flags, their results as text.

A process in the background keeps the session with the server; a command line is a short-lived client of it.
What runs at every call imports no library, no dataclasses and no more of the standard one than it has to.
"""
