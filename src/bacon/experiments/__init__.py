"""Experiments: configurations measured over seeded draws from pools whose labels are all known."""
