"""Embedders: texts and images as vectors of numbers, on this machine, nothing downloaded."""
