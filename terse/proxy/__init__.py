"""The proxy room: MCP messages between a client and a server, rewritten only where a plan says so.

`wire` and `answer` know JSON-RPC and take and give bytes; `session` runs the plan; `stdio`, `child` and
`rewriting` move the bytes. Nothing here is imported before the server was started but `child` and `stdio`.
"""
