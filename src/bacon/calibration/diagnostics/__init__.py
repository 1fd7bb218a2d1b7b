"""How well predictions and judges follow the labels, and what their errors go with."""
