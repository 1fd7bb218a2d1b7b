"""Judges: prompts, calls to chat endpoints, their answers kept, and scores made of them."""
