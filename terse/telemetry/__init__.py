"""OpenTelemetry: metrics and spans of what was sent, for those who collect them. The only importer of it."""
