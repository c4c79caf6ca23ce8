"""The size of a tree by cross-validation."""
