"""The public files of the paper's three studies, as they are published."""
