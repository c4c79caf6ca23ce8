"""Nonlinear metrics of two classes, such as the F1 score."""
