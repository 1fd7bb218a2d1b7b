"""Readers of scores that other programs wrote: one file a format, all giving the same samples."""
