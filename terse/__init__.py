"""terse: rules in, smaller MCP tool results out."""

__version__ = "0.1.0"
