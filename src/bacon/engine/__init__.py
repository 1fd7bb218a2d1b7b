"""Running judges over a pool: configuration, items and endpoints put together."""
