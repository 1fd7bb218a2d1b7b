"""The words of the built-in prompts."""
