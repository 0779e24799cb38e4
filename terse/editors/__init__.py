"""What editors ask of terse: findings, hover texts, completion, definitions. `server.py` alone speaks LSP."""
