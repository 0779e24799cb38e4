"""Several servers behind one connection: names prefixed, lists joined, each call sent to its own server."""
