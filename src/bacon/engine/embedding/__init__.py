"""Embeddings of a pool's items: read, embedded by one of several kinds, reduced, written."""
