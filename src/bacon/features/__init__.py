"""Features of every item, made without any label."""
