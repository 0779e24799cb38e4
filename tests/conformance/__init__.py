"""The official conformance suite, run direct and through terse: `make conformance`, docs/conformance.md."""
