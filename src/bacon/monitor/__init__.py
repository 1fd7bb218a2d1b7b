"""Whether a saved calibration still holds on later items."""
