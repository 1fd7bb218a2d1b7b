"""Stage 3: cross-fitted models of the human outcome."""
