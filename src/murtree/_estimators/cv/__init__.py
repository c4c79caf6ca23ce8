"""Estimators that choose the size of a tree by cross-validation."""
