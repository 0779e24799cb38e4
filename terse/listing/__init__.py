"""What a client is shown of a server's tools: definitions in, definitions out."""
