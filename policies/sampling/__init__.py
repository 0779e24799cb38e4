"""The makers of policies/samples, one file per kind of server."""
