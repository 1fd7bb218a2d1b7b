"""Sampling: which items people label, drawn with known inclusion probabilities."""
