"""The paper's studies, and the same for any pool whose every item has a label."""
