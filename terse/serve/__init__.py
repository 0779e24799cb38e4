"""MCP over HTTP in front of any server: streamable HTTP of both eras, with the rules in between.

The only importer of starlette and uvicorn. One event loop speaks HTTP; each client's session has a connection
with its threads, as `terse proxy` has one.
"""
