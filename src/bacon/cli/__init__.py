"""The `bacon` command."""
