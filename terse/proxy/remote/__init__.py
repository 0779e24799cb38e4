"""Servers behind a URL: streamable HTTP in both eras of the protocol, and HTTP with SSE of 2024-11-05.

`events`, `headers` and `messages` are pure; `server` is the `Upstream` of a connection, and the only thing
here that threads use; the rest runs in one event loop of the process, however many servers there are. Nothing
here is imported for a server that is a process.
"""
