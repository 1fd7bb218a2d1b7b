"""Frozen values that the stages hand to each other; they hold arrays and do not compute."""
