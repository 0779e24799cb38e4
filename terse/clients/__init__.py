"""The configuration files of MCP clients: where they are, what an entry looks like, edits of it."""
