"""A calibration: outcome model, estimates and item scores of one outcome, put together."""
