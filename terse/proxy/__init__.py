"""The proxy room: MCP messages between a client and a server, rewritten only where a plan says so.

`wire` and `answer` know JSON-RPC and take and give bytes; `session` runs the plan; `connection` joins them
for one client and one server, on the threads of `rewriting`; `child` is a server, `stdio` one connection as a
process. Nothing here is imported before the server was started but `child`.
"""
